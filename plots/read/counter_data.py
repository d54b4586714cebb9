"""What the CPU backend counted: reads plots/data/counters.csv, which has the --counters=csv of every
program, and boils it down to figures. Sums are over all launches of one reduction.

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

# n: elements that were reduced. launches: how many that took. rows: {column: value}.
Counts = collections.namedtuple("Counts", "n launches rows")


# ---- reading ----

def load(path):
    """{key: Counts}, of all programs."""
    table, found = read_table(path, COLUMNS), collections.defaultdict(list)
    n = table.comment("n", "int")
    for row in table:
        # the folder of a detour's main.cu is its name
        found[row["step"] or os.path.basename(os.path.dirname(row["file"]))].append(row)
    return {key: Counts(n, max(row["launch"] for row in rows), rows) for key, rows in found.items()}


# ---- figures: functions of Counts; None where one has no meaning (all pure) ----

def figure_of(row):
    """Of a row of make/figures.csv, which says what its columns mean."""
    places = {*row["places"].split("+")}

    def added(counts, column):
        return sum(each[column] or 0 for each in counts.rows
                   if places & {each["space"], f"{each['space']} {each['op']}"})
    if not row["places"]:
        return lambda counts: counts.launches
    if row["per"]:
        return lambda counts: ratio(added(counts, row["column"]), added(counts, row["per"]))
    return lambda counts: added(counts, row["column"])


# Of a whole reduction, in the order and the words of `make counters`: those of which the course has a line
# for each step
FIGURES = {row["figure"]: figure_of(row) for row in read_table(os.path.join(ROOT, "make/figures.csv"), columns(
    "figure column per places course")) if row["course"]}


def figures(counts):
    """{what: figure}, of a whole reduction."""
    return {what: figure(counts) for what, figure in FIGURES.items()}


def blocks(counts):
    """Of the largest launch."""
    return max(math.prod(map(int, row["grid"].split("x"))) for row in counts.rows)
