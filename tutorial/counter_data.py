"""What the CPU backend counted: reads --counters=csv, and plots/data/counters.csv, which has that
of every program, and boils it down to figures. Sums are over all launches of one reduction.

A program is named by its key, as in programs."""

import collections
import itertools
import os

from tutorial.csv_input import COUNT, SIZE, check, comment, optional, read_table
from tutorial.figures import ratio

SUMMED = {"requests": COUNT, "lanes": COUNT, "sectors": optional(COUNT),
          "wavefronts": optional(COUNT), "bank_conflicts": optional(COUNT)}
COLUMNS = {"step": str, "launch": SIZE, "grid": str, "block": str, "file": str, "line": COUNT,
           "space": str, "op": str} | SUMMED

MAKE = "make plots/data/counters.csv"

# n: elements that were reduced. launches: how many that took. rows: {column: value}, or those of
# one source line.
Counts = collections.namedtuple("Counts", "n launches rows")
Sums = collections.namedtuple("Sums", SUMMED)


# ---- reading ----

def load(path):
    """{key: Counts}, of all programs."""
    table = read_table(path, COLUMNS)
    n = comment(table, "n", SIZE)
    counts = by_program(table, n)
    loaded = {key: total(of_key, "global", "load").lanes for key, of_key in counts.items()}
    check(table, None, *((key.isdecimal() and lanes < n, f"step {key} loaded {lanes} elements, not "
                          f"the {n} of the line '# n:': rows are missing")
                         for key, lanes in loaded.items()))
    return counts


def parse(text, name, n):
    """(key, Counts) of one program, from what it printed; name: of it, for messages."""
    table = read_table(name, COLUMNS, text)
    check(table, None, (not table.rows, "no row: nothing was counted"))
    return next(iter(by_program(table, n).items()))


def by_program(table, n):
    found = collections.defaultdict(list)
    for values in (row.values for row in table.rows):
        # the folder of a detour's main.cu is its name
        key = values["step"] or os.path.basename(os.path.dirname(values["file"]))
        found[key].append(values)
    return {key: Counts(n, max(row["launch"] for row in rows), rows) for key, rows in found.items()}


def by_line(counts):
    """{line number: Counts of that line}"""
    rows = sorted(counts.rows, key=lambda row: row["line"])
    return {line: counts._replace(rows=list(group))
            for line, group in itertools.groupby(rows, lambda row: row["line"])}


# ---- figures: None where one has no meaning (all pure) ----

def total(counts, space, *ops):
    """The sums of a space, of some operations or of all."""
    rows = [row for row in counts.rows if row["space"] == space and (not ops or row["op"] in ops)]
    return Sums(*(sum(row[column] or 0 for row in rows) for column in Sums._fields))


def shared(counts):
    return total(counts, "shared", "load", "store")


def sectors_per_load(counts):
    loads = total(counts, "global", "load")
    return ratio(loads.sectors, loads.requests)


def alike(counts):
    """Percent of the branches that all active lanes of a warp take alike."""
    branches = total(counts, "control", "branch")
    return ratio(100 * branches.lanes, branches.requests)


# Of a whole reduction, in the order and the words of `make counters`.
FIGURES = {
    "launches": lambda counts: counts.launches,
    "global load requests": lambda counts: total(counts, "global", "load").requests,
    "sectors/request": sectors_per_load,
    "shared requests": lambda counts: shared(counts).requests,
    "wavefronts": lambda counts: shared(counts).wavefronts,
    "bank conflicts": lambda counts: shared(counts).bank_conflicts,
    "lanes/request": lambda counts: ratio(shared(counts).lanes, shared(counts).requests),
    "warps at __syncthreads": lambda counts: total(counts, "sync", "syncthreads").requests,
    "warps at __syncwarp": lambda counts: total(counts, "sync", "syncwarp").requests,
    "shuffles by warps": lambda counts: total(counts, "sync", "shuffle").requests,
    "branch efficiency, %": alike,
}

# What a source line costs: requests of warps, and how dear one of them is.
LINE_FIGURES = {
    "global requests": lambda line: total(line, "global").requests or None,
    "sectors each": lambda line: ratio(total(line, "global").sectors,
                                       total(line, "global").requests),
    "shared requests": lambda line: total(line, "shared").requests or None,
    "wavefronts each": lambda line: ratio(total(line, "shared").wavefronts,
                                          total(line, "shared").requests),
    "lanes each": lambda line: ratio(
        total(line, "global").lanes + total(line, "shared").lanes,
        total(line, "global").requests + total(line, "shared").requests),
    "barriers, shuffles": lambda line: total(line, "sync").requests or None,
    "branches": lambda line: total(line, "control", "branch").requests or None,
    "alike %": alike,
}


def figures(counts, of=None):
    """{what: figure}, of a whole reduction; of LINE_FIGURES, those of a line."""
    return {what: figure(counts) for what, figure in (of or FIGURES).items()}
