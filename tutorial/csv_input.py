"""Reads CSV files whose first lines may be comments, `# key: value`. A format is a dictionary,
{column: kind}: a kind makes a value of a text, or raises a ValueError that says what would be
right. Whatever is wrong with a file is a BadData."""

import math
import re

from tutorial.files import BadData, read_text


class Row(dict):
    """{column: value}; line: its number in the file, from 1."""


class Table(list):
    """Rows. comments: {key: text}; last_line: how many lines the file has."""

    def comment(self, key, kind=str):
        """The value of the line `# key: value`."""
        if not self.comments.get(key):
            raise BadData(self.path, 1, f"no line '# {key}: …' in front of the header")
        line = [*self.comments].index(key) + 1
        return value_of(self.path, line, key, self.comments[key], kind)

    def check(self, row, *conditions):
        """conditions: (is it wrong?, what is wrong); the first that holds is told. row: or None."""
        for is_wrong, what in conditions:
            if is_wrong:
                raise BadData(self.path, row.line if row else self.last_line, what)


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

def read_table(path, columns, text=None, wanted=lambda fields: True):
    """A file, or its text, whose header has these columns, and whose rows have as many fields as
    the header. wanted: only these rows, given as {column: text}, are looked into; a trace is
    long."""
    lines = (read_text(path) if text is None else text).split("\n")
    if lines.pop():
        raise BadData(path, len(lines) + 1, "ends without a newline: the file is cut off")
    table, first = Table(), 0
    table.path, table.comments, table.last_line = path, {}, len(lines)
    while lines[first:] and lines[first].startswith("#"):
        key, _, value = lines[first][1:].partition(":")
        table.comments[key.strip()] = value.strip()
        first += 1
    header = lines[first].split(",") if lines[first:] else []
    if missing := [column for column in columns if column not in header]:
        raise BadData(path, max(min(first + 1, len(lines)), 1), f"columns missing: "
                      f"{', '.join(missing)}; the header would be {','.join(columns)}")
    for line, text in enumerate(lines[first + 1:], first + 2):
        fields = text.split(",")
        if len(fields) != len(header):
            raise BadData(path, line, f"{len(fields)} fields, not the {len(header)} of the "
                                      "header: a row cut off or damaged")
        fields = dict(zip(header, fields))
        if wanted(fields):
            table.append(Row((column, value_of(path, line, column, fields[column], kind))
                             for column, kind in columns.items()))
            table[-1].line = line
    return table


def value_of(path, line, name, text, kind):
    try:
        return kind(text)
    except ValueError as error:
        raise BadData(path, line, f"{name} is '{text}'; {error} would be right") from None
