"""Reads CSV files whose first lines may be comments, `# key: value`. A format is a dictionary,
{column: kind}: a kind makes a value of a text, or raises a ValueError that says what would be
right. Whatever is wrong with a file is a BadData."""

import collections
import math
import re

from tutorial.files import BadData, read_text

# comments: key -> (line, text). last_line: how many lines the file has.
Table = collections.namedtuple("Table", "path comments rows last_line")
# line: its number in the file, from 1. values: column -> value.
Row = collections.namedtuple("Row", "line values")


# ---- kinds ----

def number(kind=float, least=0):
    """An int or float, finite and not below least."""
    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= least):
            what = "an integer" if kind is int else "a number"
            raise ValueError(what if least == -math.inf else f"{what} >= {least:g}")
        return value
    return read


def optional(kind):
    """Nothing, which is None, or a value of this kind."""
    return lambda text: kind(text) if text else None


def one_of(*accepted):
    return matching("|".join(accepted), " or ".join(accepted))


def matching(pattern, right):
    def read(text):
        if not re.fullmatch(pattern, text):
            raise ValueError(right)
        return text
    return read


COUNT, SIZE, TIME = number(int), number(int, 1), number(least=1e-6)


# ---- a file ----

def read_table(path, columns, text=None, header=None, wanted=lambda fields: True):
    """A file, or its text, whose header has these columns, and whose rows have as many fields as
    the header. header: of a file that has none. wanted: only these rows, given as {column: text},
    are looked into; a trace is long."""
    lines = (read_text(path) if text is None else text).split("\n")
    if lines.pop():
        raise BadData(path, len(lines) + 1, "ends without a newline: the file is cut off")
    first = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    parts = (line[1:].partition(":") for line in lines[:first])
    comments = {key.strip(): (line, value.strip()) for line, (key, _, value) in enumerate(parts, 1)}
    if not header:
        header = lines[first].split(",") if first < len(lines) else []
        first += 1
    if missing := [column for column in columns if column not in header]:
        raise BadData(path, max(min(first, len(lines)), 1), f"columns missing: "
                      f"{', '.join(missing)}; the header would be {','.join(columns)}")
    rows = []
    for line, text in enumerate(lines[first:], first + 1):
        fields = text.split(",")
        if len(fields) != len(header):
            raise BadData(path, line, f"{len(fields)} fields, not the {len(header)} of the "
                                      "header: a row cut off or damaged")
        fields = dict(zip(header, fields))
        if wanted(fields):
            rows.append(Row(line, {column: value_of(path, line, column, fields[column], kind)
                                   for column, kind in columns.items()}))
    return Table(path, comments, rows, len(lines))


def value_of(path, line, name, text, kind):
    try:
        return kind(text)
    except ValueError as error:
        raise BadData(path, line, f"{name} is '{text}'; {error} would be right") from None


def comment(table, key, kind=str):
    """The value of the line `# key: value`."""
    line, text = table.comments.get(key, (1, ""))
    if not text:
        raise BadData(table.path, 1, f"no line '# {key}: …' in front of the header")
    return value_of(table.path, line, key, text, kind)


def check(table, row, *conditions):
    """conditions: (is it wrong?, what is wrong); the first that holds is told."""
    for is_wrong, what in conditions:
        if is_wrong:
            raise BadData(table.path, row.line if row else table.last_line, what)
