"""Code on slides, in letters that the last row reads: what changes from one program to another, the
old lines above the new ones; and a program's kernel. From lines to HTML."""

import collections
import itertools
import re

from lab import syntax
from lab.markup import code
from tutorial import compare

MOST_ROWS = 21     # of code on a slide: so many have room at 22 of 720 pixels
MOST_COLUMNS = 82  # of a line; longer ones are wrapped
CONTEXT = 2        # lines around a change

# A row of a diff. sign: −, + or a blank; line: a compare.Line.
Shown = collections.namedtuple("Shown", "sign line")
# Instead of rows that are the same. function: the name of the one that they belong to.
Omitted = collections.namedtuple("Omitted", "count function")


def kinds_of(program):
    """For each line of its file, a kind of word for each character."""
    return syntax.kinds(program.header + program.code)


def slidefuls(rows, text_of, most=MOST_ROWS, columns=MOST_COLUMNS):
    """Rows in parts of about the same length, none higher than a slide; cut at a blank row if one
    is near. text_of: a row."""
    height = heights(map(text_of, rows), columns)
    if height <= most:
        return [rows]
    even = len(rows) // -(-height // most)
    cut = next((i for i in range(even, even - 6, -1) if not text_of(rows[i]).strip()), even)
    return [rows[:cut], *slidefuls(rows[cut:], text_of, most, columns)]


def heights(texts, columns=MOST_COLUMNS):
    """How many lines they take on a slide, where long ones are wrapped."""
    return sum(1 + max(len(text) - 1, 0) // columns for text in texts)


def text_of(row):
    return row.line.text if isinstance(row, Shown) else ""


# ---- what changes ----

def diff(old, new):
    """The tables of what differs between two programs; none if nothing does."""
    functions = [rows_of(part) for part in by_function(compare.compare_programs(old, new))]
    kinds = {"−": kinds_of(old), "+": kinds_of(new), " ": kinds_of(new)}
    parts = []
    for part in itertools.chain.from_iterable(
            slidefuls(rows, text_of) for rows in functions if rows):
        if parts and heights(map(text_of, parts[-1] + part)) <= MOST_ROWS:
            parts[-1] += part
        else:
            parts.append(part)
    return [table(part, kinds) for part in parts]


def by_function(rows):
    """The rows of a comparison in parts: each ends with the brace that ends a function."""
    parts = [[]]
    for row in rows:
        parts[-1].append(row)
        if "}" in (line and line.text for line in row[:2]):
            parts.append([])
    return parts


def rows_of(rows):
    """Of a function, what changes and CONTEXT lines around it; nothing if nothing does."""
    if not any(row.changed for row in rows):
        return []
    text = "\n".join(row.new.text for row in rows if row.new)
    name = re.search(r"^[a-z_].*?(\w+)\(", text, re.MULTILINE)
    shown = []
    for changed, group in itertools.groupby(compare.fold(rows, CONTEXT),
                                            lambda row: getattr(row, "changed", None)):
        group = list(group)
        if changed is None:
            shown += [Omitted(fold.count, name[1] if name else "") for fold in group]
        elif changed:
            shown += [Shown("−", row.old) for row in group if row.old]
            shown += [Shown("+", row.new) for row in group if row.new]
        else:
            shown += [Shown(" ", row.new) for row in group]
    return shown


def table(rows, kinds):
    columns = max([len(row.line.text) for row in rows if isinstance(row, Shown)] + [50])
    return f"""\
<table class="code" style="--rows: {max(heights(map(text_of, rows)), 12)}; \
--columns: {min(columns, MOST_COLUMNS) + 7}">
<colgroup><col class="no" /><col /></colgroup>
<tbody>
{"".join(row_of(row, kinds) for row in rows)}</tbody></table>"""


NAMES = {"−": "old", "+": "new", " ": "same"}
TAGS = {"−": "del", "+": "ins", " ": ""}


def row_of(row, kinds):
    if isinstance(row, Omitted):
        where = f" in {row.function}" if row.function else ""
        return (f'<tr class="fold"><td colspan="2">⋯ {row.count} lines the same{where}'
                "</td></tr>\n")
    sign, (number, text, marks) = row
    return (f'<tr class="{NAMES[sign]}"><td class="no">{number} {sign}</td><td class="text">' +
            code(text, kinds[sign][number - 1], marks, TAGS[sign]) + "</td></tr>\n")


# ---- what stands in a text ----

def shown(lines, language):
    """The table of lines that belong to no program: of code, or of a drawing, which has no
    language and whose lines meet."""
    kinds = syntax.kinds(lines) if language else [[None] * len(line) for line in lines]
    rows = "".join(f'<tr><td class="text">{code(*row)}</td></tr>\n' for row in zip(lines, kinds))
    return f"""\
<table class="code{"" if language else " drawing"}" style="--rows: {max(len(lines), 12)}; \
--columns: {max(map(len, lines))}"><tbody>
{rows}</tbody></table>"""


# ---- a kernel ----

def kernels(program):
    """The tables of a program's kernels; of all its code if it has none."""
    kinds = {" ": kinds_of(program)}
    lines = program.kernels or enumerate(program.code, len(program.header) + 1)
    rows = [Shown(" ", compare.Line(number, text, set())) for number, text in lines]
    return [table(part, kinds) for part in slidefuls(rows, text_of)]
