"""The pictures: the committed ones are what is drawn today, no two labels overlap, and bad data are
told in one line that says what is wrong where."""

import contextlib
import io
import itertools
import math
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from unittest import mock

import pytest

from harness import (COUNTERS_HEADER, ROOT, copy_rooms, make, replay, run, said, script, tools,
                     transcript)

from plots import draw, picture_bandwidth, picture_explain, picture_in_flight, style
from tutorial import bench_data, counter_data, figures

DATA = ROOT / "plots/data/h200.csv"
COUNTERS = ROOT / "plots/data/counters.csv"
SMALL = ROOT / "tests/data/bench_small.csv"


def drawn(folder, *options, data=DATA, counters=COUNTERS):
    """The exit status of what make plots runs."""
    return draw.main(["--data", str(data), "--counters", str(counters), "--out", str(folder),
                      *options])


def told(*arguments, **files):
    """How such a call ended, as a golden file has it."""
    with contextlib.redirect_stdout(io.StringIO()) as out, \
            contextlib.redirect_stderr(io.StringIO()) as err:
        status = drawn(*arguments, **files)
    return f"{out.getvalue()}{err.getvalue()}[{status}]\n"


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
def clone(tmp_path):
    """With what the pictures are made from, and none of the pictures."""
    clone = copy_rooms(tmp_path / "clone", "make", "plots", "simt", "tutorial", "steps", "detours")
    for picture in clone.glob("plots/*.svg"):
        picture.unlink()
    return clone


@pytest.mark.slow
def test_make_plots(pictures, clone, tmp_path):
    """No compiler is needed; another process draws the same bytes."""
    env = tools(tmp_path / "bin", "bash", "dirname", "sh") | {"PYTHONHASHSEED": "7"}
    text = said(make("plots", f"PYTHON={sys.executable}", cwd=clone, env=env))
    assert {*text.split()} == {f"plots/{path.name}" for path in pictures.iterdir()}
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


@pytest.mark.parametrize("call, why", [
    ("plot-02-99", "make plot-02-99: no step or detour '99'; want two of 00 "),
    ("plots DATA=none.csv", "make plots: none.csv: cannot be read: No such file")])
def test_bad_call_before_packages(clone, call, why):
    """What is wrong in the call is told by any Python."""
    script(clone / "python",
           f'case "$*" in *" matplotlib") exit 1; esac\nexec "{sys.executable}" "$@"')
    done = make("-s", *call.split(), f"PYTHON={clone}/python", cwd=clone)
    told, by_make = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "") and told.startswith(why)
    assert not (clone / "build").exists()


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


def test_golden_bad_pairs(tmp_path, monkeypatch):
    bench = bench_data.load(SMALL)
    detours = {(name, "int"): bench.runs["cub", "int"] for name in ("a", "a-b", "b-c", "c")}
    monkeypatch.setattr(bench_data, "load", lambda path: bench._replace(runs=bench.runs | detours))
    replay("plots-pairs.txt", lambda pair: told(
        tmp_path / "out", "--target", f"plot-{pair}", "--pair", pair, data=SMALL), root=ROOT)
    assert not (tmp_path / "out").exists()


# ---- data that are bad, or lack something ----

BAD = {  # of a file and a line from 1, what stands there, and what is there instead
    SMALL: {
        12: [("0.008096", "abc"), ("0.008096", "nan"), ("0.008096", "-1"),
             ("0.008096,", "0.009096,"), (",131361,131361", ",131361,131362"),
             (",131361,131361", ",nan,nan"), ("int,256,", "int,0,"), ("1024", "1024.5"),
             (",1024,100,", ",0,100,"), ("NVIDIA H200", "NVIDIA A100"), ("cuda", "cpu"),
             (",yes", ",no"), ("cold", "hot"), ("int", "char"), ("01,", "1,"),
             ("01,neighbored-pairs", "00,naive"), (",131361", "")],
        # by more than a percent; and rows that are cut off
        58: [("0.021456", "0.011456"), (",3127.", ",3168.")], 41: [("\n", ",\n"), (".*", None)],
        9: [("median_ms,", ""), (".*", None)], 10: [(".*", None)], 11: [(".*", None)],
        2: [("gpu", "device")], 7: [("4814.3", "unknown")]},
    COUNTERS: {6: [("32768", "many"), (",1048576,", ",,"), (",1048576,", ",1024,")]}}


