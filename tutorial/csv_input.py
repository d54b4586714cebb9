"""Reads CSV files whose first lines may be comments, `# key: value`. A format is {column: kind}, written
as columns("name n:int median_ms:float"): texts but for the numbers. Whatever is wrong with a file
is a BadData."""

import math

from tutorial.files import BadData, read_text

KINDS = {"int": (int, "an integer"), "float": (float, "a number")}


class Row(dict):
    """{column: value}; a number is None where nothing stands. line: its place in the file, from 1."""


class Table(list):
    """Rows. comments: {key: text}; last_line: how many lines the file has."""

    def comment(self, key, kind=""):
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

    def want(self, column, *right):
        """One of these texts stands there in each row."""
        for row in self:
            self.check(row, (row[column] not in right, f"{column} is '{row[column]}'; "
                             f"{' or '.join(right)} would be right"))


def columns(text):
    return dict(column.partition(":")[::2] for column in text.split())


def read_table(path, format, text=None, header=None, wanted=lambda fields: True):
    """A file, or its text, whose header has these columns, and whose rows have as many fields as
    the header. header: of a file that has none. wanted: only these rows, given as {column: text},
    are looked into; a trace is long."""
    lines = (read_text(path) if text is None else text).split("\n")
    if lines.pop():
        raise BadData(path, len(lines) + 1, "ends without a newline: the file is cut off")
    table, first = Table(), 0
    table.path, table.comments, table.last_line = path, {}, len(lines)
    while lines[first:] and lines[first].startswith("#"):
        key, _, value = lines[first][1:].partition(":")
        table.comments[key.strip()] = value.strip()
        first += 1
    if not header:
        header = lines[first].split(",") if lines[first:] else []
        first += 1
    if missing := [column for column in format if column not in header]:
        raise BadData(path, max(min(first, len(lines)), 1), f"columns missing: "
                      f"{', '.join(missing)}; the header would be {','.join(format)}")
    for line, text in enumerate(lines[first:], first + 1):
        fields = text.split(",")
        if len(fields) != len(header):
            raise BadData(path, line, f"{len(fields)} fields, not the {len(header)} of the "
                                      "header: a row cut off or damaged")
        fields = dict(zip(header, fields))
        if wanted(fields):
            table.append(Row((column, value_of(path, line, column, fields[column], kind))
                             for column, kind in format.items()))
            table[-1].line = line
    return table


def value_of(path, line, name, text, kind):
    if kind not in KINDS:
        return text
    try:
        value = KINDS[kind][0](text) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise BadData(path, line, f"{name} is '{text}'; {KINDS[kind][1]} would be right")
    return value
