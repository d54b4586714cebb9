"""Sums of floats in different orders: loads the CSV that bench/float-order.sh writes."""

import collections

from tutorial.csv_input import BadData, number, read_table

COLUMNS = "name block n result expected".split()
PROGRAMS = ["atomic-finish", "deterministic-float"]
Run = collections.namedtuple("Run", "block n result expected")  # sums as the programs print them


def load(path):
    """{name: [Run]} of both programs, in the file's order."""
    found = {name: [] for name in PROGRAMS}
    for row in read_table(path, COLUMNS).rows:
        if row.values["name"] not in found:
            raise BadData(path, row.line, f"name is '{row.values['name']}'; "
                                          f"{' or '.join(PROGRAMS)} would be right")
        for column in ("result", "expected"):
            number(path, row, column)
        found[row.values["name"]].append(Run(
            *(number(path, row, column, int, 1) for column in ("block", "n")),
            row.values["result"], row.values["expected"]))
    for name, runs in found.items():
        if not runs:
            raise BadData(path, None, f"has no run of {name}")
    return found
