"""The pictures and the generated tables: what is in them is what was measured, no two labels
overlap, the same data give the same bytes, and bad data a line that says what is wrong where."""

import functools
import itertools
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from unittest import mock

import pytest

from harness import COUNTERS_HEADER, ROOT, STEPS, build, counted, golden, make, run

from plots import draw, picture_bandwidth, picture_explain, picture_in_flight, style, table
from tutorial import bench_data, counter_data, figures, programs

DATA = ROOT / "plots/data/h200.csv"
COUNTERS = ROOT / "plots/data/counters.csv"
SMALL = ROOT / "tests/data/bench_small.csv"
NAMES = sorted(draw.PICTURES)
ALL = sorted([*NAMES, *draw.BESIDE])
BENCH = bench_data.load(DATA)
MEASURED = bench_data.steps(BENCH, "int")


def drawn(folder, *options, data=DATA, counters=COUNTERS):
    """The exit status of what make plots runs."""
    return draw.main(["--data", str(data), "--counters", str(counters), "--out", str(folder),
                      *options])


def texts(svg):
    """What is written in a picture."""
    return ["".join(element.itertext()) for element in ElementTree.parse(svg).iter(
        "{http://www.w3.org/2000/svg}text")]


# ---- the pictures of the committed data ----

@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    assert drawn(folder) == 0
    return folder


@pytest.fixture
def clone(tree):
    """With what the pictures are made from, and none of the pictures."""
    shutil.copytree(ROOT / "plots", tree / "plots",
                    ignore=shutil.ignore_patterns("*.svg", "*.png", "__pycache__"))
    shutil.copytree(ROOT / "tutorial", tree / "tutorial")
    return tree


def test_committed_pictures(pictures):
    """Are of the committed data; as text, since bytes depend on matplotlib's version."""
    for name in ALL:
        assert (ROOT / f"plots/{name}.svg").exists(), f"{name}: make plots"
        assert texts(ROOT / f"plots/{name}.svg") == texts(pictures / f"{name}.svg"), "make plots"
        assert (ROOT / f"plots/{name}.png").exists()


@pytest.mark.slow
def test_make_plots(pictures, clone, tmp_path):
    """No compiler is needed; another process draws the same bytes."""
    (tmp_path / "bin").mkdir()
    for name in "bash", "dirname", "sh":
        os.symlink(shutil.which(name), tmp_path / "bin" / name)
    done = make("plots", f"PYTHON={sys.executable}", cwd=clone,
                env={"PATH": str(tmp_path / "bin"), "PYTHONHASHSEED": "7"})
    assert done.returncode == 0 and "left out" in (done.stderr or "left out"), done.stderr
    files = [f"{name}.{suffix}" for name in [*ALL, "in-flight-h100"] for suffix in ("svg", "png")]
    assert sorted(done.stdout.split()) == sorted(f"plots/{file}" for file in files)
    for file in files:
        assert (clone / "plots" / file).read_bytes() == (pictures / file).read_bytes(), file


def test_ladder_and_rivals_are_measured():
    """A new detour may be without figures yet: its row has "–" (test_notes.py, test_detours)."""
    missing = bench_data.unmeasured(BENCH)
    assert {*missing} < {*programs.load()} - {*STEPS, "cub", "single-pass"}, "make bench PUBLISH=1"


def test_folders():
    """One's own data never take the place of the committed pictures."""
    for variables, folder in (([], "plots"), (["DATA=my.csv"], "build/plots"),
                              (["TYPE=float"], "build/plots")):
        assert f"--out {folder}\n" in make("-n", "plots", *variables).stdout
    assert "--out build/plots " in make("-n", "plot-02-03").stdout
    for target in "lab", "table", "plot-02-03":
        assert "--data='my.csv'" in make("-n", target, "DATA=my.csv").stdout


def test_who_gains_no_time():
    """A time is better from a twentieth on, a figure from a quarter on; what fell to 0 has no factor."""
    assert picture_explain.title(["00", "01", "02"], [1.2, 1.1, 1.09]).endswith("gained by 02")
    gain = picture_explain.gain
    assert [gain(*each, picture_explain.TELLING) for each in (
        (5, 4, "÷"), (5, 4.1, "÷"), (4, 5, "×"), (5, 4, "×"), (3, 0, "÷"), (None, 1, "÷"))] == [
        1.25, None, 1.25, None, math.inf, None]


