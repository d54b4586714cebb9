"""Ranks a folder of hand-ins of one exercise by what their programs cost: league.py [--exercise NN]
[--jobs N] DIR (make league DIR=…). All are marked with the same sizes and inputs; compared is the
last run of the last type.

Exit status: as mark_all's."""

import sys

from exercises.teach import handins, mark_all
from exercises.teach.marks import Marks
from exercises.teach.table import NAME, WIDTH
from exercises.teach.words import cut, left, plain
from tutorial.files import BadData

SEED = 1
OPEN = "your-fastest"  # in the name of the exercise that has no end

# What is compared, in this order: memory is what a reduction waits for, then launches, then what
# warps do. A figure is a sum of counters.
FIGURES = {
    "sectors": ["global_sectors"],
    "launches": ["launches"],
    "barriers": ["syncthreads"],
    "shared": ["shared_wavefronts"],
    "shuffles": ["shuffles", "reductions"],
    "branches": ["branches"],
}
CELL = 9


def figures(mark):
    return [sum(mark["counters"][name] for name in names) for names in FIGURES.values()]


def ranked(marks):
    """[(rank, student, mark)] of those that are done, the least cost first; equals share a rank.
    marks: {student: mark}."""
    order = sorted(((figures(mark), student) for student, mark in marks.items() if mark["passed"]))
    ranks = {}
    for place, (cost, _) in enumerate(order, 1):
        ranks.setdefault(tuple(cost), place)
    return [(ranks[tuple(cost)], student, marks[student]) for cost, student in order]


def lines(marks):
    table = ranked(marks)
    if table:
        name = WIDTH - 4 - CELL * len(FIGURES)
        yield "    " + left("student", name) + "".join(f"{head:>{CELL}}" for head in FIGURES)
        for rank, student, mark in table:
            yield f"{rank:>3} " + left(plain(student), name) + \
                "".join(f"{value:>{CELL}}" for value in figures(mark))
    rest = [student for student, mark in marks.items() if not mark["passed"]]
    if rest:
        yield from [""] * bool(table)
        yield "not ranked:"
    for student in rest:
        yield cut(f"    {left(plain(student), NAME)} {plain(marks[student]['message'])}", WIDTH - 1)


def exercise(text):
    """The one that is asked for; else the open one."""
    found = handins.named(text.split()) or [each for each in handins.exercises() if OPEN in each]
    if len(found) != 1:
        raise BadData(handins.EXERCISES, None, "which exercise? EXERCISE=04 ranks that one")
    return found[0]


def run(argv):
    asked = mark_all.arguments("league", argv)
    asked.exercise = exercise(asked.exercise)
    students, _, all = mark_all.gather(asked)
    found = mark_all.mark(students, all, Marks(asked.dir, "--seed", str(SEED)), asked.jobs)
    marks = {student: mark for (student, _), mark in found.items()}
    last = next((mark for mark in marks.values() if mark["passed"]), {"type": "", "sizes": {}})
    at = [last["type"], *(f"{name} = {value}" for name, value in last["sizes"].items())]
    print(f"\n{asked.exercise}: the least cost first{' at ' * bool(at[0])}{', '.join(at)}\n")
    print("\n".join(lines(marks)))
    return 1 if any(mark["reason"] == "tool" for mark in marks.values()) else 0


if __name__ == "__main__":
    sys.exit(mark_all.call("league", run))
