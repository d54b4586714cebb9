"""The pictures: the committed ones are what is drawn today, no two labels overlap, and bad data are
told in one line that says what is wrong where."""

import itertools
import math
import os
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from unittest import mock

import pytest

from harness import COUNTERS_HEADER, ROOT, STEPS, build, counted, make, run

from plots import draw, picture_bandwidth, picture_explain, picture_in_flight, style
from tutorial import bench_data, counter_data, figures

DATA = ROOT / "plots/data/h200.csv"
COUNTERS = ROOT / "plots/data/counters.csv"
SMALL = ROOT / "tests/data/bench_small.csv"


def drawn(folder, *options, data=DATA, counters=COUNTERS):
    """The exit status of what make plots runs."""
    return draw.main(["--data", str(data), "--counters", str(counters), "--out", str(folder),
                      *options])


def words(svg):
    """What is written in a picture."""
    return ["".join(element.itertext()) for element in ElementTree.parse(svg).iter(
        "{http://www.w3.org/2000/svg}text")]


# ---- the pictures of the committed data ----

@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    assert drawn(folder) == 0
    return folder


def test_committed(pictures):
    """They are the golden files of these tests: `make plots` renews them, a person looks. How an
    SVG names its parts and its fonts depends on matplotlib's version."""
    varies = re.compile(r' id="[^"]*"|<text style="[^"]*"|#h\w+')
    names = {f"{name}.{suffix}" for name in [*draw.PICTURES, "in-flight", "in-flight-h100"]
             for suffix in ("svg", "png")}
    assert {path.name for path in pictures.iterdir()} == names
    for name in names:
        assert (ROOT / "plots" / name).exists(), f"{name}: make plots"
        if name.endswith(".svg"):
            committed, fresh = (varies.sub("", (folder / name).read_text())
                                for folder in (ROOT / "plots", pictures))
            assert committed == fresh, f"{name}: make plots"


@pytest.fixture
def clone(tree):
    """With what the pictures are made from, and none of the pictures."""
    shutil.copytree(ROOT / "plots", tree / "plots",
                    ignore=shutil.ignore_patterns("*.svg", "*.png", "__pycache__"))
    return tree


@pytest.mark.slow
def test_make_plots(pictures, clone, tmp_path):
    """No compiler is needed; another process draws the same bytes."""
    (tmp_path / "bin").mkdir()
    for name in "bash", "dirname", "sh":
        os.symlink(shutil.which(name), tmp_path / "bin" / name)
    done = make("plots", f"PYTHON={sys.executable}", cwd=clone,
                env={"PATH": str(tmp_path / "bin"), "PYTHONHASHSEED": "7"})
    assert done.returncode == 0, done.stderr
    assert {*done.stdout.split()} == {f"plots/{path.name}" for path in pictures.iterdir()}
    for path in pictures.iterdir():
        assert (clone / "plots" / path.name).read_bytes() == path.read_bytes(), path


def test_folders():
    """One's own data never take the place of the committed pictures."""
    for variables, folder in (([], "plots"), (["DATA=my.csv"], "build/plots"),
                              (["TYPE=float"], "build/plots")):
        assert f"--out {folder}\n" in make("-n", "plots", *variables).stdout
    assert "--out build/plots " in make("-n", "plot-02-03").stdout
    for target in "lab", "table", "plot-02-03":
        assert "--data='my.csv'" in make("-n", target, "DATA=my.csv").stdout


def test_who_gains_no_time():
    """Times count from a twentieth on, figures from a quarter on; a fall to 0 has no factor."""
    assert picture_explain.title(["00", "01", "02"], [1.2, 1.1, 1.09]).endswith("gained by 02")
    gains = [picture_explain.gain(*each, picture_explain.TELLING) for each in (
        (5, 4, "÷"), (5, 4.1, "÷"), (4, 5, "×"), (5, 4, "×"), (3, 0, "÷"), (None, 1, "÷"))]
    assert gains == [1.25, None, 1.25, None, math.inf, None]


