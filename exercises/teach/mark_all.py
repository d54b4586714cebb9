"""Marks a folder of hand-ins: mark_all.py [--exercise NN …] [--jobs N] --out FOLDER DIR
(make mark-all DIR=…). exercises/README.md has how DIR looks, FORMATS.md what is written.

Exit status: 0 all are marked, whatever the marks; 1 some could not be, through no fault of theirs;
2 a wrong call, or something cannot be read or written; 130 interrupted."""

from plots.read import entry  # before all else

import argparse
import json
import os
import shutil
import signal
import sys

from exercises.teach import formats, handins, same, table
from exercises.teach.marks import can_confine, marks
from exercises.teach.words import WIDTH, cut, plain
from plots.read.files import BadData, shown, write_text


def jobs(text):
    if not text.isdecimal() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f"'{text}': want a whole number from 1 to 64")
    return int(text)


def arguments(program, argv):
    """What both programs are called with. A wrong call is told in one line."""
    parser = argparse.ArgumentParser(prog=program, allow_abbrev=False)
    parser.add_argument("--exercise", default="", help="their numbers, with blanks between")
    parser.add_argument("--jobs", type=jobs, default=2, help="how many are marked at a time")
    parser.add_argument("--out", help="a folder for what is written")
    parser.add_argument("dir", help="DIR/STUDENT/NN-name/main.cu")
    parser.error = lambda message: (print(f"{program}: {message}", file=sys.stderr), sys.exit(2))
    asked = parser.parse_args(argv)
    if not asked.dir:
        parser.error("which folder? DIR=handins, with handins/STUDENT/NN-name/main.cu")
    return asked


def gather(asked):
    """(students, exercises, hand-ins), after a line for each thing that is not looked at."""
    wanted = handins.named(asked.exercise.split()) or None
    students, all, others = handins.in_folder(asked.dir, wanted)
    if not any(handin.file for handin in all):
        raise BadData(asked.dir, None, "nothing to mark; want STUDENT/NN-name/main.cu, as alice/"
                      f"{(wanted or handins.exercises())[0]}/main.cu, or alice.cu for one EXERCISE")
    if not can_confine():
        print("not confined, since bubblewrap is not installed or may not work here: hand-ins\n"
              "can read and write all that you can, other hand-ins and solutions too")
    for name in others:
        print(cut(f"not looked at: {plain(name)}", WIDTH - 1))
    return students, sorted({handin.exercise for handin in all}), all


def mark(students, all, jobs, *options):
    """{(student, exercise): mark} in the order of the hand-ins; a line for each student that is done."""
    found, finished = {}, 0
    for handin, one in marks(all, jobs, *options):
        found[handin] = one
        own = [found.get(each) for each in all if each.student == handin.student]
        if None not in own:
            finished += 1
            print(table.progress(finished, len(students), handin.student, own), flush=True)
    return {(each.student, each.exercise): found[each] for each in all}


# ---- what is written ----

def write_json(path, value):
    # a file name that is no UTF-8 has halves of pairs in it, which JSON can only escape
    write_text(path, json.dumps(value, indent=2) + "\n")


def write(out, marks, all):
    """marks.csv, grades.csv, equal.csv, junit.xml, and a folder a student; of an earlier call nothing stays."""
    if os.path.exists(os.path.join(out, "marks.csv")):
        shutil.rmtree(os.path.join(out, "students"), ignore_errors=True)
    for student in dict.fromkeys(student for student, _ in marks):
        folder = os.path.join(out, "students", student)
        own = [one for (whose, _), one in marks.items() if whose == student]
        for one in own:
            if one["reason"] != "none":
                write_json(os.path.join(folder, f"{one['name']}.json"), one)
        write_json(os.path.join(folder, "gradescope.json"), formats.gradescope(own))
    write_text(os.path.join(out, "junit.xml"), formats.junit(marks))
    write_text(os.path.join(out, "marks.csv"), table.csv(marks))
    write_text(os.path.join(out, "grades.csv"), table.grades(
        dict.fromkeys(student for student, _ in marks),
        sorted({exercise for _, exercise in marks}), marks))
    write_text(os.path.join(out, "equal.csv"), "".join(
        f"{exercise},{','.join(table.field(student, True) for student in students)}\n"
        for exercise, students in same.groups(all)))


def run(argv):
    asked = arguments("mark-all", argv)
    students, exercises, all = gather(asked)
    found = mark(students, all, asked.jobs)
    print("\n".join(["", *table.lines(students, exercises, found), "",
                     "scores in percent; - not handed in, ? could not be judged",
                     *table.compiler_said(found)]))
    same.tell(all)
    broken = [(key, one) for key, one in found.items() if one["reason"] == "tool"]
    for (student, exercise), one in broken:
        print(cut(f"mark-all: {plain(student)}, {exercise}: {plain(one['message'])}", 200), file=sys.stderr)
    if asked.out:
        write(asked.out, found, all)
        print(f"\n{shown(asked.out)}/marks.csv, grades.csv, equal.csv, junit.xml, students/")
    return 1 if broken else 0


def call(program, run):
    """Runs one of the two programs, and ends."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, signal.default_int_handler)  # also where it is ignored
    if sys.stdout:
        sys.stdout.reconfigure(errors="backslashreplace")
    entry.run(program, lambda: run(sys.argv[1:]))


if __name__ == "__main__":
    call("mark-all", run)
