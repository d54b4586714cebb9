"""Ranks a folder of hand-ins of one exercise by what their programs cost: make league DIR=…, which calls
league.py [--exercise NN] [--jobs N] DIR. All are marked with the same sizes and inputs; those that are done
run once more at two larger sizes, at each of which they are ranked. Exit status: as mark_all's."""

from plots.read import entry  # before all else

from exercises.teach import handins, mark_all, same
from exercises.teach.marks import marks
from exercises.teach.words import NAME, WIDTH, cut, left, plain
from plots.read.files import BadData

SEED, OPEN = "1", "your-fastest"  # OPEN: in the name of the exercise that has no end

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

# Where they are compared, by the exercise's sizes: up to what the inputs' sums are exact.
AT = {("n",): ["65536", "1000000"], ("rows",): ["2048", "31250"],
      ("rows", "cols"): ["256,256", "1000,1000"]}


def figures(mark):
    return [sum(mark["counters"][name] for name in names) for names in FIGURES.values()]


def cost(mark):
    """What is compared: two digits, since a sector in a thousand makes nothing faster."""
    return tuple(float(f"{value:.2g}") for value in figures(mark))


def ranked(marks):
    """[(rank, student, mark)] of those that are done, the least cost first; equals share a rank.
    marks: {student: mark}."""
    order = sorted((cost(mark), student) for student, mark in marks.items() if mark["passed"])
    ranks = {}
    for place, (each, _) in enumerate(order, 1):
        ranks.setdefault(each, place)
    return [(ranks[each], student, marks[student]) for each, student in order]


def lines(marks):
    """A table of those that are done."""
    name = WIDTH - 4 - CELL * len(FIGURES)
    yield "    " + left("student", name) + "".join(f"{head:>{CELL}}" for head in FIGURES)
    for rank, student, mark in ranked(marks):
        yield f"{rank:>3} " + left(plain(student), name) + \
            "".join(f"{value:>{CELL}}" for value in figures(mark))


def not_ranked(marks):
    rest = [cut(f"    {left(plain(student), NAME)} {plain(mark['message'])}", WIDTH - 1)
            for student, mark in marks.items() if not mark["passed"]]
    return ["", "not ranked:", *rest] if rest else []


def exercise(text):
    """The one that is asked for; else the open one."""
    found = handins.named(text.split()) or [each for each in handins.exercises() if OPEN in each]
    if len(found) != 1:
        raise BadData(handins.EXERCISES, None, "which exercise? EXERCISE=04 ranks that one")
    return found[0]


# ---- all of it ----

def at_size(jobs, type, at, done):
    """Ranks them at one size."""
    found = {handin.student: mark for handin, mark in
             marks(done, jobs, "--seed", SEED, "--type", type, "--at", at)}
    sizes = next(iter(found.values()))["sizes"].items()
    print(f"\nthe least cost first, {type}, {', '.join(f'{name} = {n:,}' for name, n in sizes)}\n")
    print("\n".join([*lines(found), *not_ranked(found)]))


def run(argv):
    asked = mark_all.arguments("league", argv)
    asked.exercise = exercise(asked.exercise)
    students, _, all = mark_all.gather(asked)
    found = {student: mark for (student, _), mark in
             mark_all.mark(students, all, asked.jobs, "--seed", SEED).items()}
    done = [handin for handin in all if found[handin.student]["passed"]]
    print(f"\n{asked.exercise}")
    same.tell(all)
    if done:
        mark = found[done[0].student]
        for at in AT[tuple(mark["sizes"])]:
            at_size(asked.jobs, mark["type"], at, done)
    for line in not_ranked(found):
        print(line)
    return 1 if any(mark["reason"] == "tool" for mark in found.values()) else 0


if __name__ == "__main__":
    mark_all.call("league", run)