def test_numbers():
    """As a reader sees them, at the edges of each form."""
    assert [figures.power(n) for n in (0, 1, 2**24, 1234)] == ["0", "2^0", "2^24", "1,234"]
    assert [figures.digits(x) for x in (0, 0.03125, 23.45, 4584000)] == ["0", "0.0312", "23.4", "4584000"]
    assert [figures.milliseconds(x) for x in (543.9, 8.516, 0.022)] == ["544", "8.52", "0.0220"]
    assert [figures.times(x) for x in (588.3, 9.96, 9.94, 1)] == ["588×", "10×", "9.94×", "1.00×"]
    assert [figures.factor(x) for x in (None, 100, 10, 0.1, 0.0123)] == ["–", "100", "10.0", "0.10", "0.012"]
    assert [figures.count(x) for x in (None, 999999, 10**6, 2.0)] == ["–", "999999", "1.00M", "2.0"]


# ---- labels ----

def crowded():
    """A bench with eighteen detours more, one of them at some sizes only."""
    bench = bench_data.load(SMALL)
    runs = dict(bench.runs)
    for i in range(18):
        runs[f"a-detour-of-long-name-{i}", "int"] = {
            n: run._replace(ms=run.ms * (1 + i**3 / 50), gb_per_s=run.gb_per_s / 2)
            for n, run in bench.runs["cub", "int"].items() if i != 7 or n > 2**20}
    return bench._replace(runs=runs)


def drawn_texts(picture):
    """(text, its place), of what is really drawn: an axis also has ticks beyond its ends."""
    with mock.patch.object(style.pyplot().Text, "draw", autospec=True) as recorder:
        picture.draw_without_rendering()
    texts = [call.args[0] for call in recorder.call_args_list]
    return [(text.get_text(), text.get_window_extent()) for text in texts
            if text.get_visible() and text.get_text()]


def overlaps(picture, boxes=None):
    """Pairs of texts that touch each other, and texts that leave the picture. boxes: its texts, if
    they are known."""
    boxes = boxes or drawn_texts(picture)
    return [(a, b) for (a, one), (b, two) in itertools.combinations(boxes, 2)
            if min(one.x1, two.x1) - max(one.x0, two.x0) > 0.5
            and min(one.y1, two.y1) - max(one.y0, two.y0) > 0.5] + [
        text for text, box in boxes
        if box.x0 < 0 or box.y0 < 0 or box.x1 > picture.bbox.x1 or box.y1 > picture.bbox.y1]


def test_no_label_overlaps():
    """Also with many detours: they have a picture of their own and stay out of the others."""
    counters = counter_data.load(COUNTERS)
    many = draw.pictures(crowded(), "int", counters)
    for name, picture in many.items():
        words = [text for text, _ in drawn_texts(picture)]
        assert ("a-detour-of-long-name-3" in words) == (name == "detours"), name
        assert ("single-pass" in words) == (name in ("detours", "bandwidth", "share")), name
    two = picture_bandwidth.pair(crowded(), "int", "a-detour-of-long-name-7", "single-pass")
    for picture in [*draw.pictures(BENCH, "int", counters).values(), *many.values(), two]:
        assert overlaps(picture) == []
    two.text(0.03, 0.95, "another")
    two.text(0.99, 0.5, "outside")
    assert [found[-1] for found in overlaps(two)] == ["another", "e"]  # of "outside"
    style.pyplot().close("all")


# ---- what is drawn ----

def number(x):
    return f"{x:.4g}" if isinstance(x, (int, float)) else str(x)


def handed(picture):
    """What is handed to the drawing, in words: of each axis its scales, then lines, bars and texts
    where the data say; what lies beside the axes, or is placed by the size of letters, is not."""
    for axes in picture.axes:
        ends = " to ".join(map(number, axes.get_xlim())), " to ".join(map(number, axes.get_ylim()))
        yield (f"\naxes: {axes.get_title(loc='left')!r}, x {axes.get_xscale()} {ends[0]}, "
               f"y {axes.get_yscale()} {ends[1]}")
        for line in axes.lines:
            if line.get_transform() == axes.transData or len(line.get_xdata()) == 2:
                points = [*zip(line.get_xdata(), line.get_ydata())]
                shown = points[::20] if len(points) == 61 else points  # a curve
                yield "line: " + " ".join(f"{number(x)},{number(y)}" for x, y in shown)
        for bar in (bar for bar in axes.patches if bar.get_height() != 6.6):  # that are no shade
            x, y, width, height = map(number, (*bar.get_xy(), bar.get_width(), bar.get_height()))
            yield f"bar: {x} + {width}, {y} + {height} {bar.get_hatch() or ''}".rstrip()
        for text in axes.texts:
            place = getattr(text, "xycoords", "") == "data" and "{:.3g},{:.3g} ".format(*text.xy)
            yield f"text: {place or ''}{text.get_text()!r}"
        if axes.yaxis_inverted():
            yield "rows: " + " | ".join(label.get_text() for label in axes.get_yticklabels())
    for text in picture.texts:
        yield f"text: {text.get_text()}"


