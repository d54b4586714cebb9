"""The pictures of which thread touches which word: those that are committed are those of today's
code, other kernels are marked as the trace says, and a bad trace is told in one line."""

import csv
import re
import sys
import textwrap
import xml.etree.ElementTree as xml

import pytest

from harness import ROOT, STEPS, build, golden, replay, run, said

from plots.read import trace_data
from plots.read.files import BadData


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder of fresh pictures, made as `make access` makes them."""
    folder = tmp_path_factory.mktemp("access")
    traces = [tmp_path_factory.mktemp("traces") / f"{step}.csv" for step in STEPS]
    for step, trace in zip(STEPS, traces):
        said(run(build(block=256 if step == "02" else 64) / f"step{step}", "-n", 2**13,
                 "--trace", trace, "--csv"))
    said(run(sys.executable, "-m", "plots.access", f"--out={folder}", *traces, cwd=ROOT))
    return folder


def test_committed(drawn):
    """They are the golden files of these tests: `make access` renews them, a person looks."""
    names = sorted([*(f"access-{path.parent.name}.svg" for path in STEPS.values()),
                    "access-02-blank.svg", "access-03-blank.svg"])
    assert sorted(path.name for path in drawn.iterdir()) == names
    for name in names:
        committed = ROOT / "plots" / name
        same = committed.exists() and committed.read_bytes() == (drawn / name).read_bytes()
        assert same, f"{name}: make access"


def test_stands_alone(drawn):
    """As a file and inside a page: no identifiers, style sheets, scripts or links. It fits a slide
    at 1280 x 720 as it is, and there its letters are large enough. A picture that
    students mark gives nothing away."""
    for path in drawn.iterdir():
        text = path.read_text()
        assert {*re.findall(r"<(\w+)", text)} == {"svg", "title", "desc", "rect", "path", "text"}
        assert not re.search(r"\b(id|href|style)=|url\(", text) and len(text) < 100_000
        assert "scratch" not in text and ("sums[" if path.stem[7:9] != "00" else "out[") in text
        width, height = re.search(r'viewBox="0 0 (\d+) (\d+)', text).groups()
        assert width == "1200" and int(height) <= 606
        assert min(map(float, re.findall('font-size="(.*?)"', text))) >= 16
        assert not path.stem.endswith("blank") or not re.search("conflict|\\d wavefront|#9C0A3C", text)


SVG = "{http://www.w3.org/2000/svg}"


# ---- other kernels ----

def write_trace(path, requests):
    """requests: (line, space, op, {lane: (array, array_bytes, offset, bytes)}, cost), of warp 0 as
    if it ran step 00;
    for a shuffle {lane: source}."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(trace_data.COLUMNS)
        for index, (line, space, op, lanes, cost) in enumerate(requests):
            for lane, what in lanes.items():
                access = what if isinstance(what, tuple) else [""] * 4
                writer.writerow([1, 1, 32, 0, 0, index, STEPS["00"], line, index % 2, space, op,
                                 lane, *access, cost if space == "global" else "",
                                 cost if space == "shared" else "",
                                 what if op == "shuffle" else "", ""])
    return path


def lanes(array, bytes, apart):
    return {lane: (array, bytes, apart * lane, 4) for lane in range(32)}


KERNEL = [
    (3, "global", "load", lanes("in", 4096, 16), 16),
    # A conflict is marked on words of its own round, not on those just stored without one.
    (7, "shared", "store", lanes("s", 512, 4) | {31: ("s", 512, 252, 4)}, 1),
    (8, "shared", "load", lanes("s", 512, 8), 2),
    # Of two of one round the dearer one is told.
    (9, "global", "load", lanes("b", 128, 4), 4), (9, "global", "load", lanes("c", 4096, 16), 16),
    (10, "sync", "shuffle", {lane: lane + 16 if lane < 16 else lane for lane in range(32)}, ""),
    (11, "global", "store", {0: ("out", 4, 0, 4)}, 1)]


def test_golden_kernel(tmp_path):
    """A picture of accesses that no step makes: the number of shapes of each look, and the words.
    (Their places are held by the pictures of the steps.)"""
    trace = write_trace(tmp_path / "t.csv", KERNEL)
    said(run(sys.executable, "-m", "plots.access", f"--out={tmp_path}", trace))
    shapes, words = {}, []
    for element in xml.parse(tmp_path / "access-00-naive.svg").iter():
        if element.tag == SVG + "path":
            look = " ".join(filter(None, (element.get(name) for name in (
                "fill", "stroke", "stroke-opacity", "stroke-dasharray"))))
            shapes.setdefault(look, []).append(str(element.get("d").count("M")))
        elif element.tag == SVG + "text":
            words.append(element.text)
    told = [f"{look}: {' '.join(counts)}" for look, counts in sorted(shapes.items())]
    golden("access-kernel.txt", "\n".join([*told, *textwrap.wrap("; ".join(words), 98), ""]))


# ---- bad input ----

def test_golden_bad_traces(tmp_path):
    """A trace of two lanes, one of its fields spoiled."""
    def load(typed):
        number, column, value = re.match(r"line (\d), (\w+): (.*)", typed).groups()
        lanes = {lane: ("in", 4096, 4 * lane, 4) for lane in range(1 if column == "launch" else 2)}
        trace = write_trace(tmp_path / "t.csv", [(1, "global", "load", lanes, 1)])
        # a column of the line is told, which must not depend on where this folder is
        text = trace.read_text().replace(str(STEPS["00"]), "main.cu")
        rows = [line.split(",") for line in text.splitlines()]
        rows[int(number) - 1][list(trace_data.COLUMNS).index(column)] = value
        trace.write_text("".join(",".join(row) + "\n" for row in rows))
        with pytest.raises(BadData) as error:
            trace_data.load(trace)
        return f"{error.value}\n"

    replay("access-bad-traces.csv", load, folder=tmp_path)


def test_golden_bad_files(tmp_path):
    """Nothing to read, or nowhere to write: one line, and no picture."""
    write_trace(tmp_path / "t.csv", [(1, "shared", "load", {0: ("s", 4, 0, 4)}, 1)])
    (tmp_path / "cut.csv").write_text(",".join(trace_data.COLUMNS) + "\n1,1,32\n")
    (tmp_path / "file").write_text("")
    replay("access-bad-files.csv", lambda words: run(
        sys.executable, "-m", "plots.access", f"--out={tmp_path}", *words.split(), cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)}))
    assert {path.name for path in tmp_path.iterdir()} == {"cut.csv", "file", "t.csv"}
