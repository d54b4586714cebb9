"""Hand-ins that are equal but for names, blanks and comments. Pure, but for reading the files."""

import os
import re
import textwrap

from exercises.teach.handins import EXERCISES
from exercises.teach.words import WIDTH, plain

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*")|([A-Za-z_]\w*)|(\d[\w.]*|\S)', re.S)


def shape_of(file):
    """The tokens of a program, each name replaced by when it came first."""
    names, tokens = {}, []
    with open(file, encoding="utf-8", errors="replace") as program:
        for string, name, other in TOKEN.findall(program.read()):
            if name:
                tokens.append(names.setdefault(name, f"n{len(names)}"))
            elif string or other:
                tokens.append(string or other)
    return " ".join(tokens)


def groups(handins):
    """[(exercise, students)]: two or more whose programs have one shape, which is not the given program's."""
    found = {}
    for each in handins:
        if each.file:
            key = each.exercise, shape_of(each.file)
            found.setdefault(key, []).append(each.student)
    given = {exercise: shape_of(os.path.join(EXERCISES, exercise, "given.cu"))
             for exercise, _ in found}
    return [(exercise, students) for (exercise, shape), students in found.items()
            if len(students) > 1 and shape != given[exercise]]


def tell(handins):
    """What a teacher reads of it: each name that is equal to others, in lines of the terminal."""
    for exercise, students in groups(handins):
        line = f"equal but for names and blanks: {exercise}: {plain(', '.join(students))}"
        print(textwrap.fill(line, WIDTH - 1, subsequent_indent="    "))
