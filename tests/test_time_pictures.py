"""The pictures of a warp's time and of bandwidth against bytes in flight, and their data: what is
drawn is what was measured, and what the steps' headers say of their loads agrees with it."""

import csv
from statistics import median

import pytest

from conftest import ROOT, STEPS
from test_plots import BENCH, DATA, SMALL, drawn, drawn_texts, overlaps

from plots import draw, picture_in_flight, picture_timeline, style
from tutorial import bench_data, programs, side_data, timeline_data
from tutorial.files import BadData

WARPS = ROOT / "plots/data/timeline-h200.csv"
READ = ROOT / "plots/data/in-flight-h200.csv"
TIMELINE = timeline_data.load(WARPS)
IN_FLIGHT = side_data.load_in_flight(READ)
READERS = {(row.loads, row.blocks): row for row in IN_FLIGHT.rows if row.name == "reader"}
READ_BY_STEPS = {row.name: row for row in IN_FLIGHT.rows if row.name != "reader"}


def rows_of(path):
    return list(csv.DictReader(line for line in path.read_text().splitlines() if line[0] != "#"))


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


def test_headers_and_the_clock():
    """A thread's loads are on their way together: the last is sent before a trip is over."""
    first = READERS[1, 1]
    trip = 1e3 * first.megabytes / first.gb_per_s * TIMELINE.mhz
    for step, warps in TIMELINE.warps.items():
        several = programs.get(step).loads_in_flight > 1
        assert all((warp.last_load is not None) == several for warp in warps)
        assert not several or median(warp.last_load - warp.first_load for warp in warps) < trip


# ---- a warp's time ----

def test_every_row_is_loaded():
    found = {(step, warp.multiprocessor, warp.block, warp.warp): warp
             for step, warps in TIMELINE.warps.items() for warp in warps}
    rows = rows_of(WARPS)
    assert len(found) == len(rows)
    for row in rows:
        warp = found[row["step"], int(row["multiprocessor"]), int(row["block"]), int(row["warp"])]
        assert str(warp.first_load) == row["first_load"] and str(warp.end) == row["end"]
        assert [str(arrive) for arrive, _ in warp.barriers] == [
            pair.split("-")[0] for pair in row["barriers"].split()]
    for warps in TIMELINE.warps.values():
        for blocks in timeline_data.blocks_of(warps).values():
            for block in blocks:
                for barrier in zip(*(warp.barriers for warp in block)):
                    assert {opens for _, opens in barrier} == {max(arrive for arrive, _ in barrier)}


def test_places():
    """In each place one block after the other, and all blocks of the multiprocessor."""
    for warps in TIMELINE.warps.values():
        places = picture_timeline.places(warps)
        blocks = next(iter(timeline_data.blocks_of(warps).values()))
        assert sorted(block[0].block for place in places for block in place) == sorted(
            block[0].block for block in blocks) and len(places) == 8
        for place in places:
            for before, after in zip(place, place[1:]):
                assert timeline_data.end(before) <= timeline_data.begin(after)


def test_bars_of_the_timeline():
    """The first block that is shown, in each step: every stretch of time at its place, in its
    colour; all steps to one scale."""
    picture = picture_timeline.timeline(BENCH, WARPS)
    assert len(picture.axes) == len(TIMELINE.warps) == 4
    assert {axes.get_xlim() for axes in picture.axes} == {(0, picture_timeline.CYCLES)}
    for axes, warps in zip(picture.axes, TIMELINE.warps.values()):
        block = picture_timeline.places(warps)[0][1]
        bars = {(round(bar.get_y() + bar.get_height() / 2, 3), bar.get_x(), bar.get_width(),
                 style.pyplot().matplotlib.colors.to_hex(bar.get_facecolor())) for bar in axes.patches}
        zero = timeline_data.begin(block)
        for warp in block:
            sent = warp.last_load or warp.first_load
            for color, start, stop in (
                    ("#f0e442", warp.first_load, sent), ("#00497a", sent, warp.first_use),
                    ("#56b4e9", warp.first_use, warp.loaded), ("#d55e00", warp.loaded, warp.end),
                    *(("#1a1a1a", *barrier) for barrier in warp.barriers)):
                assert start == stop or (warp.warp, start - zero, stop - start, color) in bars
    boxes = drawn_texts(picture)
    assert overlaps(picture, boxes) == []
    words = [text for text, _ in boxes]
    costs = [marked / without - 1 for without, marked in TIMELINE.ms.values()]
    assert [text for text in words if "the marks cost" in text] == [
        f"the marks cost {100 * cost:.0f} %" for cost in costs]
    without = [text.split()[4] for text in words if text.startswith("without marks")]
    assert [int(cycles) for cycles in without] == [
        round(bench_data.turnaround(BENCH, step, 2**30) * TIMELINE.mhz, -1)
        for step in TIMELINE.warps]
    style.pyplot().close(picture)


def test_title_of_the_timeline():
    """With the time of marks and without it."""
    def waits(step):
        return median(warp.loaded - warp.first_load for warp in TIMELINE.warps[step])
    def lives(step):
        return median(warp.end - warp.first_load for warp in TIMELINE.warps[step])
    unmarked = bench_data.turnaround(BENCH, "03", 2**30) * TIMELINE.mhz
    assert picture_timeline.TITLE.startswith("Step 03 is mostly in its tree, step 07 waits")
    assert waits("03") < min(lives("03"), unmarked) / 2 and waits("07") > lives("07") / 2


@pytest.mark.parametrize("old, new, why", [
    (",1199-1396 ", ",1199 ", "barriers is '1199 1686-1688"),
    ("03,32,27,0,34,,1197", "03,32,27,0,34,,5197", "its marks do not follow one another"),
    ("03,32,27,0,34", "03,32,77777,0,34", "has 1 warps, not 8"),
    ("# step 06 with marks, ms: ", "# step 06: ", "no line '# step 06 with marks, ms: …'"),
])
def test_bad_timeline(tmp_path, old, new, why):
    text = WARPS.read_text()
    assert text.count(old) == 1
    (tmp_path / "timeline.csv").write_text(text.replace(old, new))
    with pytest.raises(BadData) as told:
        timeline_data.load(tmp_path / "timeline.csv")
    assert why in str(told.value)


# ---- bytes in flight ----

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

def test_without_their_files(tmp_path, capsys, monkeypatch):
    """They are left out, and a line each says what would make them."""
    monkeypatch.setattr(draw, "PICTURES", {"speedup": draw.PICTURES["speedup"]})
    (tmp_path / "mine.csv").write_text(SMALL.read_text())
    assert drawn(tmp_path / "out", data=tmp_path / "mine.csv") == 0
    told = capsys.readouterr().err.splitlines()
    for name in "in-flight", "timeline":
        assert [line for line in told if f"make bench-{name}" in line] == [
            f"make plots: no {name}, since {tmp_path}/{name}-mine.csv is not there: make bench-{name}"]
        assert not (tmp_path / f"out/{name}.svg").exists()


def test_of_ints_alone():
    """The side files are of ints; they stand beside the bench's file."""
    def files(*words):
        return draw.beside(draw.arguments(["--data", str(DATA), "--out", "x", *words]))
    assert files("--type", "float") == {}
    assert files() == {"in-flight": str(READ), "timeline": str(WARPS)}
