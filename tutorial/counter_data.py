"""What the CPU backend counted: loads plots/data/counters.csv and boils it down to the few figures
per program that explain a time. Sums are over all launches of one reduction.

A program is named by its key, as in bench_data: a step's two digits, a detour's folder."""

import collections
import os

from tutorial.csv_input import BadData, comment, number, read_table

COLUMNS = ("step launch grid block file line space op requests lanes sectors wavefronts "
           "bank_conflicts").split()

# n: elements that were reduced. launches: how many that took. sums: (space, op) -> Sums.
Counts = collections.namedtuple("Counts", "n launches sums")
Sums = collections.namedtuple("Sums", "requests lanes sectors wavefronts")
NONE = Sums(0, 0, 0, 0)
FEW = 5  # requests a thousand elements: below that, how full they are says nothing


# ---- loading ----

def load(path):
    """{key: Counts}"""
    table = read_table(path, COLUMNS)
    n = number(path, comment(table, "n"), "n", int, 1)
    counts = {}
    for row in table.rows:
        launch, key = number(path, row, "launch", int, 1), key_of(row)
        before = counts.get(key, Counts(n, 0, {}))
        counts[key] = before._replace(launches=max(before.launches, launch))
        place = row.values["space"], row.values["op"]
        before.sums[place] = added(before.sums.get(place, NONE), checked_sums(path, row))
    for key, count in counts.items():
        loaded = total(count, "global", "load").lanes
        if key.isdecimal() and loaded < n:
            raise BadData(path, table.last_line, f"step {key} loaded {loaded} elements, not the "
                                                 f"{n} of the line '# n:': rows are missing")
    return counts


def key_of(row):
    """The folder of a detour's main.cu is its name."""
    return row.values["step"] or os.path.basename(os.path.dirname(row.values["file"]))


def checked_sums(path, row):
    """Sectors belong to global accesses only, wavefronts to shared ones; else they are empty."""
    space = row.values["space"]
    belongs = {"sectors": space == "global", "wavefronts": space == "shared"}
    return Sums(*(number(path, row, column, int) if belongs.get(column, True) else 0
                  for column in Sums._fields))


def added(a, b):
    return Sums(*(x + y for x, y in zip(a, b)))


# ---- what explains a time: a figure a program, None where it has no meaning (all pure) ----

def total(counts, space, *ops):
    sums = NONE
    for op in ops:
        sums = added(sums, counts.sums.get((space, op), NONE))
    return sums


def per_thousand(counts, figure):
    return 1000 * figure / counts.n


def sectors_per_load(counts):
    loads = total(counts, "global", "load")
    return loads.sectors / loads.requests if loads.requests else None


def lanes_per_request(counts):
    accesses = total(counts, "shared", "load", "store")
    few = per_thousand(counts, accesses.requests) < FEW
    return None if few else accesses.lanes / accesses.requests


def bank_conflicts(counts):
    """Of 4-byte elements: wavefronts beyond one a request."""
    accesses = total(counts, "shared", "load", "store")
    return per_thousand(counts, accesses.wavefronts - accesses.requests)


def wavefronts(counts):
    return per_thousand(counts, total(counts, "shared", "load", "store").wavefronts)


def barriers(counts):
    """Warps that came to a __syncthreads."""
    return per_thousand(counts, total(counts, "sync", "syncthreads").requests)