def test_golden_bad_data(tmp_path):
    """One line says what is wrong where, and nothing is drawn."""
    calls, bad = [], tmp_path / "bad.csv"
    for file, changes in BAD.items():
        for line, (old, new) in ((line, change) for line in changes for change in changes[line]):
            lines = file.read_text().splitlines(keepends=True)
            if new is None:  # in the middle of line 41, else behind the line before
                bad.write_text("".join([*lines[:line - 1], lines[line - 1][:20] * (line == 41)]))
            else:
                assert old in lines[line - 1]
                lines[line - 1] = lines[line - 1].replace(old, new, 1)
                bad.write_text("".join(lines))
            option = {"data" if file == SMALL else "counters": bad}
            calls.append((f"{file.name}:{line}, {old} as {new}", told(tmp_path / "out", **option)))
    # the rows of all steps are counted at the end of the file
    transcript("plots-bad-data.txt", [(what, re.sub(r"csv:\d{3,}", "csv:END", text))
                                      for what, text in calls], folder=tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("mark, end", [(b"\xef\xbb\xbf", b"\n"), (b"", b"\r\n")])
def test_as_editors_leave_it(tmp_path, mark, end):
    """With a mark in front, or another system's line ends, a file says the same."""
    (tmp_path / "data.csv").write_bytes(mark + COUNTERS.read_bytes().replace(b"\n", end))
    assert counter_data.load(tmp_path / "data.csv") == counter_data.load(COUNTERS)


def test_golden_files(tmp_path, monkeypatch):
    """A name that is nothing, or would break the line, is told in quotes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "file").write_text("")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 2**28 + 1)
    os.mkfifo(tmp_path / "pipe")
    calls = [(repr(data), told("out", f"--data={data}", *options, data="x")) for data, *options in (
        ("none.csv",), ("",), ("-x",), ("a\nb",), ("\udcff",), ("large",), ("pipe",), ("/dev/full",),
        (".",), ("binary",), ("file",), (str(SMALL), "--type=float"),
        (str(SMALL), "--pair=02-03", "--out=file"))]
    transcript("plots-files.txt", calls, root=ROOT)
    assert {path.name for path in tmp_path.iterdir()} == {"binary", "file", "large", "pipe"}


def test_golden_lacking_data(tmp_path, monkeypatch):
    """What was not counted, or not measured, is left out, and a line says what would do it."""
    names = "explain", "share"
    monkeypatch.setattr(draw, "PICTURES", {name: draw.PICTURES[name] for name in names})
    for file, path, lacks in ("data", SMALL, ("07,", ",single-pass,")), ("counters", COUNTERS, "05,"):
        lines = path.read_text().splitlines(keepends=True)
        (tmp_path / file).write_text("".join(line for line in lines if not line.startswith(lacks)))
    out = re.sub(r"lacks .*?:|lack .*?:", "lack SOME:", told(
        tmp_path / "out", data=tmp_path / "data", counters=tmp_path / "counters"))
    transcript("plots-lacking.txt", [("make plots", out), *(
        (name, "\n".join([*words(tmp_path / f"out/{name}.svg"), ""])) for name in names)],
        folder=tmp_path)


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


def test_count_script(tmp_path):
    """One header; a failure leaves nothing."""
    for name, text in (("a", f"echo {COUNTERS_HEADER}; echo a,$*"), ("bad", "echo oh >&2; exit 3"),
                       ("b", f"echo {COUNTERS_HEADER}; echo b,$*")):
        script(tmp_path / name, text)
    out, options = tmp_path / "out.csv", "-n 2^20 --counters=csv"
    assert run(ROOT / "make/count.sh", out, tmp_path / "a", tmp_path / "b").returncode == 0
    assert out.read_text().splitlines() == ["# n: 1048576", "# type: int", "# block: 256",
                                            COUNTERS_HEADER, f"a,{options}", f"b,{options}"]
    out.unlink()
    done = run(ROOT / "make/count.sh", out, tmp_path / "a", tmp_path / "bad")
    assert (done.returncode, done.stderr) == (1, f"oh\nmake {out}: bad failed\n")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "bad"}
