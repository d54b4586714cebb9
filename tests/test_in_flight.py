"""Bandwidth against the bytes in flight: what bench/in-flight measures, the picture of it, and that
the steps' headers agree with it on their loads."""

import csv

import pytest

from conftest import ROOT, STEPS, build_programs, run
from test_plots import BENCH, DATA, SMALL, drawn, drawn_texts, overlaps

from plots import draw, picture_in_flight, style
from tutorial import programs, side_data

READ = ROOT / "plots/data/in-flight-h200.csv"
IN_FLIGHT = side_data.load_in_flight(READ)
READERS = {(row.loads, row.blocks): row for row in IN_FLIGHT.rows if row.name == "reader"}
READ_BY_STEPS = {row.name: row for row in IN_FLIGHT.rows if row.name != "reader"}
SHAPES = [(loads, blocks) for loads in (1, 2, 4, 8, 16, 32) for blocks in (1, 2, 4, 8)]


def rows_of(path):
    return list(csv.DictReader(line for line in path.read_text().splitlines() if line[0] != "#"))


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


# ---- the picture ----

def test_lines_of_bytes_in_flight():
    picture = picture_in_flight.in_flight(BENCH, READ)
    lines = [[tuple(map(float, point)) for point in line.get_xydata()] for line in picture.axes[0].lines]
    for loads in 1, 2, 4, 8, 16, 32:
        assert [pytest.approx((loads * int(row["blocks"]) * 256 * 132 * 4 / 1e6, float(row["gb_per_s"])))
                for row in rows_of(READ) if row["loads"] == str(loads)] in lines
    for step, row in READ_BY_STEPS.items():
        near = [[point] for (point,) in (line for line in lines if len(line) == 1)
                if abs(point[1] / row.gb_per_s - 1) < 0.05]
        assert near and near[0][0][0] == pytest.approx(row.loads * 8 * 256 * 132 * 4 / 1e6), step
    (_, low), (corner, top), (_, end) = next(line for line in lines if len(line) == 3)
    one = READERS[1, 1]
    assert top == end == IN_FLIGHT.peak and corner == pytest.approx(
        IN_FLIGHT.peak * one.megabytes / one.gb_per_s)
    boxes = drawn_texts(picture)
    assert overlaps(picture, boxes) == []
    words = " ".join(text for text, _ in boxes)
    assert all(f"step {step}" in words for step in ("01", "02", "03", "04", "05"))
    assert "steps 06, 07" in words
    shares = [100 * READERS[loads, 8].gb_per_s / IN_FLIGHT.peak for loads in (1, 2, 8)]
    assert "1 MB in flight draws {:.0f} % of the peak, 2 MB {:.0f} %, 9 MB {:.0f} %".format(*shares) in words
    style.pyplot().close(picture)


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
    assert files() == {"in-flight": str(READ)}
