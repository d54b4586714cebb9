"""Planted bugs: each program of tests/bugs is told at its marked lines, as what it is and as
nothing else; its corrected twin (-DFIXED), and what only looks like a bug, is left in peace.

A program says what must be told (`// expect: CATEGORY`, or `nothing`) and where (`// BUG`)."""

import collections
import functools
import os
import pathlib
import re

import pytest

from conftest import ROOT, compile_together, once, run

RACES = {"race in shared memory", "race in global memory"}
# All of these have two ends, and a report that names one of them only does not help.
TWO_ENDS = RACES | {"divergent barrier", "deadlock"}
ON_THE_HOST = {"device pointer on the host", "error nobody looked at"}
CATEGORIES = TWO_ENDS | ON_THE_HOST | {
    "out of bounds in shared memory", "out of bounds in global memory",
    "uninitialised shared memory", "host pointer in a kernel", "warp operation with a wrong mask",
    "stack overflow", "dependent launch does not wait",
}
FILES = sorted((pathlib.Path(__file__).parent / "bugs").glob("*.cu"))
# With lanes and blocks in a shuffled order, too: the verdict is the same.
WAYS = [{}, {"SIMT_ORDER": "7"}]
OTHER_WAYS = [{"SIMT_ORDER": "8"}]
# Of the wrong programs, some whose result is right when one thread runs after the other.
HARMLESS = {"barrier_loop", "error_no_blocks", "oob_global_one_byte", "race_global_ticket_fence",
            "race_shared_overlap", "uninit_flag"}


def expected(file):
    return re.search(r"^// expect: (.*)$", file.read_text(), re.MULTILINE)[1]


def marked(file):
    return {number for number, line in enumerate(file.read_text().splitlines(), 1)
            if re.search(r"// BUG$", line)}


PLANTED = [file for file in FILES if expected(file) != "nothing"]
CLEAN = [file for file in FILES if expected(file) == "nothing"]


def files(some):
    return pytest.mark.parametrize("file", some, ids=lambda file: file.stem)


def programs(*options):
    """What compiles the program of a planted bug, or of its twin, fixed."""
    def kind(file):
        # what lies behind a shared array may be one of another kernel of the program
        return file.stem if "oob_shared" in file.stem else file.stem.partition("_")[0]

    def of_kind(name):
        some = [file for file in FILES if kind(file) == name]
        twins = [(f"fixed_{file.stem}", file, "FIXED") for file in some if file in PLANTED]
        together = [*((file.stem, file, "") for file in some), *twins]
        return once(f"bugs-{name}{''.join(options)}", lambda folder: compile_together(
            together, folder / "together.cu", *options))

    return lambda file, prefix="": of_kind(kind(file)) / (prefix + file.stem)


@pytest.fixture(scope="session")
def program():
    return programs()


@pytest.fixture(scope="session")
def strict_program():
    return programs("--strict")


Finding = collections.namedtuple("Finding", "category lines text")


def finding(file, text):
    """A block of stderr, taken apart. Where a kernel was launched counts only when nothing else is
    named: then the launch itself is the bug."""
    first = text.splitlines()[0]
    categories = [category for category in CATEGORIES if category in first]
    assert len(categories) == 1, text
    text = re.sub(r"^  It lies .* freed memory: .*\n", "", text, flags=re.MULTILINE)
    places = re.findall(rf"(\blaunch[^\n]*? )?(?:\S*/)?\b{file.stem}\.cu:(\d+)", text)
    lines = {int(line) for launch, line in places if not launch}
    others = re.search(r"^  The same at lines? (.*?)(?: \(\d+ more places?\))?$", text, re.MULTILINE)
    lines |= {int(line) for line in re.findall(r"\d+", others[1])} if others else set()
    lines = lines or {int(line) for _, line in places}
    assert lines, text
    return Finding(categories[0], lines, text)


def findings(file, stderr):
    before, *blocks = re.split(r"^simt: ", stderr, flags=re.MULTILINE)
    assert not before.strip() and blocks, stderr
    return [finding(file, block) for block in blocks]


def assert_told(file, done):
    assert done.returncode == 4, done.stdout + done.stderr
    category, marks = expected(file), marked(file)
    found = findings(file, done.stderr)
    assert {each.category for each in found} == {category}, done.stderr
    for each in found:
        assert each.lines <= marks, each.text
        if category not in ON_THE_HOST:
            assert re.search(r"\bthread", each.text) and re.search(r"\bblock", each.text)
    if category in TWO_ENDS and len(marks) <= 2:
        assert set().union(*(each.lines for each in found)) == marks, done.stderr


def assert_left_in_peace(program, ways=WAYS):
    for way in ways:
        done = run(program, env=way)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


@files(PLANTED)
def test_told(program, file):
    """And its twin is not."""
    for way in WAYS:
        assert_told(file, run(program(file), env=way))
    assert_left_in_peace(program(file, "fixed_"))
    if file.stem in HARMLESS:
        done = run(program(file), env={"SIMT_CHECKS": "off"})
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


def test_each_end_has_its_own_size(program):
    done = run(program(ROOT / "tests/bugs/race_shared_int4.cu"))
    assert " writes 16 bytes\n" in done.stderr and " reads 4 bytes\n" in done.stderr


@files(CLEAN)
def test_clean(program, file):
    assert_left_in_peace(program(file))


@pytest.mark.slow
@files(FILES)
def test_other_ways(program, file):
    if file in PLANTED:
        for way in OTHER_WAYS:
            assert_told(file, run(program(file), env=way))
    assert_left_in_peace(program(file, "fixed_" if file in PLANTED else ""), OTHER_WAYS)


@pytest.mark.slow  # a second compilation of each
@files(FILES)
def test_strict(strict_program, file):
    """Without optimisation the same is told, and no more."""
    if file in PLANTED:
        assert_told(file, run(strict_program(file)))
    fixed = strict_program(file, "fixed_" if file in PLANTED else "")
    done = run(fixed)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
