"""Planted bugs: each case of simt/tests/bugs is told at its marked lines, as what it is and as nothing
else; its corrected twin (-DFIXED), and what only looks like a bug, is left in peace. (FINDINGS.md has
a bug of each kind: test_explain.py.)

A case says what must be told, CASE(name, "title of the findings") or "nothing", and where: its lines
end in `// BUG: name`."""

import collections
import re

import pytest

from backend import ROOT, once, run, simtcc

RACES = {"race in shared memory", "race in global memory"}
# All of these have two ends, and a report that names one of them only does not help.
TWO_ENDS = RACES | {"divergent barrier", "deadlock"}
# With lanes and blocks in a shuffled order, too: the verdict is the same.
WAYS = [{}, {"SIMT_ORDER": "7"}]
# Of the bugs, some whose result is right when one thread runs after the other.
HARMLESS = {("barrier", "loop"), ("race_global", "ticket_fence"), ("race_shared", "overlap")}

Case = collections.namedtuple("Case", "file name told lines")


def cases(file):
    text = file.read_text()
    marks = [(number, re.split(", ", mark[1])) for number, line in enumerate(text.splitlines(), 1)
             if (mark := re.search(r"// BUG: ([\w, ]+)$", line))]
    found = [Case(file, name, told, {number for number, names in marks if name in names})
             for name, told in re.findall(r'\bCASE\((\w+), "([^"]+)"\)', text)]
    assert {name for _, names in marks for name in names} == {
        case.name for case in found if case.told != "nothing"}, file
    return found


CASES = [case for file in sorted((ROOT / "simt/tests/bugs").glob("*.cu")) for case in cases(file)]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file.stem}-{case.name}")


def program(file, *options):
    return once("-".join(["bugs", file.stem, *options]), lambda folder: simtcc(
        file.read_text(), folder / file.name, f"-I{ROOT / 'simt/tests/twins'}", *options)) / file.stem


Finding = collections.namedtuple("Finding", "title lines text")


def finding(file, text):
    """A block of stderr, taken apart."""
    lines = {int(line) for line in re.findall(rf"^  \S*{file.stem}\.cu:(\d+)", text, re.MULTILINE)}
    others = re.search(r"^  The same at lines? (.*?)(?: \(\d+ more places?\))?$", text, re.MULTILINE)
    lines |= {int(line) for line in re.findall(r"\d+", others[1])} if others else set()
    assert lines, text
    return Finding(re.match("[^,\n]*", text)[0], lines, text)


def findings(file, stderr):
    before, *blocks = re.split(r"^simt: ", stderr, flags=re.MULTILINE)
    assert not before.strip() and blocks, stderr
    return [finding(file, block) for block in blocks]


def assert_told(case, done):
    assert done.returncode == 4, done.stdout + done.stderr
    found = findings(case.file, done.stderr)
    assert {each.title for each in found} == {case.told}, done.stderr
    for each in found:
        assert each.lines <= case.lines, each.text
        assert re.search(r"\bthread", each.text) and re.search(r"\bblock", each.text)
    if case.told in TWO_ENDS and len(case.lines) <= 2:
        assert set().union(*(each.lines for each in found)) == case.lines, done.stderr


def check(case, *options, ways):
    """What is planted is told; its twin is not, nor what is clean."""
    for way in ways:
        if case.told != "nothing":
            assert_told(case, run(program(case.file, *options), case.name, env=way))
        done = run(program(case.file, "-DFIXED", *options), case.name, env=way)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


@each_case
def test_told(case):
    check(case, ways=WAYS)
    if (case.file.stem, case.name) in HARMLESS:
        done = run(program(case.file), case.name, env={"SIMT_CHECKS": "off"})
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


def test_each_end_has_its_own_size():
    done = run(program(ROOT / "simt/tests/bugs/race_shared.cu"), "int4")
    assert " writes 16 bytes\n" in done.stderr and " reads 4 bytes\n" in done.stderr


@pytest.mark.slow
@each_case
def test_another_order(case):
    check(case, ways=[{"SIMT_ORDER": "8"}])


@pytest.mark.slow  # a second compilation of each
@each_case
def test_strict(case):
    """Without optimisation the same is told, and no more."""
    check(case, "--strict", ways=[{}])
