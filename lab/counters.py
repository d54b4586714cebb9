"""What the CPU backend counted: rows of --counters=csv, summed up by source line and by step."""

import collections
import csv

COLUMNS = ("step launch grid block file line space op requests lanes sectors wavefronts "
           "bank_conflicts").split()
Counts = collections.namedtuple("Counts", "requests lanes sectors wavefronts")
NONE = Counts(0, 0, 0, 0)


def read(text):
    """The rows as dictionaries; ValueError if the text is no such table."""
    rows = list(csv.DictReader(text.splitlines()))
    if not rows or list(rows[0]) != COLUMNS or None in rows[-1].values():
        raise ValueError("printed no table of the columns " + ",".join(COLUMNS))
    return rows


def total(rows, space, *ops):
    """The sums over all launches of the rows of a space, of some operations or of all."""
    chosen = [row for row in rows if row["space"] == space and (not ops or row["op"] in ops)]
    return Counts(*(sum(int(row[field] or 0) for row in chosen) for field in Counts._fields))


def ratio(a, b):
    return a / b if b else None


def alike(branches):
    """Percent of the branches that all active lanes of a warp take alike."""
    return None if not branches.requests else 100 * branches.lanes / branches.requests


def of_step(rows):
    """{what: figure} of a whole reduction, in the order and the words of `make counters`. None has
    no meaning. The elements have 4 bytes, so that one wavefront a request is without conflict."""
    loads, shared = total(rows, "global", "load"), total(rows, "shared", "load", "store")
    return {
        "launches": int(rows[-1]["launch"]),
        "global load requests": loads.requests,
        "sectors/request": ratio(loads.sectors, loads.requests),
        "shared requests": shared.requests,
        "bank conflicts": shared.wavefronts - shared.requests,
        "lanes/request": ratio(shared.lanes, shared.requests),
        "warps at __syncthreads": total(rows, "sync", "syncthreads").requests,
        "warps at __syncwarp": total(rows, "sync", "syncwarp").requests,
        "shuffles by warps": total(rows, "sync", "shuffle").requests,
        "branch efficiency, %": alike(total(rows, "control", "branch"))}


# A source line's figures: requests of warps, and what one of them costs. None: there are none.
Line = collections.namedtuple("Line", "global_requests sectors shared_requests wavefronts lanes "
                                      "sync branches alike")


def of_lines(rows):
    """{line number: Line}"""
    result = {}
    for number in sorted({int(row["line"]) for row in rows}):
        here = [row for row in rows if int(row["line"]) == number]
        memory, shared = total(here, "global"), total(here, "shared")
        branches = total(here, "control", "branch")
        result[number] = Line(
            memory.requests or None, ratio(memory.sectors, memory.requests),
            shared.requests or None, ratio(shared.wavefronts, shared.requests),
            ratio(memory.lanes + shared.lanes, memory.requests + shared.requests),
            total(here, "sync").requests or None, branches.requests or None, alike(branches))
    return result
