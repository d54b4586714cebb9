"""What differs between two programs: which line faces which, and which of its words have changed. The
comparison is that of `make diff-02-03`."""

import collections
import itertools
import subprocess

from plots.read.files import ROOT

# A row of the comparison. old and new are Lines, or None where the other side has nothing to face.
Row = collections.namedtuple("Row", "old new changed")
# number: from 1; marks: the indices of the characters that the facing line does not have.
Line = collections.namedtuple("Line", "number text marks", defaults=[frozenset()])
# Instead of rows that are the same on both sides.
Fold = collections.namedtuple("Fold", "rows changed", defaults=[None])


def compare_programs(old, new):
    """The rows of their code, with the numbers of their files' lines."""
    printed = subprocess.run(["make/diff.sh", "--rows", old.path, new.path], cwd=ROOT, check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    return [Row(line_of(old, row[0], row[3]), line_of(new, row[1], row[4]), row[2] == "1")
            for row in (line.split(",") for line in printed.splitlines())]


def line_of(program, number, marks):
    """marks: 0 or 1 for each byte of the line, as main.cu is ASCII."""
    return number and Line(int(number), (program.header + program.code)[int(number) - 1],
                           frozenset(i for i, mark in enumerate(marks) if mark == "1")) or None


def fold(rows, context=3):
    """The rows, but of a long stretch of same ones only those near a change."""
    near = {i + d for i, row in enumerate(rows) if row.changed
            for d in range(-context, context + 1)}
    result = []
    for kept, group in itertools.groupby(range(len(rows)), lambda i: i in near):
        group = [rows[i] for i in group]
        result += group if kept or len(group) == 1 else [Fold(group)]
    return result