@pytest.mark.parametrize("name", [*NAMES, "pair", "in-flight"])
def test_golden_picture(name):
    """Of an old measurement of the steps, which stays as it is."""
    bench = bench_data.load(SMALL)
    bench.runs["cub-atomic", "int"] = bench.runs["cub", "int"]
    counters = counter_data.load(ROOT / "tests/data/counters_small.csv")
    picture = (picture_bandwidth.pair(bench, "int", "07", "cub") if name == "pair" else
               picture_in_flight.in_flight(bench, ROOT / "tests/data/in-flight-bench_small.csv")
               if name == "in-flight" else draw.PICTURES[name](bench, "int", counters))
    assert overlaps(picture) == []
    golden(f"picture-{name}.txt", "\n".join(handed(picture)) + "\n")
    style.pyplot().close(picture)


def test_pair(tmp_path, capsys):
    assert drawn(tmp_path, "--pair", "07-single-pass", data=SMALL) == 0
    svg, png = map(ROOT.joinpath, capsys.readouterr().out.split())
    assert sorted(tmp_path.iterdir()) == sorted([svg, png]) and svg.stem == "plot-07-single-pass"
    assert "Single-pass is 0.98 times as fast as step 07 at n = 2³⁰" in texts(svg)


@pytest.mark.parametrize("pair, why", [
    ("02-42", "no step or detour '42'; want two of 00 01 02 03"),
    ("02", "want two of 00 01 02 03"),
    ("02-03-04", "no step or detour '03-04'"),
    ("a-b-c", "'a-b-c' can be a and b-c, or a-b and c"),
    ("02-02", "tests/data/bench_small.csv: 02 and 02 cannot be compared: two programs"),
    ("07-grid-stride", "bench_small.csv: has no row of grid-stride (int): make bench measures it"),
])
def test_bad_pair(tmp_path, capsys, monkeypatch, pair, why):
    bench = bench_data.load(SMALL)
    detours = {(name, "int"): bench.runs["cub", "int"] for name in ("a", "a-b", "b-c", "c")}
    monkeypatch.setattr(bench_data, "load", lambda path: bench._replace(runs=bench.runs | detours))
    assert drawn(tmp_path, "--target", f"plot-{pair}", "--pair", pair, data=SMALL) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and list(tmp_path.iterdir()) == []
    assert err.startswith(f"make plot-{pair}: ") and why in err


# ---- bad data ----

def changed(line, old, new):
    """Changes a line, counted from 1."""
    def change(lines):
        assert old in lines[line - 1]
        lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return change


def only(count, end="\n"):
    def change(lines):
        del lines[count:]
        lines[-1] = lines[-1][:-1] + end
    return change


