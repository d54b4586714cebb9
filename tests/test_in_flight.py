"""Bandwidth against the bytes in flight: what bench/in-flight measures, and that the steps' headers
agree with it on their loads (test_plots.py: its picture)."""

import csv

from harness import ROOT, STEPS, assert_refused, build_programs, run, said

from plots import draw
from tutorial import side_data

READ = ROOT / "plots/data/in-flight-h200.csv"


def test_every_row():
    """Every row that there is to be, without times; sizes that fill no tile are summed right."""
    folder = build_programs("in-flight")
    shapes = [("reader", str(loads), str(blocks)) for loads in (1, 2, 4, 8, 16, 32)
              for blocks in (1, 2, 4, 8)]
    for n in 1, 100003:
        rows = [*csv.DictReader(said(run(folder / "in-flight", "-n", n)).splitlines()[1:])]
        assert [(row["name"], row["loads"], row["blocks"]) for row in rows] == shapes
        assert {(row["n"], row["median_ms"]) for row in rows} == {(str(n), "")}
    assert_refused(run(folder / "in-flight", "-n", 0), 2, "want 1 or more")


def test_headers_and_the_curve():
    """A step draws no more, to 2 %, than what is read with so many loads per thread."""
    rows = side_data.load_in_flight(READ).rows
    readers = {(row.loads, row.blocks): row.gb_per_s for row in rows if row.name == "reader"}
    steps = [row for row in rows if row.name != "reader"]
    assert [row.name for row in steps] == list(STEPS)[1:]
    assert all(row.gb_per_s <= 1.02 * readers[row.loads, row.blocks] for row in steps)


def test_of_ints_alone():
    """The file is of ints; it stands beside the bench's file."""
    data = str(READ.parent / "h200.csv")
    assert draw.beside(data, "float") == {}
    assert draw.beside(data, "int") == {"in-flight": str(READ),
                       "in-flight-h100": str(READ).replace("h200", "h100")}
