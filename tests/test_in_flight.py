"""Bandwidth against the bytes in flight: what bench/in-flight measures, that the steps' headers
agree with it on their loads, and when there is a picture of it (test_plots.py: what it shows)."""

import csv

from harness import ROOT, STEPS, build_programs, run
from test_plots import DATA, SMALL, drawn

from plots import draw
from tutorial import programs, side_data

READ = ROOT / "plots/data/in-flight-h200.csv"
IN_FLIGHT = side_data.load_in_flight(READ)
READERS = {(row.loads, row.blocks): row for row in IN_FLIGHT.rows if row.name == "reader"}
READ_BY_STEPS = {row.name: row for row in IN_FLIGHT.rows if row.name != "reader"}
SHAPES = [(loads, blocks) for loads in (1, 2, 4, 8, 16, 32) for blocks in (1, 2, 4, 8)]


# ---- what is measured ----

def test_every_row():
    """Every row that there is to be, without times; sizes that fill no tile are summed right."""
    folder = build_programs("in-flight")
    for n in 1, 100003:
        done = run(folder / "in-flight", "-n", n)
        assert (done.returncode, done.stderr) == (0, "")
        rows = list(csv.DictReader(done.stdout.splitlines()[1:]))
        assert [(int(row["loads"]), int(row["blocks"])) for row in rows[:len(SHAPES)]] == SHAPES
        assert [row["name"] for row in rows[len(SHAPES):]] == [
            step for step in STEPS if step != "00" and programs.get(step).loads_in_flight]
        assert {(row["n"], row["median_ms"]) for row in rows} == {(str(n), "")}
    done = run(folder / "in-flight", "-n", 0)
    assert done.returncode == 2 and "want 1 or more" in done.stderr


# ---- the steps' headers ----

def may_have(loads, row):
    """Is what a step draws no more than what is read with so many loads per thread? To 2 %."""
    return row.gb_per_s <= 1.02 * READERS[loads, row.blocks].gb_per_s


def test_headers_and_the_curve():
    assert list(READ_BY_STEPS) == list(STEPS)[1:]
    for step, row in READ_BY_STEPS.items():
        assert row.loads == programs.get(step).loads_in_flight
        assert may_have(row.loads, row), f"step {step} draws more than {row.loads} loads can"
    assert not any(may_have(loads, READ_BY_STEPS[step]) for step in ("06", "07") for loads in (1, 2, 4))


# ---- make plots ----

def test_without_its_file(tmp_path, capsys, monkeypatch):
    """It is left out, and a line says what would make it."""
    monkeypatch.setattr(draw, "PICTURES", {"speedup": draw.PICTURES["speedup"]})
    (tmp_path / "mine.csv").write_text(SMALL.read_text())
    assert drawn(tmp_path / "out", data=tmp_path / "mine.csv") == 0
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "make bench-in-flight" in line] == [
        f"make plots: no in-flight, since {tmp_path}/in-flight-mine.csv is not there: make bench-in-flight"]
    assert not (tmp_path / "out/in-flight.svg").exists()


def test_of_ints_alone():
    """The file is of ints; it stands beside the bench's file."""
    def files(*words):
        return draw.beside(draw.arguments(["--data", str(DATA), "--out", "x", *words]))
    assert files("--type", "float") == {}
    assert files() == {"in-flight": str(READ),
                       "in-flight-h100": str(READ).replace("h200", "h100")}