BAD_BENCH = [
    (changed(12, "0.008096", "abc"), ":12", "median_ms is 'abc'; a number >= 1e-06 would be right"),
    (changed(12, "0.008096", "nan"), ":12", "median_ms is 'nan'"),
    (changed(12, "0.008096", "-1"), ":12", "median_ms is '-1'"),
    (changed(12, "0.008096,", "0.009096,"), ":12", "median_ms 0.009096 lies outside min_ms"),
    (changed(58, ",3127.", ",2127."), ":58", "gb_per_s 2127"),
    (changed(58, ",3127.", ",3168."), ":58", "gb_per_s 3168"),  # by more than a percent
    (changed(12, ",131361,131361", ",131361,131362"), ":12",
     "verified is yes, but result is 131361, expected 131362"),
    (changed(12, ",131361,131361", ",nan,nan"), ":12", "result is 'nan'; a number would be right"),
    (changed(12, "int,256,", "int,0,"), ":12", "block is '0'; an integer >= 1"),
    (changed(12, "int,256,", "int,abc,"), ":12", "block is 'abc'; an integer >= 1"),
    (changed(12, ",1024,100,", ",1024,-3,"), ":12", "reps is '-3'; an integer >= 1"),
    (changed(58, "0.021456", "0.011456"), ":58", "median_ms 0.011456 is 121.7 % of the peak: a"),
    (changed(12, "1024", "1024.5"), ":12", "n is '1024.5'; an integer >= 0"),
    (changed(12, "NVIDIA H200", "NVIDIA A100"), ":12", "device is 'NVIDIA A100', not the 'NVI"),
    (changed(12, "cuda", "cpu"), ":12", "backend is 'cpu'; cuda would be right"),
    (changed(12, ",yes", ",no"), ":12", "verified is 'no'; yes would be right"),
    (changed(12, "cold", "hot"), ":12", "cache is 'hot'; cold would be right"),
    (changed(12, "int", "char"), ":12", "type is 'char'; int or float or double"),
    (changed(12, "01,", "1,"), ":12", "step is '1'; two digits"),
    (changed(12, ",1024,100,", ",0,100,"), ":12", "n is '0'; an integer >= 1"),
    (changed(12, "neighbored-pairs", ""), ":12", "name is ''; a step's or a detour's would be"),
    (changed(12, "01,neighbored-pairs", "00,naive"), ":12", "a second row of 00, int, n = 1024"),
    (changed(12, ",131361", ""), ":12", "16 fields, not the 17 of the header"),
    (changed(9, "median_ms,", ""), ":9", "columns missing: median_ms; the header would be step,"),
    (changed(2, "gpu", "device"), ":1", "no line '# gpu: …'"),
    (changed(7, "4814.3", "unknown"), ":7", "peak_gb_per_s is 'unknown'; a number >= 1"),
    (only(0 + 1, ""), ":1", "cut off"),
    (only(8), ":8", "columns missing: step, name"),
    (only(9), ":9", "ends without a row of empty-launch"),
    (only(10), "", "has no ladder of type int, step 00 and others; it has no measurements"),
    (only(40, ""), ":40", "ends without a newline"),
    (only(41, ",\n"), ":41", "18 fields"),
]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "BOM"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_as_editors_leave_it(tmp_path, mark, end):
    """With a mark in front, or another system's line ends, a file says the same."""
    for path, load in (SMALL, bench_data.load), (COUNTERS, counter_data.load):
        (tmp_path / "data.csv").write_bytes(mark + path.read_bytes().replace(b"\n", end))
        loaded, right = load(tmp_path / "data.csv"), load(path)
        assert loaded[1:-1] == right[1:-1] if load is bench_data.load else loaded == right


def test_names_that_cannot_be_seen(tmp_path, capsys, monkeypatch):
    """No file, or a name that would break the line: it is told in quotes."""
    monkeypatch.chdir(tmp_path)
    for name, shown in ("", "''"), ("a\nb", r"'a\nb'"), ("\udcff", r"'\udcff'"), ("-x", "-x"):
        assert drawn(tmp_path / "out", f"--data={name}", data="x") == 2
        assert capsys.readouterr().err == (
            f"make plots: {shown}: cannot be read: No such file or directory\n")


BAD_COUNTERS = [
    (changed(6, "32768", "many"), ":6", "requests is 'many'; an integer >= 0"),
    (changed(6, ",1048576,", ",,"), ":6", "lanes is ''"),
    (changed(6, "00,1,", "00,0,"), ":6", "launch is '0'; an integer >= 1"),
    (changed(6, ",1048576,", ",1024,"), f":{len(COUNTERS.read_text().splitlines())}",
     "step 00 loaded 1024 elements, not the 1048576"),
    (changed(1, "n", "size"), ":1", "no line '# n: …'"),
    (changed(4, "lanes", "threads"), ":4", "columns missing: lanes"),
    (only(5), ":5", "step 00 loaded 0 elements"),
    (only(80, ""), ":80", "ends without a newline"),
]


@pytest.mark.parametrize("option, change, line, why", [
    *(("data", *bad) for bad in BAD_BENCH), *(("counters", *bad) for bad in BAD_COUNTERS)])
