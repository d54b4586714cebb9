"""Planted bugs: each program of tests/bugs is told at its marked lines, as what it is and as
nothing else; its corrected twin (-DFIXED), and what only looks like a bug, is left in peace.

A program says what must be told (`// expect: CATEGORY`, or `nothing`) and where (`// BUG`)."""

import collections
import functools
import pathlib
import re

import pytest

from conftest import ROOT, run, simtcc

RACES = {"race in shared memory", "race in global memory"}
# All of these have two ends, and a report that names one of them only does not help.
TWO_ENDS = RACES | {"divergent barrier", "deadlock"}
ON_THE_HOST = {"device pointer on the host", "error nobody looked at"}
CATEGORIES = TWO_ENDS | ON_THE_HOST | {
    "out of bounds in shared memory", "out of bounds in global memory",
    "uninitialised shared memory", "host pointer in a kernel", "warp operation", "stack overflow",
}
FILES = sorted((pathlib.Path(__file__).parent / "bugs").glob("*.cu"))
# One OS thread, two, and lanes and blocks in a shuffled order: the verdict is the same.
WAYS = [{"SIMT_THREADS": "1"}, {"SIMT_THREADS": "2"}, {"SIMT_THREADS": "2", "SIMT_ORDER": "7"}]
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


def build(file, tmp_path):
    return simtcc(file.read_text(), tmp_path / file.name)


def build_both(file, tmp_path):
    """A bug and its twin, which an argument chooses, as one program: what costs is to compile."""
    text = file.read_text()
    headers = "\n".join(re.findall(r"^#include <.*", text, re.MULTILINE))
    own = "\n".join(f"#undef {name}" for name in re.findall(r"^#define (\w+)", text, re.MULTILINE))
    return simtcc(f"""{headers}
#define main its_main
namespace planted {{
#include "{file}"
}}
{own}
#define FIXED
namespace fixed {{
#include "{file}"
}}
#undef main
int main(int argc, char **) {{ return argc > 1 ? fixed::its_main() : planted::its_main(); }}
""", tmp_path / "both.cu")


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
    others = re.search(r"^  The same at lines? (.*)$", text, re.MULTILINE)
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


def assert_left_in_peace(*program):
    for way in WAYS:
        done = run(*program, env=way, timeout=20)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


@files(PLANTED)
def test_told(tmp_path, file):
    """And its twin is not."""
    program = build_both(file, tmp_path)
    for way in WAYS:
        assert_told(file, run(program, env=way, timeout=20))
    assert_left_in_peace(program, "fixed")
    if file.stem in HARMLESS:
        done = run(program, env={"SIMT_CHECKS": "off", "SIMT_THREADS": "1"}, timeout=20)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


def test_each_end_has_its_own_size(tmp_path):
    done = run(build(ROOT / "tests/bugs/race_shared_int4.cu", tmp_path))
    assert "      written, 16 bytes, by " in done.stderr and "      read, 4 bytes, by " in done.stderr


@files(CLEAN)
def test_clean(tmp_path, file):
    assert_left_in_peace(build(file, tmp_path))


@files(FILES)
def test_collection(file):
    """Each says what it is, in the form on which the tests and the table of verdicts rely."""
    text = file.read_text()
    head = text.partition("#include")[0]
    comment, headers = re.match(r"/\* (.*?) \*/\n(.*)", head, re.DOTALL).groups()
    assert 2 <= comment.count("\n") + 1 <= 4
    assert len(text.splitlines()) <= 55
    if file in CLEAN:
        assert not marked(file) and "FIXED" not in text
    else:
        assert expected(file) in CATEGORIES and marked(file) and "Fix: " in comment
        assert "FIXED" in text
    assert headers in (f"// expect: {expected(file)}\n" + more for more in ("", "// gpu: hangs\n"))


def test_every_check_several_times():
    numbers = collections.Counter(map(expected, PLANTED))
    assert set(numbers) == CATEGORIES and min(numbers.values()) >= 2
    assert sum(numbers.values()) >= 28 and len(CLEAN) >= 12
