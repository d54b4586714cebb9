"""make diff-02-03: two programs side by side in the terminal, by make/diff.sh; the page and the tables
have its rows."""

import itertools
import re
import sys

import pytest

from harness import ROOT, golden, make, replay, run, said, shell

from plots.read import compare, programs

PROGRAMS = programs.load()
STEPS = programs.steps()
NEIGHBOURS = list(zip(STEPS, STEPS[1:]))
DIFF = ROOT / "make/diff.sh"


def shown(old, new, *options, width=80, colour=False):
    env = {"COLUMNS": str(width), "CLICOLOR_FORCE": str(int(colour))}
    return said(run(DIFF, *options, *(PROGRAMS[key].path for key in (old, new)), env=env, cwd=ROOT))


# ---- the comparison ----

def test_every_line_once():
    """Each step and all that follow it, each detour and the last step; what is not marked is in both."""
    for old, new in (*itertools.combinations_with_replacement(STEPS, 2),
                     *((name, STEPS[-1]) for name in programs.detours())):
        rows = compare.compare_programs(PROGRAMS[old], PROGRAMS[new])
        for program, lines in ((PROGRAMS[old], [row.old for row in rows if row.old]),
                               (PROGRAMS[new], [row.new for row in rows if row.new])):
            assert [(line.number, line.text) for line in lines] == list(
                enumerate(program.code, len(program.header) + 1))
        for row in rows:
            assert row.changed == (not row.old or not row.new or row.old.text != row.new.text)
            if row.old and row.new and row.old.marks | row.new.marks:
                assert words_kept(row.old) == words_kept(row.new)


def words_kept(line):
    """A line without what is marked and without blanks."""
    return "".join(c for i, c in enumerate(line.text) if c != " " and i not in line.marks)


def test_fold():
    """Of the page: a number counts lines that are far from any change, but never a single one."""
    rows = compare.fold([compare.Row(None, None, sign == "x") for sign in ".....x......x.......x...."])
    assert "2...x......x.......x...." == "".join(
        str(len(row.rows)) if row.changed is None else ".x"[row.changed] for row in rows)


# ---- in the terminal ----

@pytest.mark.parametrize("width", [64, 80, 100, 160, 300])
def test_fits(width):
    """Each side of the bar has the whole program, its lines numbered and in order."""
    for old, new in NEIGHBOURS:
        lines = shown(old, new, "--all", width=width).splitlines()
        assert max(map(len, lines)) <= width
        first, last = (i for i, line in enumerate(lines) if set(line) == {"─"})
        bar = len(lines[first]) // 2 - 1
        texts = [(ROOT / PROGRAMS[key].path).read_text() for key in (old, new)]
        digits = len(str(max(text.count("\n") for text in texts)))
        for text, column in zip(texts, (slice(0, bar), slice(bar + 2, None))):
            cells = [line[column] for line in lines[first + 1:last]]
            numbers = [int(cell[:digits]) for cell in cells if cell[:digits].strip()]
            assert numbers == list(range(1, text.count("\n") + 1))
            assert "".join("".join(cell[digits + 1:].split()) for cell in cells) == (
                "".join(text.split()))


def test_golden_diff():
    """In colour, where some lines have no room; the same program twice, plain."""
    golden("diff.txt", (shown("02", "03", width=110, colour=True) + shown("03", "03")).replace(
        "\x1b", "ESC"))


# ---- the command ----

def test_golden_calls():
    """By make; whole; with a pager that is left; with nonsense names; in colour, or not."""
    replay("diff-calls.txt", shell(ROOT, PYTHON=sys.executable))


def test_golden_names(tree):
    """Dashes stand in names and between them; what is no pair, or can be two, is told."""
    for name in "cub", "grid", "grid-stride", "stride-cub":
        (tree / "own" / name).mkdir(parents=True, exist_ok=True)
        (tree / "own" / name / "main.cu").write_text("int x;\n")

    def call(words):
        done = make("-n", f"diff-{words}", cwd=tree)
        pair = re.findall(r"/([\w-]+)/main.cu", done.stdout.rpartition("diff.sh")[2])
        return done if done.returncode else " ".join(pair) + "\n"

    replay("diff-names.csv", call)