def test_bad_data(tmp_path, capsys, option, change, line, why):
    lines = {"data": SMALL, "counters": COUNTERS}[option].read_text().splitlines(keepends=True)
    change(lines)
    (tmp_path / "bad.csv").write_text("".join(lines))
    assert drawn(tmp_path / "out", **{option: tmp_path / "bad.csv"}) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and not (tmp_path / "out").exists()
    assert err.startswith(f"make plots: {tmp_path}/bad.csv{line}") and why in err


@pytest.fixture
def no_png(monkeypatch):
    """Of pictures whose texts are of interest, half the time."""
    figure = style.pyplot().Figure
    savefig = figure.savefig

    def save(picture, to, format, **options):
        savefig(picture, to, format=format, **options) if format == "svg" else open(to, "w").close()
    monkeypatch.setattr(figure, "savefig", save)


def test_steps_that_were_not_counted(tmp_path, capsys, monkeypatch, no_png):
    monkeypatch.setattr(draw, "PICTURES", {name: draw.PICTURES[name] for name in ("explain", "speedup")})
    monkeypatch.setattr(draw, "BESIDE", {})
    lines = [line for line in COUNTERS.read_text().splitlines(keepends=True) if line[:2] != "05"]
    (tmp_path / "few.csv").write_text("".join(lines))
    assert drawn(tmp_path / "out", counters=tmp_path / "few.csv") == 0
    assert re.search("^make plots: left out of explain, since the counters lack 05(, .*)?: "
                     "make plots/data/counters.csv\n", capsys.readouterr().err, re.M)
    words = [texts(tmp_path / f"out/{name}.svg") for name in ("explain", "speedup")]
    assert [any(text.startswith("05") for text in some) for some in words] == [False, True]


def test_programs_that_were_not_measured(tmp_path, capsys, no_png):
    """They are left out, and one line names them and what measures them."""
    lines = [line for line in DATA.read_text().splitlines(keepends=True)
             if not line.startswith(("07,", ",single-pass,"))]
    (tmp_path / "few.csv").write_text("".join(lines))
    assert drawn(tmp_path / "out", data=tmp_path / "few.csv") == 0
    assert re.match(r"make plots: left out, since .*few.csv lacks 07, (.*, )?single-pass.*: make "
                    r"bench measures all, with PUBLISH=1 into plots/data\n",
                    capsys.readouterr().err)
    for name in NAMES:
        words = " ".join(texts(tmp_path / f"out/{name}.svg"))
        assert "06" in words and "07 warp" not in words and "single-pass" not in words


def test_looks():
    """However many steps there are, no two look the same; nor do two others."""
    looks = style.looks([*(f"{number:02}" for number in range(20)), bench_data.BEST_CUB, "single-pass", "a", "b"])
    assert len(set(map(str, looks.values()))) == 24


def test_files_and_types(tmp_path, capsys):
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "file").write_text("")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 2**28 + 1)
    os.mkfifo(tmp_path / "pipe")
    for folder, options, data, why in (
            ("out", [], tmp_path / "none.csv", "none.csv: cannot be read: No such file"),
            *(("out", [], tmp_path / name, f"{name}: cannot be read: want a regular file of at most "
               "256 MiB\n") for name in ("large", "pipe", "/dev/full")),
            ("out", [], tmp_path, "cannot be read: want a regular file"),
            ("out", [], tmp_path / "binary", "binary: is not a text file"),
            ("out", [], tmp_path / "file", "file:1: columns missing: step"),
            ("out", ["--type", "float"], SMALL, "has no ladder of type float"),
            ("file", ["--pair", "02-03"], SMALL, "cannot be written")):
        assert drawn(tmp_path / folder, *options, data=data) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and why in err
    assert {path.name for path in tmp_path.iterdir()} == {"binary", "file", "large", "pipe"}


# ---- the counters ----