def test_numbers():
    """As a reader sees them, at the edges of each form."""
    for form, numbers, seen in (
            (figures.power, (0, 1, 2**24, 1234), "0 2^0 2^24 1,234"),
            (figures.digits, (0, 0.03125, 23.45, 4584000), "0 0.0312 23.4 4584000"),
            (figures.milliseconds, (543.9, 8.516, 0.022), "544 8.52 0.0220"),
            (figures.times, (588.3, 9.96, 9.94, 1), "588× 10× 9.94× 1.00×"),
            (figures.factor, (None, 100, 10, 0.1, 0.0123), "– 100 10.0 0.10 0.012"),
            (figures.count, (None, 999999, 10**6, 2.0), "– 999999 1.00M 2.0")):
        assert " ".join(map(form, numbers)) == seen


# ---- labels and looks ----

def crowded():
    """A bench with eighteen detours more, one of them at some sizes only."""
    bench = bench_data.load(SMALL)
    for i in range(18):
        bench.runs[f"a-detour-of-long-name-{i}", "int"] = {
            n: run._replace(ms=run.ms * (1 + i**3 / 50), gb_per_s=run.gb_per_s / 2)
            for n, run in bench.runs["cub", "int"].items() if i != 7 or n > 2**20}
    return bench


def texts(picture):
    """(text, its place), of what is really drawn: an axis also has ticks beyond its ends."""
    with mock.patch.object(style.pyplot().Text, "draw", autospec=True) as recorder:
        picture.draw_without_rendering()
    found = [call.args[0] for call in recorder.call_args_list]
    return [(text.get_text(), text.get_window_extent()) for text in found
            if text.get_visible() and text.get_text()]


@pytest.mark.parametrize("make_bench, new", [
    (lambda: bench_data.load(DATA), "single-pass"), (crowded, "a-detour-of-long-name-7")])
def test_no_label_overlaps(make_bench, new):
    """Also with many detours: they have a picture of their own and stay out of the others."""
    bench = make_bench()
    in_flight = ROOT / "tests/data/in-flight-bench_small.csv"
    drawn = draw.pictures(bench, "int", counter_data.load(COUNTERS)) | {
        "pair": picture_bandwidth.pair(bench, "int", "07", new),
        "in-flight": picture_in_flight.in_flight(bench, in_flight)}
    for name, picture in drawn.items():
        boxes, right, top = texts(picture), picture.bbox.x1, picture.bbox.y1
        for (a, one), (b, two) in itertools.combinations(boxes, 2):
            assert (min(one.x1, two.x1) - max(one.x0, two.x0) <= 0.5
                    or min(one.y1, two.y1) - max(one.y0, two.y0) <= 0.5), (name, a, b)
        for text, box in boxes:
            assert 0 <= box.x0 and 0 <= box.y0 and box.x1 <= right and box.y1 <= top, (name, text)
        shown = {text for text, _ in boxes}
        assert ("a-detour-of-long-name-3" in shown) <= (name == "detours")
        assert ("single-pass" in shown) <= (name in ("detours", "bandwidth", "share", "pair"))
    style.pyplot().close("all")


def test_looks():
    """However many steps there are, no two look the same; nor do two others."""
    looks = style.looks([*(f"{number:02}" for number in range(20)), *bench_data.PEERS, "a", "b"])
    assert len(set(map(str, looks.values()))) == 24


# ---- two programs ----

def test_pair(tmp_path, capsys):
    assert drawn(tmp_path, "--pair", "07-single-pass", data=SMALL) == 0
    svg, png = map(ROOT.joinpath, capsys.readouterr().out.split())
    assert sorted(tmp_path.iterdir()) == sorted([svg, png]) and svg.stem == "plot-07-single-pass"
    shown = words(svg)
    assert "Single-pass is 0.98 times as fast as step 07 at n = 2³⁰" in shown
    assert {"07 warp-shuffle", "single-pass over 07: times as fast", "0.98×"} <= {*shown}


