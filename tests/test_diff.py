"""make diff-02-03: two programs side by side in the terminal."""

import itertools
import os
import re
import subprocess
import sys

import pytest

from harness import MAKE, ROOT, a_terminal, assert_refused, golden, make, read_terminal, run

from lab import diff
from tutorial import compare, programs

PROGRAMS = programs.load()
STEPS = programs.steps()
NEIGHBOURS = list(zip(STEPS, STEPS[1:]))


def painted(old, new, width, whole=False):
    return list(diff.comparison(PROGRAMS[old], PROGRAMS[new], width, whole))


def shown(*arguments, **options):
    return [diff.plain(line) for line in painted(*arguments, **options)]


def lines_of(program):
    return (ROOT / program.path).read_text().splitlines()


# ---- the comparison ----

def test_a_program_is_its_header_and_its_code():
    for program in PROGRAMS.values():
        assert program.header + program.code == lines_of(program)
        assert program.header[0].startswith("/*") and program.header[-1].endswith("*/")
        assert '#include "lab.h"' in program.code[:2]


def test_every_line_once():
    """All pairs of steps, and each detour with the first and the last step."""
    detours = [name for name in PROGRAMS if name not in STEPS]
    for old, new in (*itertools.product(STEPS, STEPS),
                     *itertools.product(detours, (min(STEPS), max(STEPS)))):
        a, b = PROGRAMS[old].code, PROGRAMS[new].code
        rows = compare.compare(a, b)
        assert [(row.old.number, row.old.text) for row in rows if row.old] == list(enumerate(a, 1))
        assert [(row.new.number, row.new.text) for row in rows if row.new] == list(enumerate(b, 1))
        for row in rows:
            assert row.changed == (not row.old or not row.new or row.old.text != row.new.text)
            if row.old and row.new and row.changed:  # what is not marked is in both, in order
                kept = [words_kept(row.old), words_kept(row.new)]
                assert kept[0] == kept[1] or not row.old.marks | row.new.marks


def words_kept(line):
    """A line without what is marked and without blanks."""
    return "".join(c for i, c in enumerate(line.text)
                   if c != " " and i not in line.marks)


def test_pairs_are_the_best_there_are():
    """The greatest likeness in all, against every choice of rising pairs."""
    texts = ["a b c", "", "x = y;", "}", "x = z;", "b c", "}"]
    for old, new in (texts, texts[::-1]), (texts[2:6], texts[1:5]), (texts[:3], []):
        def total(pairs):
            return sum(compare.likeness(old[i], new[j]) for i, j in pairs)
        best = max(total(zip(left, right)) for size in range(min(len(old), len(new)) + 1)
                   for left in itertools.combinations(range(len(old)), size)
                   for right in itertools.combinations(range(len(new)), size))
        pairs = compare.pairing(old, new)
        assert total(pairs) == best
        assert all(a < c and b < d for (a, b), (c, d) in zip(pairs, pairs[1:]))


def test_marks():
    """Each stretch of marked characters is a # here."""
    def marked(old, new):
        return [re.sub("\x01+", "#", "".join("\x01" if i in side else c
                                              for i, c in enumerate(text)))
                for text, side in zip((old, new), compare.marks(old, new))]
    assert marked("s[tid] += s[tid + stride];", "s[left] += s[left + stride];") == [
        "s[#] += s[# + stride];"] * 2
    assert marked("a = b;", "a = b;") == ["a = b;"] * 2
    assert marked("f(x);", "  f(x + 1);") == ["f(x);", "  f(x #);"]
    assert marked("one two", "three four") == ["#", "#"]
    assert marked("i < blockDim.x; i *= 2", "i > 0; i /= 2") == ["i #; i # 2"] * 2


@pytest.mark.parametrize("old, new", NEIGHBOURS)
def test_fold(old, new):
    """What is folded are same lines, none of them within three lines of a change."""
    rows = compare.compare(PROGRAMS[old].code, PROGRAMS[new].code)
    folded = compare.fold(rows)
    unfolded, i = [], 0
    for row in folded:
        count = row.count if isinstance(row, compare.Fold) else 1
        if isinstance(row, compare.Fold):
            assert count > 1 and not any(r.changed for r in rows[max(i - 3, 0):i + count + 3])
        unfolded += rows[i:i + count]
        i += count
    assert unfolded == rows
    assert compare.fold(rows, context=len(rows)) == rows


def test_a_line_alone_is_not_folded():
    changed = ["x = 1;", *(f"line {i};" for i in range(7)), "y = 2;"]
    rows = compare.compare(["a();", *changed[1:-1], "b();"], changed)
    assert compare.fold(rows) == rows and compare.fold(rows, context=2) != rows


# ---- in the terminal ----

