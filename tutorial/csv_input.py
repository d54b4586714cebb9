"""Reads CSV files whose first lines may be comments, `# key: value`. Whatever is wrong with a file
is a BadData: one line that names file and line."""

import collections
import math
import os

# comments: key -> Row with that one value. last_line: how many lines the file has.
Table = collections.namedtuple("Table", "path comments rows last_line")
# line: its number in the file, from 1. values: column -> text.
Row = collections.namedtuple("Row", "line values")


class BadData(Exception):
    """What is wrong, where, and what would be right."""

    def __init__(self, path, line, what):
        super().__init__(f"{shown(path)}{f':{line}' if line else ''}: {what}")


def shown(path):
    """A path as short as can be: from here, if it lies below."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


# ---- a whole file ----

def read_text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise BadData(path, None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadData(path, None, "is no text") from None


def read_lines(path):
    """Its lines, without their newlines."""
    lines = read_text(path).split("\n")
    if lines.pop():
        raise BadData(path, len(lines) + 1, "ends without a newline: the file is cut off")
    return lines


def read_table(path, columns):
    """A file whose header has these columns, and whose rows have as many fields as the header."""
    lines = read_lines(path)
    comments = read_comments(lines)
    if len(comments) == len(lines):
        raise BadData(path, max(len(lines), 1), f"no header; it would be {','.join(columns)}")
    header = checked_header(path, len(comments) + 1, lines[len(comments)].split(","), columns)
    rows = [read_row(path, number, line, header)
            for number, line in enumerate(lines, 1) if number > len(comments) + 1]
    return Table(path, {key: row for row in comments for key in row.values}, rows, len(lines))


def checked_header(path, line, header, columns):
    """The header, once all the columns are in it."""
    missing = [column for column in columns if column not in header]
    if missing:
        raise BadData(path, line, f"columns missing: {', '.join(missing)}; "
                                  f"the header would be {','.join(columns)}")
    return header


def read_comments(lines):
    """A Row for each of the comment lines in front."""
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.startswith("#"):
            break
        key, _, value = line[1:].partition(":")
        rows.append(Row(number, {key.strip(): value.strip()}))
    return rows


def read_row(path, number, line, header):
    fields = line.split(",")
    if len(fields) != len(header):
        raise BadData(path, number, f"{len(fields)} fields, not the {len(header)} of the header: "
                                    "a row cut off or damaged")
    return Row(number, dict(zip(header, fields)))


# ---- a value ----

def comment(table, key):
    """The Row of the line `# key: value`."""
    if not table.comments.get(key, Row(0, {key: ""})).values[key]:
        raise BadData(table.path, 1, f"no line '# {key}: …' in front of the header")
    return table.comments[key]


def number(path, row, column, kind=float, least=0):
    """A column's value as int or float, finite and not below least."""
    text = row.values[column]
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= least):
        what = "an integer" if kind is int else "a number"
        raise BadData(path, row.line, f"{column} is '{text}'; {what} >= {least:g} would be right")
    return value


def one_of(path, row, column, accepted):
    text = row.values[column]
    if text not in accepted:
        raise BadData(path, row.line,
                      f"{column} is '{text}'; {' or '.join(accepted)} would be right")
    return text
