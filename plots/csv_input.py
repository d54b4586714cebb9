"""Reads CSV files whose first lines may be comments, `# key: value`. Whatever is wrong with a file
is a BadData: one line that names file and line."""

import collections
import csv
import math
import os
import sys

Table = collections.namedtuple("Table", "path meta header rows last_line")
# line: its number, from 1; values: column -> text
Row = collections.namedtuple("Row", "line values")


class BadData(Exception):
    """What is wrong, and what would be right."""

    def __init__(self, path, line, what):
        where = os.path.relpath(path) + (f":{line}" if line else "")
        super().__init__(f"{where}: {what}")


def run(main):
    """main's exit status; 2, and one line on stderr, where the data are no good."""
    try:
        return main()
    except BadData as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2


def read_lines(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read().splitlines()
    except OSError as error:
        raise BadData(path, None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadData(path, 1, "is no text; a CSV file would be right") from None


def comments(lines):
    """The `# key: value` lines; (key -> value, number of comment lines)."""
    count = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    pairs = (line[1:].partition(":") for line in lines[:count])
    return {key.strip(): value.strip() for key, _, value in pairs}, count


def checked_header(path, line, header, columns):
    missing = [column for column in columns if column not in header]
    if missing:
        raise BadData(path, line, f"columns missing: {', '.join(missing)}; "
                                  f"the header would be {','.join(columns)}")
    if len(set(header)) < len(header):
        raise BadData(path, line, "a column occurs twice")
    return header


def read_table(path, columns):
    """Every row has as many fields as the header, and the header has these columns."""
    lines = read_lines(path)
    meta, count = comments(lines)
    if count == len(lines):
        raise BadData(path, max(count, 1), f"no header; it would be {','.join(columns)}")
    header = checked_header(path, count + 1, lines[count].split(","), columns)
    rows = []
    for number, line in enumerate(lines[count + 1:], count + 2):
        fields = next(csv.reader([line]), [])
        if len(fields) != len(header):
            raise BadData(path, number, f"{len(fields)} fields, not the {len(header)} of the "
                                        "header: a row cut off or damaged")
        rows.append(Row(number, dict(zip(header, fields))))
    return Table(path, meta, header, rows, len(lines))


def number(path, row, column, kind=float, least=0):
    """A column's value as int or float, finite and not below least."""
    text = row.values[column]
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= least):
        what = "an integer" if kind is int else "a number"
        raise BadData(path, row.line, f"{column} is '{text}'; {what} >= {least} would be right")
    return value


def one_of(path, row, column, accepted):
    text = row.values[column]
    if text not in accepted:
        raise BadData(path, row.line, f"{column} is '{text}'; {' or '.join(accepted)} would be "
                                      "right")
    return text