@pytest.mark.parametrize("width", [64, 80, 100, 160, 300])
def test_fits(width):
    """On either side of one bar the whole program, its lines numbered and in order."""
    for old, new in NEIGHBOURS:
        lines = shown(old, new, width, whole=True)
        assert max(map(len, lines)) <= width and "\x1b" not in "".join(lines)
        first, last = (i for i, line in enumerate(lines) if set(line) == {"─"})
        bar = len(lines[first]) // 2 - 1
        for key, column in ((old, slice(0, bar)), (new, slice(bar + 2, None))):
            digits = len(str(max(len(lines_of(PROGRAMS[name])) for name in (old, new))))
            cells = [line[column] for line in lines[first + 1:last]]
            program = lines_of(PROGRAMS[key])
            numbers = [int(cell[:digits]) for cell in cells if cell[:digits].strip()]
            assert numbers == list(range(1, len(program) + 1))
            assert ("".join("".join(cell[digits + 1:].split()) for cell in cells)
                    == "".join("".join(program).split()))


def test_golden_diff():
    """In colour as a wide terminal shows it, plain in a narrow one; the same program twice."""
    golden("diff.txt", "\n".join([*painted("02", "03", 160), *shown("05", "06", 80),
                                  *shown("03", "03", 80), ""]).replace("\x1b", "ESC"))


# ---- the command ----

def test_make():
    done = make("diff-02-03", env={"COLUMNS": "160"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "steps/02-strided-index/main.cu" in done.stdout and "⋯" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("4 lines of code removed, 3 added")
    assert "⋯ " not in make("diff-02-03", "ALL=1", env={"COLUMNS": "160"}).stdout
    assert make("diff-07-cub").returncode == 0


def test_colour():
    """None in a pipe, unless asked for."""
    for variables, options, colour in (
            ({}, [], False), ({"CLICOLOR_FORCE": "1"}, [], True),
            ({"CLICOLOR_FORCE": "0"}, [], False),
            ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, [], False),
            ({"NO_COLOR": "1"}, ["--color=always"], True),
            ({"CLICOLOR_FORCE": "1"}, ["--color=never"], False)):
        done = run(sys.executable, "-m", "lab.diff", *options, "02-03", env=variables)
        assert (done.returncode, done.stderr) == (0, "")
        assert ("\x1b" in done.stdout) == colour
    for term, colour in ("xterm", True), ("dumb", False):
        terminal, end = a_terminal()
        done = run(sys.executable, "-m", "lab.diff", "03", "03", env={"TERM": term}, stdout=end)
        assert done.returncode == 0 and ("\x1b" in read_terminal(terminal, end)) == colour


def test_width_of_nonsense_is_80():
    for columns in ("", "0", "wide", "-3"):
        done = run(sys.executable, "-m", "lab.diff", "02-03", env={"COLUMNS": columns},
                   stdin=subprocess.DEVNULL)
        assert max(map(len, done.stdout.splitlines())) <= 80


def test_closed_pager():
    command = f"set -o pipefail; '{MAKE}' -s diff-00-07 ALL=1 | head -n 1"
    done = run("bash", "-c", command, cwd=ROOT)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


WANT = f"want two of {' '.join(STEPS)} "
BAD = [(["02-42"], "no step or detour '42'"), (["nowhere-03"], "no step or detour 'nowhere'"),
       (["a-b"], "no step or detour 'a-b'"), (["02-03-04"], "no step or detour '03-04'"),
       (["02-4\n2"], "no step or detour '4?2'"), (["02"], ""), (["02", "42"], "no step or detour '42'"), (["02", "03", "04"], "")]


@pytest.mark.parametrize("names, why", BAD)
def test_bad_names(names, why):
    assert_refused(run(sys.executable, "-m", "lab.diff", *names), 2, "make diff: ", why, WANT)


def test_bad_names_through_make():
    done = make("diff-02-42")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("make diff: no step or detour '42'; " + WANT)


def test_names_with_dashes():
    names = {name: name for name in ("03", "07", "cub", "grid", "grid-stride", "stride-cub")} | {
        "step03": "03", "07-warp-shuffle": "07"}
    for words, keys in (("03-07", ("03", "07")), ("07-grid-stride", ("07", "grid-stride")),
                        ("grid-stride-07", ("grid-stride", "07")), ("grid-cub", ("grid", "cub")),
                        ("step03-07-warp-shuffle", ("03", "07")),
                        ("stride-cub-grid-stride", ("stride-cub", "grid-stride"))):
        assert programs.pair([words], names) == keys
    with pytest.raises(programs.Unknown, match="grid and stride-cub, or grid-stride and cub"):
        programs.pair(["grid-stride-cub"], names)
    assert programs.pair(["grid-stride", "cub"], names) == ("grid-stride", "cub")
    assert programs.names()["step03"] == programs.names()["03-sequential-addressing"] == "03"
