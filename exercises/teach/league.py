"""Ranks a folder of hand-ins of one exercise by what their programs cost: league.py [--exercise NN]
[--jobs N] DIR (make league DIR=…). All are marked with the same sizes and inputs. Those that are done
run once more at two larger sizes, at each of which they are ranked. With TIMES=1 in the environment
the open exercise's are also timed, where there is a GPU.

Exit status: as mark_all's."""

from tutorial import entry  # before all else

import os
import shutil
import subprocess
import tempfile

from exercises.teach import handins, mark_all
from exercises.teach.marks import Marks
from exercises.teach.table import NAME, WIDTH
from exercises.teach.words import cut, left, plain
from tutorial.files import ROOT, BadData

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


# ---- times ----

def timed(file):
    """{program: the medians in microseconds} of yours, step07 and cub, at what heads them; or why
    there are none, in a line. A copy is timed: make would take a student's name for its own text."""
    with tempfile.TemporaryDirectory(prefix="league-") as folder:
        shutil.copyfile(file, os.path.join(folder, "main.cu"))
        done = subprocess.run(["make", "-s", "--no-print-directory", "-C", ROOT, "times",
                               f"FILE={folder}/main.cu"], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL)
    table = [line.split() for line in done.stdout.splitlines()]
    if done.returncode or len(table) != 4:
        return None, " ".join((done.stderr or done.stdout).split())
    return {"at": table[0][table[0].index("=") + 1:]} | {row[0]: row[1:] for row in table[1:]}, None


def lines_of_times(times):
    """times: {student: what timed() returned}. The fastest at the largest n first, among step 07 and
    CUB."""
    good = {student: found for student, (found, _) in times.items() if found}
    rows = [(student, found["yours"]) for student, found in good.items()]
    if good:
        last = list(good.values())[-1]
        rows += [(f"({name})", last[name]) for name in ("step07", "cub")]
        name = WIDTH - 4 - CELL * len(last["at"])
        yield "    " + left("microseconds", name) + "".join(f"{n:>{CELL}}" for n in last["at"])
    for student, row in sorted(rows, key=lambda each: float(each[1][-1])):
        yield "    " + left(plain(student), name) + "".join(f"{cell:>{CELL}}" for cell in row)
    whys = {student: why for student, (found, why) in times.items() if not found}
    if not good and len(set(whys.values())) == 1:
        yield cut(plain(*set(whys.values())), WIDTH - 1)
        return
    for student, why in whys.items():
        yield cut(f"    {left(plain(student), NAME)} {plain(why)}", WIDTH - 1)


# ---- all of it ----

def at_size(asked, type, at, done):
    """Ranks them at one size."""
    marks = Marks("--seed", str(SEED), "--type", type, "--at", at)
    found = {handin.student: mark for handin, mark in marks.all(done, asked.jobs)}
    sizes = next(iter(found.values()))["sizes"].items()
    print(f"\nthe least cost first, {type}, {', '.join(f'{name} = {n:,}' for name, n in sizes)}\n")
    print("\n".join(lines({handin.student: found[handin.student] for handin in done})))


def run(argv):
    asked = mark_all.arguments("league", argv)
    asked.exercise = exercise(asked.exercise)
    students, _, all = mark_all.gather(asked)
    found = mark_all.mark(students, all, Marks("--seed", str(SEED)), asked.jobs)
    marks = {student: mark for (student, _), mark in found.items()}
    done = [handin for handin in all if marks[handin.student]["passed"]]
    print(f"\n{asked.exercise}")
    mark_all.tell_same(all)
    if done:
        mark = marks[done[0].student]
        for at in AT[tuple(mark["sizes"])]:
            at_size(asked, mark["type"], at, done)
        if os.environ.get("TIMES") and OPEN in asked.exercise:
            print("")
            print("\n".join(lines_of_times({each.student: timed(each.file) for each in done})))
    rest = {student: mark for student, mark in marks.items() if not mark["passed"]}
    if rest:
        print("\n" + "\n".join(lines(rest)))
    return 1 if any(mark["reason"] == "tool" for mark in marks.values()) else 0


if __name__ == "__main__":
    mark_all.call("league", run)