@pytest.mark.parametrize("pair, why", [
    ("02-42", "no step or detour '42'; want two of 00 01 02 03"),
    ("02", "want two of 00 01 02 03"),
    ("02-03-04", "no step or detour '03-04'"),
    ("02-02", "tests/data/bench_small.csv: 02 and 02 cannot be compared: two programs"),
    ("07-grid-stride", "bench_small.csv: has no row of grid-stride (int): make bench measures it"),
])
def test_bad_pair(tmp_path, capsys, pair, why):
    assert drawn(tmp_path, "--target", f"plot-{pair}", "--pair", pair, data=SMALL) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and list(tmp_path.iterdir()) == []
    assert err.startswith(f"make plot-{pair}: ") and why in err


# ---- data that are bad, or lack something ----

# (line from 1, what stands there, what is there instead, the line that is told, what is told)
BAD_BENCH = [
    (12, "0.008096", "abc", ":12", "median_ms is 'abc'; a number would be right"),
    (12, "0.008096", "nan", ":12", "median_ms is 'nan'"),
    (12, "0.008096", "-1", ":12", "median_ms is no time"),
    (58, "0.021456", "0.011456", ":58", "median_ms 0.011456 is 121.7 % of the peak: a"),
    (12, "1024", "1024.5", ":12", "n is '1024.5'; an integer would be right"),
    (12, "NVIDIA H200", "NVIDIA A100", ":12", "device is 'NVIDIA A100', not the 'NVI"),
    (12, ",yes", ",no", ":12", "verified is 'no'; yes would be right"),
    (12, "cold", "hot", ":12", "cache is 'hot'; cold would be right"),
    (12, "int", "char", ":12", "type is 'char'; int or float or double"),
    (12, "01,neighbored-pairs", "00,naive", ":12", "a second row of 00, int, n = 1024"),
    (12, ",131361", "", ":12", "16 fields, not the 17 of the header"),
    (41, "\n", ",\n", ":41", "18 fields"),
    (9, "median_ms,", "", ":9", "columns missing: median_ms; the header would be step,"),
    (2, "gpu", "device", ":1", "no line '# gpu: …'"),
    (7, "4814.3", "unknown", ":7", "peak_gb_per_s is 'unknown'; a number would be right")]
# (lines that are left, what is told)
CUT_BENCH = [
    (8, ":8", "columns missing: step, name"), (9, ":9", "ends without a row of empty-launch"),
    (10, "", "has no ladder of type int: step 00 and others"),
    (40.5, ":41", "ends without a newline: the file is cut off")]
BAD_COUNTERS = [
    (6, "32768", "many", ":6", "requests is 'many'; an integer would be right"),
    (6, ",1048576,", ",1024,", f":{len(COUNTERS.read_text().splitlines())}",
     "step 00 loaded 1024 elements, not the 1048576")]


def assert_bad(tmp_path, capsys, lines, told, why, option="data"):
    (tmp_path / "bad.csv").write_text("".join(lines))
    assert drawn(tmp_path / "out", **{option: tmp_path / "bad.csv"}) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and not (tmp_path / "out").exists()
    assert err.startswith(f"make plots: {tmp_path}/bad.csv{told}") and why in err


@pytest.mark.parametrize("option, line, old, new, told, why", [
    *(("data", *bad) for bad in BAD_BENCH), *(("counters", *bad) for bad in BAD_COUNTERS)])
def test_bad_data(tmp_path, capsys, option, line, old, new, told, why):
    lines = {"data": SMALL, "counters": COUNTERS}[option].read_text().splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    assert_bad(tmp_path, capsys, lines, told, why, option)


@pytest.mark.parametrize("count, told, why", CUT_BENCH)
def test_cut_data(tmp_path, capsys, count, told, why):
    lines = SMALL.read_text().splitlines(keepends=True)
    half = lines[int(count)][:20] if count % 1 else ""
    assert_bad(tmp_path, capsys, [*lines[:int(count)], half], told, why)


@pytest.mark.parametrize("mark, end", [(b"\xef\xbb\xbf", b"\n"), (b"", b"\r\n")])
def test_as_editors_leave_it(tmp_path, mark, end):
    """With a mark in front, or another system's line ends, a file says the same."""
    (tmp_path / "data.csv").write_bytes(mark + COUNTERS.read_bytes().replace(b"\n", end))
    assert counter_data.load(tmp_path / "data.csv") == counter_data.load(COUNTERS)


