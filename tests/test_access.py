"""The pictures of which thread touches which word: those that are committed are those of today's
code, and files that cannot be are told in one line. (test_plots.py: bad traces.)"""

import re
import shutil
import sys

import pytest

from harness import ROOT, STEPS, build, replay, run, said


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


def test_golden_bad_files(tmp_path):
    """Nothing to read, or nowhere to write: one line, and no picture."""
    shutil.copy(ROOT / "tests/data/trace_small.csv", tmp_path / "t.csv")
    header = (tmp_path / "t.csv").read_text().splitlines()[0]
    (tmp_path / "cut.csv").write_text(f"{header}\n1,1,32\n")
    (tmp_path / "file").write_text("")
    (tmp_path / "steps").symlink_to(ROOT / "steps")
    replay("access-bad-files.csv", lambda words: run(
        sys.executable, "-m", "plots.access", f"--out={tmp_path}", *words.split(), cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)}))
    assert {path.name for path in tmp_path.iterdir()} == {"cut.csv", "file", "steps", "t.csv"}