def test_figures_of_counters():
    """Sums over all launches of one reduction; loads and stores count as shared accesses, atomics
    do not; of a program that has none of a thing there is no ratio."""
    rows = ["1,40,32,k.cu,5,global,load,10,320,80,,", "3,40,32,k.cu,5,global,store,2,2,2,,",
            "1,40,32,k.cu,6,shared,load,8,128,,24,16", "3,40,32,k.cu,7,shared,store,2,32,,3,1",
            "1,40,32,k.cu,7,shared,atomic,9,9,,9,0", "1,40,32,k.cu,8,sync,syncthreads,12,384,,,",
            "1,40,32,k.cu,8,sync,syncwarp,3,96,,,", "3,40,32,k.cu,9,sync,shuffle,5,160,,,",
            "1,40,32,k.cu,6,control,branch,8,6,,,"]
    text = "\n".join([COUNTERS_HEADER, *(f"42,{row}" for row in rows), ""])
    key, counts = counter_data.parse(text, "x", 64)
    assert key == "42" and [*counter_data.figures(counts).values()] == [
        3, 10, 8.0, 10, 27, 17, 16.0, 12, 3, 5, 75.0]
    of_line = counter_data.by_line(counts)
    assert [*counter_data.figures(of_line[7], counter_data.LINE_FIGURES).values()] == [
        None, None, 11, 12 / 11, 41 / 11, None, None, None]
    rows = [f",{launch},1,32,detours/x/main.cu,7,global,load,1,32,4,," for launch in (1, 3)]
    key, counts = counter_data.parse("\n".join([COUNTERS_HEADER, *rows, ""]), "", 64)
    assert (key, counts.launches) == ("x", 3)  # the second counts nothing


def test_committed_counters():
    """What the steps count today."""
    lines = COUNTERS.read_text().splitlines()
    assert lines[:4] == ["# n: 1048576", "# type: int", "# block: 256", COUNTERS_HEADER]
    for step in STEPS:
        committed = [line for line in lines[4:] if line.startswith(f"{step},")]
        assert committed, f"step {step} is not counted: make plots/data/counters.csv"
        today = counted(build() / f"step{step}").read_text().splitlines()[1:]
        assert committed == today, "make plots/data/counters.csv"


def test_count_script(tmp_path):
    """One header; a failure leaves nothing."""
    def program(name, text):
        (tmp_path / name).write_text("#!/bin/sh\n" + text)
        (tmp_path / name).chmod(0o755)
        return tmp_path / name
    good = [program(name, f"echo {COUNTERS_HEADER}; printf '%s,1\\n' {name} \"$*\"")
            for name in "ab"]
    out = tmp_path / "out.csv"
    assert run(ROOT / "make/count.sh", out, *good).returncode == 0
    options = "-n 2^20 --counters=csv,1"
    assert out.read_text().splitlines() == ["# n: 1048576", "# type: int", "# block: 256",
                                            COUNTERS_HEADER, "a,1", options, "b,1", options]
    out.unlink()
    done = run(ROOT / "make/count.sh", out, good[0], program("bad", "echo no memory >&2; exit 3"))
    assert (done.returncode, done.stderr) == (1, f"no memory\nmake {out}: bad failed\n")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "bad"}


# ---- the table ----

def test_committed_tables_are_fresh(capsys):
    assert (table.main(["--check"]), *capsys.readouterr()) == (0, "", ""), "make table"


LOADED = functools.cache(table.load)


@pytest.fixture
def loaded(monkeypatch):
    """The tables' data, read once for several tests."""
    monkeypatch.setattr(table, "load", LOADED)


def test_table(tmp_path, capsys, loaded):
    """--check tells and writes nothing; the table is rewritten once, and nothing around it."""
    file = tmp_path / "README.md"
    good = (ROOT / "README.md").read_text()
    assert good.count("<!-- generated: ladder -->") == 1
    file.write_text(good.replace("| [00 naive]", "| [00 native]"))
    stale = file.read_text()
    assert stale != good

    assert table.main(["--check", str(file)]) == 1
    assert capsys.readouterr() == ("", f"{file}: block 'ladder' is stale: make table\n")
    assert file.read_text() == stale
    assert table.main([str(file)]) == 0
    assert capsys.readouterr() == (f"{file}: block 'ladder' rewritten\n", "")
    assert file.read_text() == good
    assert table.main([str(file)]) == 0 and table.main(["--check", str(file)]) == 0
    assert capsys.readouterr() == (
        f"nothing to rewrite: {file} show the data as they are\n", "") and file.read_text() == good
    assert list(tmp_path.iterdir()) == [file]


OPEN, CLOSE = "<!-- generated: ladder -->\n", "<!-- /generated -->\n"


