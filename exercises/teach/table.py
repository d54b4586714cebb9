"""What a teacher reads of a class's marks, in 80 columns, and the CSV. All functions are pure;
marks are {(student, exercise): mark}."""

import re

from exercises.teach.formats import FULL
from exercises.teach.handins import number
from exercises.teach.words import NAME, WIDTH, columns, cut, left, plain

CELL, MOST_LINES = 6, 12
COLUMNS = ("student", "exercise", "score", "passed", "status", "reason", "message", "type", "runs",
           "right", "seed", "seconds")


def cell(mark):
    """A score; -: nothing was handed in; ?: it could not be judged."""
    return "-" if mark["reason"] == "none" else "?" if mark["status"] == 5 else str(mark["score"])


def done(marks):
    return sum(mark["passed"] for mark in marks)


def lines(students, exercises, marks):
    """A line a student, a column an exercise; the columns that do not fit follow below. Behind them
    how many are done."""
    name = min(NAME, max(columns(plain(student)) for student in [*students, "student"]))
    fit = (WIDTH - name - CELL) // CELL
    for first in range(0, len(exercises), fit):
        some, last = exercises[first:first + fit], first + fit >= len(exercises)
        heads = [number(each) for each in some] + ["done"] * last
        if first:
            yield ""
        yield left("student", name) + "".join(f"{head:>{CELL}}" for head in heads)
        for student in students:
            cells = [cell(marks[student, each]) for each in some]
            if last:
                cells.append(str(done(marks[student, each] for each in exercises)))
            yield left(plain(student), name) + "".join(f"{text:>{CELL}}" for text in cells)


def progress(count, total, student, marks):
    """The line that is shown when all of a student's hand-ins are marked."""
    rest = [f"{number(mark['name'])} {mark['reason']}" for mark in marks
            if not mark["passed"] and mark["reason"] != "none"]
    handed_in = sum(mark["reason"] != "none" for mark in marks)
    head = f"{count:>{len(str(total))}}/{total}  {left(plain(student), NAME)}  "
    return cut(plain(f"{head}{done(marks)} of {handed_in} done{': ' * bool(rest)}"
                     f"{', '.join(rest)}"), WIDTH - 1)


def folded(text):
    """Others' lines, none longer than the terminal, the first of them."""
    all = text.rstrip("\n").split("\n")
    for line in all[:MOST_LINES]:
        yield "    " + cut(plain(line), WIDTH - 5)
    if len(all) > MOST_LINES:
        yield f"    … {len(all) - MOST_LINES} lines more in the JSON"


def compiler_said(marks):
    """What does not compile, in the compiler's own words."""
    for (student, exercise), mark in marks.items():
        if (mark["compiler"] or mark["reason"] == "compile") and not mark["passed"]:
            yield ""
            yield cut(f"{plain(student)}, {exercise}: {plain(mark['message'])}", WIDTH - 1)
            yield from folded(mark["compiler"]) if mark["compiler"] else ()


# ---- CSV ----

def field(value, key=False):
    """One field. What a spreadsheet would take for a formula is made a text by a ' in front, but not
    of a key, which is the folder's name."""
    text = str(value) if key and str(value).isprintable() else plain(str(value))
    if isinstance(value, str) and not key and re.match(r"[=+\-@]", text):
        text = "'" + text
    return '"' + text.replace('"', '""') + '"' if re.search('[",]', text) else text


def csv(marks):
    """A header, and a line for each student and exercise."""
    rows = [",".join(COLUMNS)]
    for (student, exercise), mark in marks.items():
        last = mark["types"][-1] if mark["types"] else {"runs": 0, "right": 0}
        values = mark | {"student": student, "exercise": exercise, "passed": int(mark["passed"]),
                         "runs": last["runs"], "right": last["right"],
                         "seconds": f"{mark['seconds']:.1f}"}
        rows.append(",".join(field(values[name], name in COLUMNS[:2]) for name in COLUMNS))
    return "\n".join(rows) + "\n"


def grades(students, exercises, marks):
    """A line a student, for a gradebook: the number that Moodle has in the folder's or file's name,
    which its worksheets call Participant 12345, or the whole name; a column an exercise, empty where
    it could not be judged; points, and how many there could be."""
    rows = [",".join(["Identifier", "student", *map(number, exercises), "total", "maximum"])]
    for student in students:
        moodle = re.fullmatch(r".*_(\d+)_assignsubmission_file.*", student)
        own = [marks[student, each] for each in exercises]
        points = [mark["score"] if mark["status"] != 5 else "" for mark in own]
        judged = [each for each in points if each != ""]
        rows.append(",".join([field(f"Participant {moodle[1]}" if moodle else student, True),
                              field(student, True), *map(str, points), str(sum(judged)),
                              str(FULL * len(judged))]))
    return "\n".join(rows) + "\n"
