"""What the CPU backend counted: reads --counters=csv, and plots/data/counters.csv, which has that
of every program, and boils it down to figures. Sums are over all launches of one reduction.

A program is named by its key, as in programs."""

import collections
import math
import os

from plots.read.csv_input import columns, read_table
from plots.read.figures import ratio
from plots.read.files import ROOT

COLUMNS = columns("step launch:size grid block file line:int space op requests:int lanes:int "
                  "sectors:int wavefronts:int bank_conflicts:int")

MAKE = "make plots/data/counters.csv"

# n: elements that were reduced. launches: how many that took. rows: {column: value}, or those of
# one source line.
Counts = collections.namedtuple("Counts", "n launches rows")


# ---- reading ----

def load(path):
    """{key: Counts}, of all programs."""
    table = read_table(path, COLUMNS)
    return by_program(table, table.comment("n", "int"))


def parse(text, name, n):
    """(key, Counts) of one program, from what it printed; name: of it, for messages."""
    table = read_table(name, COLUMNS, text)
    table.check(None, table, "no row: nothing was counted")
    return next(iter(by_program(table, n).items()))


def by_program(table, n):
    found = collections.defaultdict(list)
    for row in table:
        # the folder of a detour's main.cu is its name
        found[row["step"] or os.path.basename(os.path.dirname(row["file"]))].append(row)
    return {key: Counts(n, max(row["launch"] for row in rows), rows) for key, rows in found.items()}


def by_line(counts):
    """{line number: Counts of that line}"""
    return {line: counts._replace(rows=[row for row in counts.rows if row["line"] == line])
            for line in sorted({row["line"] for row in counts.rows})}


# ---- figures: functions of Counts; None where one has no meaning (all pure) ----

def total(column, *places, per=None, zero=0, times=1):
    """The sum of a column over the rows of these places: `global load`, or `global` for all that is
    done there. Per another column: the ratio of both sums. zero: what stands for a sum of none."""
    def added(counts, column):
        return sum(row[column] or 0 for row in counts.rows
                   if row["space"] in places or f"{row['space']} {row['op']}" in places)
    if per:
        return lambda counts: ratio(times * added(counts, column), added(counts, per))
    return lambda counts: added(counts, column) or zero


def blocks(counts):
    """Of the largest launch."""
    return max(math.prod(map(int, row["grid"].split("x"))) for row in counts.rows)


def read_figures():
    """{what: figure} of make/figures.csv, of which the course has a line for each step; the file says
    what its columns mean."""
    table = read_table(os.path.join(ROOT, "make/figures.csv"), columns(
        "figure column per times places course"))
    return {row["figure"]: total(row["column"], *row["places"].split("+"), per=row["per"] or None,
                                 times=int(row["times"] or 1)) if row["places"] else
            lambda counts: counts.launches for row in table if row["course"]}


# Of a whole reduction, in the order and the words of `make counters`.
FIGURES = read_figures()

# The cost of a source line: requests of warps, and the cost of one request.
LINE_FIGURES = {
    "global requests": total("requests", "global", zero=None),
    "sectors each": total("sectors", "global", per="requests"),
    "shared requests": total("requests", "shared", zero=None),
    "wavefronts each": total("wavefronts", "shared", per="requests"),
    "lanes each": total("lanes", "global", "shared", per="requests"),
    "barriers, shuffles": total("requests", "sync", zero=None),
    "branches": total("requests", "control branch", zero=None),
    # percent of the branches that all active lanes of a warp take alike: the source's, since nvcc
    # predicates short branches, and then the machine has none
    "branch efficiency, %": total("lanes", "control branch", per="requests", times=100),
}


def figures(counts, of=FIGURES):
    """{what: figure}, of a whole reduction; of LINE_FIGURES, those of a line."""
    return {what: figure(counts) for what, figure in of.items()}