def test_files_and_types(tmp_path, capsys, monkeypatch):
    """A name that is nothing, or would break the line, is told in quotes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "file").write_text("")
    missing = "cannot be read: No such file"
    for data, why, *options in (
            ("none.csv", f"none.csv: {missing}"), ("", f"'': {missing}"), ("-x", f"-x: {missing}"),
            ("a\nb", rf"'a\nb': {missing}"), ("\udcff", rf"'\udcff': {missing}"),
            (tmp_path, "cannot be read: Is a directory"),
            ("binary", "binary: is not a text file"), ("file", "file:1: columns missing: step"),
            (SMALL, "has no ladder of type float", "--type=float"),
            (SMALL, "cannot be written", "--pair=02-03", "--out=file")):
        assert drawn("out", f"--data={data}", *options, data="x") == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and why in err
    assert {path.name for path in tmp_path.iterdir()} == {"binary", "file"}


def test_lacking_data(tmp_path, capsys, monkeypatch):
    """What was not counted, or not measured, is left out, and a line says what would do it."""
    names = "explain", "share"
    monkeypatch.setattr(draw, "PICTURES", {name: draw.PICTURES[name] for name in names})
    for file, path, lacks in (("data", DATA, ("07,", ",single-pass,")),
                              ("counters", COUNTERS, "05,")):
        lines = path.read_text().splitlines(keepends=True)
        (tmp_path / file).write_text("".join(line for line in lines if not line.startswith(lacks)))
    assert drawn(tmp_path / "out", data=tmp_path / "data", counters=tmp_path / "counters") == 0
    told = capsys.readouterr().err
    for line in (r"left out, since .*data lacks 07, (.*, )?single-pass.*: make bench measures all, "
                 "with PUBLISH=1 into plots/data",
                 "left out of explain, since the counters lack 05(, .*)?: "
                 "make plots/data/counters.csv",
                 "no in-flight, since .*/in-flight-data is not there: make bench-in-flight"):
        assert re.search(f"^make plots: {line}$", told, re.MULTILINE), told
    explain, share = (" ".join(words(tmp_path / f"out/{name}.svg")) for name in names)
    assert "06 thread" in share and "07 warp" not in share and "single-pass" not in share
    assert "05 unroll" in share and "06" in explain and "05" not in explain and "07" not in explain


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
    # of a detour, its second launch counts nothing
    rows = [f",{launch},1,32,detours/x/main.cu,7,global,load,1,32,4,," for launch in (1, 3)]
    key, counts = counter_data.parse("\n".join([COUNTERS_HEADER, *rows, ""]), "", 64)
    assert (key, counts.launches) == ("x", 3)


def test_committed_counters():
    """What the steps count today."""
    lines = COUNTERS.read_text().splitlines()
    assert lines[:4] == ["# n: 1048576", "# type: int", "# block: 256", COUNTERS_HEADER]
    for step in STEPS:
        today = counted(build() / f"step{step}").read_text().splitlines()[1:]
        committed = [line for line in lines[4:] if line.startswith(f"{step},")]
        assert committed == today, "make plots/data/counters.csv"


def test_count_script(tmp_path):
    """One header; a failure leaves nothing."""
    for name, text in (("a", f"echo {COUNTERS_HEADER}; echo a,$*"), ("bad", "echo oh >&2; exit 3"),
                       ("b", f"echo {COUNTERS_HEADER}; echo b,$*")):
        (tmp_path / name).write_text("#!/bin/sh\n" + text)
        (tmp_path / name).chmod(0o755)
    out, options = tmp_path / "out.csv", "-n 2^20 --counters=csv"
    assert run(sys.executable, "-m", "make.tables", "count", out, tmp_path / "a", tmp_path / "b").returncode == 0
    assert out.read_text().splitlines() == ["# n: 1048576", "# type: int", "# block: 256",
                                            COUNTERS_HEADER, f"a,{options}", f"b,{options}"]
    out.unlink()
    done = run(sys.executable, "-m", "make.tables", "count", out, tmp_path / "a", tmp_path / "bad")
    assert (done.returncode, done.stderr) == (3, f"oh\nmake {out}: bad failed\n")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "bad"}
