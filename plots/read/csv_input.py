"""Reads CSV files whose first lines may be comments, `# key: value`. A format is {column: kind}, written
as columns("name n:int cache:cold|hot"): texts, numbers, or one of some texts. A fault
in a file raises BadData."""

import csv
import re

from plots.read.files import BadData, read_text

NUMBER = r"-?\d{1,18}(\.\d{0,30})?(e[-+]?\d\d?)?"
# kind: what makes a value of a text, what is right, and as a regular expression; from where to where
KINDS = {"": (str, "", ".*", None),
         "int": (int, "a whole number of at most 18 digits", r"(\d{1,18})?", None),
         "float": (float, "a number from 1e-99 to 1e99", f"({NUMBER})?", None),
         "size": (int, "a whole number from 1, of at most 18 digits", r"\d{1,18}", (1, 1e18)),
         "ms": (float, "a time from 1e-6 to 1e9 ms", NUMBER, (1e-6, 1e9)),
         "rate": (float, "a bandwidth from 1e-3 to 1e9 GB/s", NUMBER, (1e-3, 1e9))}


class Row(dict):
    """{column: value}; a number is None where nothing stands. line: its place in the file, from 1."""


class Table(list):
    """Rows. comments: {key: text}."""

    def comment(self, key, kind=""):
        """The value of the line `# key: value`."""
        if key not in self.comments:
            raise BadData(self.path, None, f"no line '# {key}: …' in front of the header")
        return value_of(self.path, None, key, self.comments[key], kind)

    def check(self, row, is_right, what):
        """what: is told if it is not right; row: or None."""
        if not is_right:
            raise BadData(self.path, row and row.line, what)


def columns(text):
    return dict(column.partition(":")[::2] for column in text.split())


def read_table(path, format, wanted=lambda fields: True):
    """A file whose header has these columns, and whose rows have as many fields as
    the header. wanted: only these rows, given as {column: text}, are looked into; a trace is long."""
    lines, table = read_text(path).split("\n"), Table()
    if lines.pop():
        raise BadData(path, len(lines) + 1, "ends without a newline: the file is cut off")
    first = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    parts = (line[1:].partition(":") for line in lines[:first])
    table.path, table.comments = path, {key.strip(): value.strip() for key, _, value in parts}
    reader = csv.reader(lines[first:])  # simtcc puts a name with commas in quotes
    header = next(reader, [])
    if missing := [column for column in format if column not in header]:
        raise BadData(path, first + 1, f"the header lacks {', '.join(missing)}")
    try:
        for fields in reader:
            line = first + reader.line_num
            if len(fields) != len(header):
                raise BadData(path, line, f"{len(fields)} fields, not the {len(header)} of the "
                                          "header: a row cut off or damaged")
            fields = dict(zip(header, fields))
            if wanted(fields):
                table.append(Row((column, value_of(path, line, column, fields[column], kind))
                                 for column, kind in format.items()))
                table[-1].line = line
    except csv.Error as error:
        raise BadData(path, first + reader.line_num, f"{error}: a row damaged") from None
    return table


def cut(text):
    """Of 5,000 digits a message shows few."""
    return text if len(text) <= 40 else f"{text[:40]}…"


def value_of(path, line, name, text, kind):
    convert, right, form, limits = KINDS.get(kind, (str, kind.replace("|", " or "), kind, None))
    if re.fullmatch(form, text, re.ASCII):
        value = None if convert != str and not text else convert(text)
        if not limits or limits[0] <= value <= limits[1]:
            return value
    raise BadData(path, line, f"{name} is '{cut(text)}'; {right} would be right")
