"""Steps with marks (bench/timeline) are the steps but for the marks, and sum and mark as they should;
so does the reader of bench/in-flight."""

import csv
import re

import pytest

from conftest import ROOT, STEPS, build_programs, run
from tutorial import programs

MARKED = {path.parent.name[:2]: path for path in sorted(ROOT.glob("bench/timeline/*/main.cu"))}
READERS = [(loads, blocks) for loads in (1, 2, 4, 8, 16, 32) for blocks in (1, 2, 4, 8)]
# what a warp has of each; the loads of step 03 are one, and no other mark stands behind its use
WITHOUT = {"03": {"last_load", "last_use"}, "05": set(), "06": set(), "07": set()}


def code(text):
    """Behind the header comment and the includes, up to main, without the marks."""
    text = text[text.index("*/\n") + 3:text.index("int main(")]
    return re.sub(r"^#include .*\n|^ *MARK\w*(\(.*\))?;?\n", "", text, flags=re.MULTILINE).strip()


@pytest.mark.parametrize("step", MARKED)
def test_nothing_but_marks(step):
    assert MARKED[step].parent.name == STEPS[step].parent.name
    marked, plain = MARKED[step].read_text(), STEPS[step].read_text()
    assert "MARK" not in code(marked) and code(marked) == code(plain)
    assert marked.count("MARKS_BEGIN;") == marked.count("MARKS_END;") == 1
    assert marked.count("MARK(arrive);\n") == plain.count("__syncthreads();\n")


@pytest.mark.parametrize("step", MARKED)
def test_marks_in_order(step):
    """Of the first launch alone: 8 blocks of 8 warps, all of which come to as many barriers."""
    elements = programs.get(step).loads_in_flight * 256
    folder = build_programs(f"timeline{step}")
    done = run(folder / f"timeline{step}", "-n", 8 * elements, "--csv")
    assert (done.returncode, done.stderr) == (0, "")
    _, row, *lines = done.stdout.splitlines()
    assert row.startswith(f"{step},") and row.endswith(",yes")
    rows = list(csv.DictReader(lines))
    assert [(row["block"], row["warp"]) for row in rows] == [
        (str(block), str(warp)) for block in range(8) for warp in range(8)]
    assert {row["step"] for row in rows} == {step}
    assert len({row["multiprocessor"] for row in rows}) == 1
    barriers = {len(row["barriers"].split()) for row in rows}
    assert barriers == {{"03": 9, "05": 3, "06": 3, "07": 1}[step]}
    for row in rows:
        *marks, stops, end = [row[name] for name in (
            "first_load", "last_load", "first_use", "last_use", "barriers", "end")]
        assert {name for name, value in row.items() if not value} == WITHOUT[step]
        cycles = [int(mark) for mark in [*marks, *re.split("[- ]", stops), end] if mark]
        assert cycles == sorted(cycles)
    assert min(int(row["first_load"]) for row in rows) == 0


def test_no_marks():
    """Of nothing, and of a wrong call: the exit status is lab_main's."""
    done = run(build_programs("timeline03") / "timeline03", "-n", "0", "--csv")
    assert done.returncode == 0 and done.stdout.splitlines()[2:] == [
        "step,multiprocessor,block,warp,first_load,last_load,first_use,last_use,barriers,end"]
    done = run(build_programs("timeline03") / "timeline03", "-n", "x")
    assert done.returncode == 2 and "first_load" not in done.stdout


def test_bytes_in_flight():
    """Every row that there is to be, without times; sizes that fill no tile are summed right."""
    folder = build_programs("in-flight")
    for n in 1, 100003:
        done = run(folder / "in-flight", "-n", n)
        assert (done.returncode, done.stderr) == (0, "")
        rows = list(csv.DictReader(done.stdout.splitlines()[1:]))
        assert [(int(row["loads"]), int(row["blocks"])) for row in rows[:len(READERS)]] == READERS
        assert [row["name"] for row in rows[len(READERS):]] == [
            step for step in STEPS if step != "00" and programs.get(step).loads_in_flight]
        assert {(row["n"], row["median_ms"]) for row in rows} == {(str(n), "")}
    done = run(folder / "in-flight", "-n", 0)
    assert done.returncode == 2 and "want 1 or more" in done.stderr
