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
         "hex": (str, "hexadecimal numbers such as 0x0000001f",
                 r"(0x[\da-f]{1,16}(\s0x[\da-f]{1,16})*\s?)?", None),
         "ms": (float, "a time from 1e-6 to 1e9 ms", NUMBER, (1e-6, 1e9)),
         "rate": (float, "a bandwidth from 1e-3 to 1e9 GB/s", NUMBER, (1e-3, 1e9))}


class Row(dict):
    """{column: value}; a number is None where nothing stands. line: its place in the file, from 1;
    text: that line."""


class Table(list):
    """Rows. comments: {key: text}, places: {key: its (line, column)}; last_line: how many lines the
    file has."""

    def comment(self, key, kind=""):
        """The value of the line `# key: value`."""
        if key not in self.comments:
            raise BadData(self.path, 1, f"no line '# {key}: …' in front of the header")
        place, text = self.places[key], self.comments[key]
        if not text:
            raise BadData(self.path, place, f"the line '# {key}:' says nothing")
        return value_of(self.path, place, key, text, kind)

    def check(self, row, is_right, what, column=None):
        """what: is told if it is not right. row: or None; column: whose value it is about."""
        if not is_right:
            place = row.line if row else self.last_line
            if column:
                place = place, position(row.text, self.header.index(column))
            raise BadData(self.path, place, what)


def columns(text):
    return dict(column.partition(":")[::2] for column in text.split())


def read_table(path, format, text=None, wanted=lambda fields: True):
    """A file, or its text, whose header has these columns, and whose rows have as many fields as
    the header. wanted: only these rows, given as {column: text}, are looked into; a trace is long."""
    lines = (read_text(path) if text is None else text).split("\n")
    if lines.pop():
        raise BadData(path, len(lines) + 1, "ends without a newline: the file is cut off")
    table = Table()
    table.path, table.last_line = path, len(lines)
    table.comments, table.places, first = read_comments(path, lines)
    header = table.header = lines[first].split(",") if lines[first:] else []
    if missing := [column for column in format if column not in header]:
        raise BadData(path, (max(min(first + 1, len(lines)), 1), 1), f"columns missing: "
                      f"{', '.join(missing)}; the header would be {','.join(format)}")
    for index, column in enumerate(header):
        if column in header[:index]:
            raise BadData(path, (first + 1, position(lines[first], index)),
                          f"a second column {column}; one would be right")
    for line, text in enumerate(lines[first + 1:], first + 2):
        # simtcc puts a name with commas in quotes
        try:
            fields = next(csv.reader([text])) if '"' in text else text.split(",")
        except csv.Error as error:
            raise BadData(path, (line, text.index('"') + 1), f"{error}: a row damaged") from None
        if len(fields) != len(header):
            raise BadData(path, (line, len(text) + 1), f"{len(fields)} fields, not the {len(header)} of the "
                                      "header: a row cut off or damaged")
        fields = dict(zip(header, fields))
        if wanted(fields):
            table.append(Row((column, value_of(path, (line, text, header.index(column)), column,
                                               fields[column], kind))
                             for column, kind in format.items()))
            table[-1].line, table[-1].text = line, text
    return table


def read_comments(path, lines):
    """{key: text} of the lines `# key: text` in front, {key: (line, column of the text)}, and how many
    lines these are."""
    comments, places = {}, {}
    for number, line in enumerate(lines):
        if not line.startswith("#"):
            return comments, places, number
        key, sign, value = line[1:].partition(":")
        key = key.strip()
        if sign and key in comments:
            raise BadData(path, (number + 1, 1), f"a second line '# {key}:'; one would be right")
        comments[key] = value.strip()
        places[key] = number + 1, len(line) - len(value.lstrip()) + 1
    return comments, places, len(lines)


def position(text, index):
    """Where the field of this index begins in a line, from 1."""
    quoted, commas = False, 0
    for at, letter in enumerate(text):
        if commas == index:
            return at + 1
        quoted ^= letter == '"'
        commas += letter == "," and not quoted
    return len(text) + 1


def cut(text):
    """Of 5,000 digits a message shows few."""
    return text if len(text) <= 40 else f"{text[:40]}…"


def value_of(path, place, name, text, kind):
    """place: (line, column), or (line, its text, the field's index), if the column is not known yet."""
    convert, right, form, limits = KINDS.get(kind, (str, kind.replace("|", " or "), kind, None))
    if re.fullmatch(form, text, re.ASCII):
        value = None if convert != str and not text else convert(text)
        if not limits or limits[0] <= value <= limits[1]:
            return value
    line, *where = place
    column = where[0] if len(where) == 1 else position(*where)
    raise BadData(path, (line, column), f"{name} is '{cut(text)}'; {right} would be right")
