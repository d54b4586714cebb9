"""Bandwidth against the bytes in flight: what bench/in-flight measures, and that the steps' headers
agree with it on their loads (test_plots.py: its picture)."""

import csv

from harness import ROOT, STEPS, build_programs, run

from plots import draw
from tutorial import programs, side_data

READ = ROOT / "plots/data/in-flight-h200.csv"


def test_every_row():
    """Every row that there is to be, without times; sizes that fill no tile are summed right."""
    folder = build_programs("in-flight")
    shapes = [("reader", str(loads), str(blocks)) for loads in (1, 2, 4, 8, 16, 32)
              for blocks in (1, 2, 4, 8)]
    for n in 1, 100003:
        done = run(folder / "in-flight", "-n", n)
        assert (done.returncode, done.stderr) == (0, "")
        rows = list(csv.DictReader(done.stdout.splitlines()[1:]))
        assert [(row["name"], row["loads"], row["blocks"]) for row in rows] == shapes
        assert {(row["n"], row["median_ms"]) for row in rows} == {(str(n), "")}
    done = run(folder / "in-flight", "-n", 0)
    assert done.returncode == 2 and "want 1 or more" in done.stderr


def test_headers_and_the_curve():
    """A step draws no more, to 2 %, than what is read with so many loads per thread; the last two
    more than with four."""
    rows = side_data.load_in_flight(READ).rows
    readers = {(row.loads, row.blocks): row.gb_per_s for row in rows if row.name == "reader"}
    steps = {row.name: row for row in rows if row.name != "reader"}
    assert list(steps) == list(STEPS)[1:]
    for step, row in steps.items():
        assert row.loads == programs.get(step).loads_in_flight
        assert row.gb_per_s <= 1.02 * readers[row.loads, row.blocks], f"step {step} draws too much"
        if step in ("06", "07"):
            assert row.gb_per_s > 1.02 * max(readers[loads, row.blocks] for loads in (1, 2, 4))


def test_of_ints_alone():
    """The file is of ints; it stands beside the bench's file."""
    def files(*words):
        data = str(READ.parent / "h200.csv")
        return draw.beside(draw.arguments(["--data", data, "--out", "x", *words]))
    assert files("--type", "float") == {}
    assert files() == {"in-flight": str(READ),
                       "in-flight-h100": str(READ).replace("h200", "h100")}
