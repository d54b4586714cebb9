"""make diff-02-03: two programs side by side in the terminal."""

import itertools
import sys

import pytest

from harness import ROOT, golden, on_a_terminal, replay, shell

from plots.page import diff
from plots.read import compare, programs
from plots.read.files import BadData

PROGRAMS = programs.load()
STEPS = programs.steps()
NEIGHBOURS = list(zip(STEPS, STEPS[1:]))
DIFF = sys.executable, "-m", "plots.page.diff"


def painted(old, new, width, whole=False):
    return list(diff.comparison(PROGRAMS[old], PROGRAMS[new], width, whole))


def shown(*arguments, **options):
    return [diff.plain(line) for line in painted(*arguments, **options)]


# ---- the comparison ----

def test_every_line_once():
    """All pairs of steps, and each detour with the last step; what is not marked is in both."""
    for old, new in (*itertools.product(STEPS, STEPS),
                     *((name, STEPS[-1]) for name in programs.detours())):
        a, b = PROGRAMS[old].code, PROGRAMS[new].code
        rows = compare.compare(a, b)
        assert [(row.old.number, row.old.text) for row in rows if row.old] == list(enumerate(a, 1))
        assert [(row.new.number, row.new.text) for row in rows if row.new] == list(enumerate(b, 1))
        for row in rows:
            assert row.changed == (not row.old or not row.new or row.old.text != row.new.text)
            if row.old and row.new and row.old.marks | row.new.marks:
                assert words_kept(row.old) == words_kept(row.new)


def words_kept(line):
    """A line without what is marked and without blanks."""
    return "".join(c for i, c in enumerate(line.text) if c != " " and i not in line.marks)


@pytest.mark.parametrize("rows, folded", [
    (".....x......", "2...x...3"), ("....x.......x....", "....x.......x...."),
    ("x........x", "x...2...x"), (".....", "5")])
def test_fold(rows, folded):
    """x is a changed line; a number counts lines that are far from any, but never a single one."""
    found = compare.fold([compare.Row(None, None, sign == "x") for sign in rows])
    assert folded == "".join(str(len(row.rows)) if row.changed is None else
                             "x" if row.changed else "." for row in found)


# ---- in the terminal ----

@pytest.mark.parametrize("width", [64, 80, 100, 160, 300])
def test_fits(width):
    """On either side of one bar the whole program, its lines numbered and in order."""
    for old, new in NEIGHBOURS:
        lines = shown(old, new, width, whole=True)
        assert max(map(len, lines)) <= width and "\x1b" not in "".join(lines)
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
    """In colour in a narrow terminal; the same program twice, plain."""
    lines = [*painted("02", "03", 60), *shown("03", "03", 80), ""]
    golden("diff.txt", "\n".join(lines).replace("\x1b", "ESC"))


# ---- the command ----

def test_golden_calls():
    """By make, whole, with a pager that is left, of nonsense names; in colour, or not."""
    replay("diff-calls.txt", shell(ROOT, PYTHON=sys.executable))


@pytest.mark.parametrize("term, colour", [("xterm", True), ("dumb", False)])
def test_colour_on_a_terminal(term, colour):
    assert ("\x1b" in on_a_terminal(80, *DIFF, "03", "03", env={"TERM": term})) == colour


NAMES = {name: name for name in ("03", "07", "cub", "grid", "grid-stride", "stride-cub")} | {
    "step03": "03", "07-warp-shuffle": "07"}


def test_golden_names():
    """Dashes stand in names and between them; what is no pair, or can be two, is told."""
    def told(words):
        try:
            return " and ".join(programs.pair(words.replace(" ", "-"), NAMES)) + "\n"
        except BadData as error:
            return f"{error}\n"

    replay("diff-names.txt", told)
    assert programs.names()["step03"] == programs.names()["03-sequential-addressing"] == "03"
