"""Reads CSV files whose first lines may be comments, `# key: value`. A format is {column: kind}, written
as columns("name n:int cache:cold|hot"): texts, numbers, or one of some texts. Whatever is wrong
with a file is a BadData."""

import re

from plots.read.files import BadData, read_text

# kind: what makes a value of a text, what is right, and as a regular expression
KINDS = {"": (str, "", ".*"), "int": (int, "an integer of at most 18 digits", r"(-?\d{1,18})?"),
         "float": (float, "a number from 1e-99 to 1e99", r"(-?\d{1,18}(\.\d{0,30})?(e[-+]?\d\d?)?)?")}


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

    def check(self, row, is_right, what):
        """what: is told if it is not right. row: or None."""
        if not is_right:
            raise BadData(self.path, row.line if row else self.last_line, what)


def columns(text):
    return dict(column.partition(":")[::2] for column in text.split())


def read_table(path, format, text=None, wanted=lambda fields: True):
    """A file, or its text, whose header has these columns, and whose rows have as many fields as
    the header. wanted: only these rows, given as {column: text}, are looked into; a trace is long."""
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
    if missing := [column for column in format if column not in header]:
        raise BadData(path, max(min(first + 1, len(lines)), 1), f"columns missing: "
                      f"{', '.join(missing)}; the header would be {','.join(format)}")
    for line, text in enumerate(lines[first + 1:], first + 2):
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


def cut(text):
    """Of 5,000 digits a message shows few."""
    return text if len(text) <= 40 else f"{text[:40]}…"


def value_of(path, line, name, text, kind):
    convert, right, form = KINDS.get(kind, (str, kind.replace("|", " or "), kind))
    if not re.fullmatch(form, text):
        raise BadData(path, line, f"{name} is '{cut(text)}'; {right} would be right")
    return None if convert != str and not text else convert(text)
