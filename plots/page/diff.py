#!/usr/bin/env python3
"""Two programs side by side in the terminal: diff.py 02-03, or diff.py 07 single-pass.

Their code is compared; their header comments say different things, so they face each other as
titles, and in full with --all. Bad names are one line on stderr, exit status 2."""

from plots.read import entry  # before all else

import itertools
import os
import re
import shutil
import sys
import textwrap

from plots.read import compare, programs

# Select Graphic Rendition, by what is shown. A changed word is reversed as well: that can be seen
# on light and dark terminals, and in grey.
STYLES = {"name": "1", "note": "2", "old": "31", "new": "32", "old word": "1;7;31",
          "new word": "1;7;32"}


def painted(text, style):
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if style and text else text


def cell(line, side, changed, digits, width):
    """A line as lines of the terminal, no longer than width: number, sign, text, which goes on in
    the next line where it is too long. side: old or new."""
    if line is None:
        return []
    style, sign = (side, "-" if side == "old" else "+") if changed else (None, " ")
    room, number, start, result = width - digits - 2, line.number, 0, []
    for part in textwrap.wrap(line.text, room, expand_tabs=False, replace_whitespace=False,
                              drop_whitespace=False, break_on_hyphens=False) or [""]:
        groups = itertools.groupby(enumerate(part, start), lambda place: place[0] in line.marks)
        text = "".join(painted("".join(letter for _, letter in group),
                               side + " word" if marked else style)
                       for marked, group in groups)
        result.append(painted(f"{number:>{digits}}", "note") + painted(sign, style) + " " + text)
        number, start = "", start + len(part)
    return result


def heading(program, width):
    """Its path and what it does."""
    return [painted(line, style) for text, style in ((program.path, "name"), (program.idea, None))
            for line in textwrap.wrap(text, width - 1)]


def faced(left, right, width):
    """Two columns, side by side."""
    for a, b in itertools.zip_longest(left, right, fillvalue=""):
        yield a + " " * (width - len(plain(a))) + painted("│", "note") + f" {b}"


def comparison(old, new, width, whole):
    """All lines of the output, in colour, none wider than width."""
    rows = compare.compare_programs(old, new)
    removed = sum(row.changed and row.old is not None for row in rows)
    added = sum(row.changed and row.new is not None for row in rows)
    rows = compare.compare(old.header, new.header) + rows if whole else compare.fold(rows)
    digits = len(str(max(len(program.header + program.code) for program in (old, new))))
    width = width // 2 - 1  # of a column
    rule = painted("─" * (2 * width + 2), "note")

    yield from [*faced(heading(old, width), heading(new, width), width), rule]
    for row in rows:
        if row.changed is None:
            yield painted(f"⋯ {len(row.rows)} lines the same", "note")
        else:
            yield from faced(cell(row.old, "old", row.changed, digits, width),
                             cell(row.new, "new", row.changed, digits, width), width)
    yield rule
    yield (f"lines of code: {removed} removed, {added} added" if removed + added else
           "the same code") + ("" if whole else "; ALL=1 shows what is folded")


# ---- the terminal ----

def plain(line):
    """Without colour."""
    return re.sub(r"\x1b\[[\d;]*m", "", line)


def terminal_width():
    """COLUMNS, else that of the terminal, else 80. Messages still go to it where output goes to a
    pager."""
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        width = 0
    return shutil.get_terminal_size((width or 80, 0)).columns


def wants_colour():
    """On a terminal, and where CLICOLOR_FORCE is set; never with NO_COLOR (https://no-color.org)."""
    wanted = os.environ.get("CLICOLOR_FORCE", "0") != "0" or (
        sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
    return wanted and not os.environ.get("NO_COLOR")


def main(*names, all=False):
    """all: fold nothing, show header comments."""
    old, new = map(programs.get, programs.pair("-".join(names), programs.names()))
    lines = comparison(old, new, max(terminal_width(), 64), all)  # the last line has to fit
    if not wants_colour():
        lines = (plain(line).rstrip() for line in lines)
    sys.stdout.reconfigure(errors="replace")  # an old terminal may know no '│'
    print("\n".join(lines))


if __name__ == "__main__":
    entry.run("make diff", entry.typed(main))