@pytest.mark.parametrize("text, line, why", [
    ("a\n" + OPEN + "b\n", 2, "a block stands between two lines, <!-- generated: NAME --> and "),
    ("a\n" + OPEN + OPEN + CLOSE, 2, "a block stands between two lines"),
    (OPEN + CLOSE + CLOSE, 3, "a block stands between two lines"),
    ("<!-- generated: none -->\n" + CLOSE, 1, "no block is called 'none'; there is measured, ladder"),
    ("<!-- generated: step 42 -->\n" + CLOSE, 1, "no block is called 'step 42'; there is "),
])
def test_bad_block(tmp_path, capsys, loaded, text, line, why):
    """Nothing is written, not even a good file in front of the bad one."""
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(OPEN + CLOSE)
    bad.write_text(text)
    assert table.main([str(good), str(bad)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith(f"make table: {bad}:{line}: ") and why in err
    assert (good.read_text(), bad.read_text()) == (OPEN + CLOSE, text)


def test_unmeasured(tmp_path, capsys):
    """Cells without a figure, and under the table the command that measures them."""
    rows = [line for line in SMALL.read_text().splitlines(keepends=True)
            if not re.match(r"07,.*,1073741824,", line)]
    (tmp_path / "some.csv").write_text("".join(rows))
    file = tmp_path / "README.md"
    file.write_text(OPEN + CLOSE + "<!-- generated: step 07 -->\n" + CLOSE)
    assert table.main(["--data", str(tmp_path / "some.csv"), str(file)]) == 0
    capsys.readouterr()
    ladder, step = file.read_text().split(CLOSE)[:2]
    cells = {line.split("]")[0]: line.split(" | ")[2:] for line in ladder.splitlines()}
    assert "–" not in "".join(cells["| [06 thread-coarsening"])
    assert cells["| [07 warp-shuffle"][2:] == ["–", "–", "–", "–", "– |"]
    assert "make bench PUBLISH=1" in ladder and "make bench PUBLISH=1" in step
    assert re.search(r"2\^30: ms\*\* \| 0\.\d+ \| – \|  \|$", step, re.M)


@pytest.fixture
def grown(tree):
    """The repository with a step and a detour more, which nobody has measured."""
    for folder in "detours", "plots", "tutorial":
        shutil.copytree(ROOT / folder, tree / folder,
                        ignore=shutil.ignore_patterns("*.svg", "*.png"))
    for name in "README.md", "NOTES.md":
        shutil.copy(ROOT / name, tree)
    for folder in "tests/data", *(f"simt/tests/{room}" for room in ("bugs", "cases", "twins")):
        shutil.copytree(ROOT / folder, tree / folder)
    for folder, title in (("steps/98-quick", "Step 98"), ("detours/a-quick-one", "Quick")):
        (tree / folder).mkdir()
        (tree / folder / "main.cu").write_text(
            f"/* {title}: faster than all. */\n" + STEPS["07"].read_text().split("*/\n", 1)[1])
    return tree


def test_grown(grown):
    """make table shows both without any list being touched; a second run finds nothing to do."""
    notes = grown / "NOTES.md"
    notes.write_text(notes.read_text() + f"<!-- generated: diff {list(STEPS)[-1]} 98 -->\n" + CLOSE +
                     "<!-- generated: step 98 -->\n" + CLOSE)
    done = run(sys.executable, "-m", "plots.table", cwd=grown, env={"PYTHONPATH": ""})
    assert (done.returncode, done.stderr) == (0, "")
    for file, row in (
            ("README.md", "| [98 quick](steps/98-quick/main.cu) | faster than all | – | – | – | –"),
            ("detours/README.md",
             "| [a-quick-one](a-quick-one/main.cu) | - | quick: faster than all | – | – |"),
            ("NOTES.md", " | – |  |\n"),
            ("NOTES.md", f"| step {list(STEPS)[-1]} | step 98 | change |")):
        assert row in (grown / file).read_text(), row
    again = run(sys.executable, "-m", "plots.table", "--check", cwd=grown, env={"PYTHONPATH": ""})
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


# ---- the Python that has the packages ----

def test_python_at_hand():
    done = run(ROOT / "make/python.sh", "plots", sys.executable, "matplotlib")
    assert (done.returncode, done.stdout) == (0, sys.executable + "\n")


def test_python_that_was_set_up(tree):
    """For modules that the one at hand lacks; anew when other versions are wanted."""
    venv = tree / "build/venv"
    (venv / "bin").mkdir(parents=True)
    (tree / "python").write_text(
        f'#!/bin/sh\n[ "$1" = -c ] && exec "{sys.executable}" "$@"\nexit 1\n')
    (tree / "python").chmod(0o755)
    (tree / "requirements.txt").write_text("")
    (venv / "ready").write_text("")
    os.utime(tree / "requirements.txt", ns=(0, venv.stat().st_mtime_ns - 10**9))

    def python_for(*modules):
        return run(tree / "make/python.sh", "plots", tree / "python", *modules)
    assert python_for("csv", "json").stdout == f"{tree}/python\n"
    done = python_for("csv", "no_such_module")
    assert (done.returncode, done.stdout, done.stderr) == (0, "build/venv/bin/python\n", "")
    os.utime(tree / "requirements.txt", ns=(0, (venv / "ready").stat().st_mtime_ns + 10**9))
    done = python_for("csv", "no_such_module")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("make plots: setting up build/venv (once)\n")


@pytest.mark.parametrize("call, why", [
    (["plot-02-99"], "make plot-02-99: no step or detour '99'; want two of 00 "),
    (["plots", "DATA=none.csv"], "make plots: none.csv: cannot be read: No such file")])
def test_bad_call_before_packages(clone, call, why):
    """What is wrong in the call is told by any Python."""
    (clone / "python").write_text(
        f'#!/bin/sh\ncase "$*" in *" matplotlib") exit 1; esac\nexec "{sys.executable}" "$@"\n')
    (clone / "python").chmod(0o755)
    done = make("-s", *call, f"PYTHON={clone}/python", cwd=clone)
    told, by_make = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "") and told.startswith(why)
    assert not (clone / "build").exists()


# A venv whose pip says something, and fails
PIP = 'mkdir -p "$3/bin"; echo "{}; exit 1" >"$3/bin/pip"; chmod +x "$3/bin/pip"'


@pytest.mark.parametrize("venv, why", [
    (None, "make plots: none not found: install Python 3, or say PYTHON=/path/to/it"),
    ("exit 1", "-m venv' failed: install Python's venv module"),
    (PIP.format("echo ERROR: none; echo ERROR: no wheel"),
     "which is for Python 3.9 to 3.14, for Python 3.99: no wheel (build/venv/pip.log"),
    (PIP.format("echo WARNING: Retrying after connection broken; echo ERROR: no wheel"),
     "for Python 3.99: no package index can be reached: is there a network? (build/venv/pip.log"),
])
def test_no_python(tree, venv, why):
    """A Python without the packages, and no way to get them: one line that says what to do."""
    shutil.copy(ROOT / "requirements.txt", tree)
    python = tree / "python" if venv else "none"
    if venv:
        python.write_text('#!/bin/sh\n[ "$1" != -V ] || { echo Python 3.99; exit; }\n'
                          f'[ "$1" = -m ] || exit 1\n{venv}\n')
        python.chmod(0o755)
    done = run(tree / "make/python.sh", "plots", python, "matplotlib")
    lines = done.stderr.splitlines()
    assert done.returncode == 2 and done.stdout == "" and why in lines[-1]
    assert lines[:-1] == ["make plots: setting up build/venv (once)"][:len(lines) - 1]


@pytest.mark.parametrize("at", ["venv", "pip"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_setting_up(tree, at, number):
    """Said as what it is; nothing is left behind, and nothing runs on."""
    shutil.copy(ROOT / "requirements.txt", tree)
    endless = f"echo $$ >{tree}/pid.new; mv {tree}/pid.new {tree}/pid; sleep 1000"
    pip = "exit" if at == "venv" else endless
    (tree / "python").write_text(f"""#!/bin/sh
[ "$1" = -m ] || exit 1
mkdir -p "$3/bin"
printf '#!/bin/sh\\n%s\\n' '{pip}' >"$3/bin/pip"
chmod +x "$3/bin/pip"
{endless if at == "venv" else ""}
""")
    (tree / "python").chmod(0o755)
    # its own process group, as a shell's: Ctrl-C is sent to all of it
    setting_up = subprocess.Popen([tree / "make/python.sh", "plots", tree / "python", "matplotlib"],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  start_new_session=True)
    while not (tree / "pid").exists():
        assert setting_up.poll() is None, setting_up.communicate()
        time.sleep(0.01)
    os.killpg(setting_up.pid, number)
    stdout, stderr = setting_up.communicate()
    assert (setting_up.returncode, stdout) == (130, "")
    assert stderr == ("make plots: setting up build/venv (once)\nmake plots: interrupted while "
                      "setting up build/venv; the next call begins anew\n")
    assert os.listdir(tree / "build") == []
    with pytest.raises(ProcessLookupError):
        os.kill(int((tree / "pid").read_text()), 0)
