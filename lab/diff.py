#!/usr/bin/env python3
"""Two programs side by side in the terminal: diff.py 02-03, or diff.py 07 single-pass.

Their code is compared; their header comments say different things, so they face each other as
titles, and in full with --all. Bad names are one line on stderr, exit status 2."""

import argparse
import itertools
import os
import sys
import textwrap

from tutorial import compare, programs
from tutorial.files import BadData

NARROW = 60  # below it, one line under the other reads better than side by side

# Select Graphic Rendition, by what is shown. A changed word is reversed as well: that can be seen
# on light and dark terminals, and in grey.
STYLES = {"name": "1", "note": "2", "old": "31", "new": "32", "old word": "1;7;31",
          "new word": "1;7;32"}


def painted(text, style, colour):
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colour and style and text else text


# ---- a line of code in a column ----

def cuts(text, width):
    """(start, end, indent) of the parts of a line, each at most width wide with its indent: cut
    at a blank if there is one, and what follows hangs four columns deeper than the line."""
    hang = min(len(text) - len(text.lstrip()) + 4, width // 2)
    start = indent = 0
    while len(text) - start > width - indent:
        end = start + width - indent
        blank = text.rfind(" ", start, end + 1)
        if text[start:max(blank, start)].strip():
            end = blank
        yield start, end, indent
        start = end + (text[end] == " ")
        indent = hang
    yield start, len(text), indent


def cell(line, side, changed, digits, width, colour):
    """A line as the terminal's lines, padded to width: number, sign, text. side: old or new."""
    if line is None:
        return []
    style, sign = (side, "-" if side == "old" else "+") if changed else (None, " ")
    result = []
    for start, end, indent in cuts(line.text, width - digits - 2):
        number = f"{line.number:{digits}}" if start == 0 else " " * digits
        parts = itertools.groupby(range(start, end),
                                  lambda i: any(a <= i < b for a, b in line.marks))
        text = "".join(painted("".join(line.text[i] for i in part),
                               side + " word" if marked else style, colour)
                       for marked, part in parts)
        padding = " " * (width - digits - 2 - indent - (end - start))
        result.append(painted(number, "note", colour) + painted(sign, style, colour) +
                      " " * (1 + indent) + text + padding)
    return result


def faced(left, right, width, colour):
    """Two columns of padded lines, side by side."""
    for a, b in itertools.zip_longest(left, right, fillvalue=" " * width):
        yield f"{a}{painted('│', 'note', colour)} {b}".rstrip()


def folded(fold, colour):
    return painted(f"⋯ {fold.count} lines the same", "note", colour)


# ---- the two forms ----

def side_by_side(rows, digits, width, colour):
    width = width // 2 - 1
    for row in rows:
        if isinstance(row, compare.Fold):
            yield folded(row, colour)
        else:
            yield from faced(cell(row.old, "old", row.changed, digits, width, colour),
                             cell(row.new, "new", row.changed, digits, width, colour),
                             width, colour)


def unified(rows, digits, width, colour):
    """What was removed above what was added; a line that both have is shown once."""
    for changed, group in itertools.groupby(rows, lambda row: getattr(row, "changed", False)):
        if changed:
            group = list(group)
            lines = [(row.old, "old") for row in group] + [(row.new, "new") for row in group]
            for line, side in lines:
                yield from map(str.rstrip, cell(line, side, True, digits, width, colour))
        else:
            for row in group:
                yield from ([folded(row, colour)] if isinstance(row, compare.Fold) else
                            map(str.rstrip, cell(row.new, "new", False, digits, width, colour)))


def headings(old, new, width, colour):
    """Both programs' paths and titles, in columns or one under the other."""
    def heading(program, width):
        for text, style in ((program.path, "name"), (program.idea, None)):
            for line in textwrap.wrap(text, width - 1):
                yield painted(line, style, colour) + " " * (width - len(line))
    if width < NARROW:
        for program in (old, new):
            yield from map(str.rstrip, heading(program, width))
    else:
        column = width // 2 - 1
        yield from faced(heading(old, column), heading(new, column), column, colour)


def headers(old, new):
    """Rows of the header comments, line by line as they stand."""
    def lines(program):
        return [compare.Line(i, text, []) for i, text in enumerate(program.header, 1)]
    return [compare.Row(a, b, True) for a, b in itertools.zip_longest(lines(old), lines(new))]


def comparison(old, new, width, colour, whole):
    """All lines of the output, none wider than width."""
    rows = compare.compare_programs(old, new)
    removed = sum(row.changed and row.old is not None for row in rows)
    added = sum(row.changed and row.new is not None for row in rows)
    rows = headers(old, new) + rows if whole else compare.fold(rows)
    texts = old.code + new.code + (old.header + new.header if whole else [])
    digits = len(str(max(len(program.header + program.code) for program in (old, new))))
    width = min(width, 2 * (max(map(len, texts)) + digits + 3))
    form = unified if width < NARROW else side_by_side

    yield from headings(old, new, width, colour)
    yield painted("─" * width, "note", colour)
    yield from form(rows, digits, width, colour)
    yield painted("─" * width, "note", colour)
    summary = f"{removed} lines of code removed, {added} added"
    summary = (summary if removed + added else "the same code") + \
        ("" if whole else "; ALL=1 shows what is folded")
    yield from textwrap.wrap(summary, width)


# ---- the terminal ----

def terminal_width():
    """COLUMNS, else that of whichever of output, messages and input is a terminal, else 80."""
    if os.environ.get("COLUMNS", "").isdecimal() and int(os.environ["COLUMNS"]) > 0:
        return int(os.environ["COLUMNS"])
    for descriptor in (1, 2, 0):  # a pager reads the first, seldom all three
        try:
            return os.get_terminal_size(descriptor).columns or 80
        except OSError:
            pass
    return 80


def wants_colour(choice):
    """As asked for; else https://no-color.org, then CLICOLOR_FORCE, then if it is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def arguments():
    parser = argparse.ArgumentParser(description="Shows two programs side by side.")
    parser.add_argument("names", nargs="+", metavar="NAME", help="02-03, or two names: 02 cub")
    parser.add_argument("--all", action="store_true", help="fold nothing, show header comments")
    parser.add_argument("--color", choices=["auto", "always", "never"], default="auto",
                        help="auto: on a terminal, as NO_COLOR and CLICOLOR_FORCE say")
    return parser.parse_args()


def main():
    options = arguments()
    try:
        old, new = map(programs.get, programs.pair(options.names, programs.names()))
    except (programs.Unknown, BadData) as error:
        print(f"make diff: {error}", file=sys.stderr)
        return 2
    text = "\n".join(comparison(old, new, max(terminal_width(), 20),
                                wants_colour(options.color), options.all)) + "\n"
    sys.stdout.reconfigure(errors="replace")  # an old terminal may know no '│'
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:  # a pager that was left early: no mistake
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
