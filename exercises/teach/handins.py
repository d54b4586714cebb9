"""What lies in a folder of hand-ins: DIR/STUDENT/NN-name/main.cu, the folders of exercises named as
ours are, one folder a student, by any name; a student may also have handed in the whole tutorial, as
DIR/STUDENT/exercises/NN-name/main.cu. Where one exercise is marked its main.cu may lie flat, as
DIR/STUDENT/main.cu or DIR/STUDENT.cu. Names that begin with a dot are not looked at."""

import collections
import os
import stat

from plots.read.files import ROOT, BadData

EXERCISES = os.path.join(ROOT, "exercises")
MOST_BYTES = 1 << 20  # as the marker has it

# file: its path, None where there is nothing to mark; why says then why not, in a few words.
HandIn = collections.namedtuple("HandIn", "student exercise file why")


def exercises():
    """The folders' names of all exercises there are, in their order."""
    return sorted(name for name in os.listdir(EXERCISES)
                  if os.path.exists(os.path.join(EXERCISES, name, "exercise.c")))


def named(texts):
    """The exercises that are called 04, 4 or by their folders' names; BadData if one is none."""
    all = exercises()
    found = [next((name for name in all if text in (name, number(name), number(name).lstrip("0"))),
                  None) for text in texts]
    if None in found:
        raise BadData(EXERCISES, None, f"no exercise '{texts[found.index(None)]}'; want one of "
                                       f"{' '.join(map(number, all))}")
    return sorted(set(found))


def number(exercise):
    """The 04 of 04-halve-the-barriers."""
    return exercise.partition("-")[0]


def is_folder(path):
    """A folder of its own: a link could lead to another student's, or to the solutions."""
    return os.path.isdir(path) and not os.path.islink(path)


def names_in(folder):
    """None of a folder that cannot be read; no hidden one, nor what a Mac's zip holds beside."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith((".", "__MACOSX")))
    except OSError:
        return []


def why_not(file):
    """Why this is nothing to mark; None if it is a file."""
    if not os.path.lexists(file):
        return "no main.cu"
    info = os.lstat(file)
    if stat.S_ISREG(info.st_mode) and info.st_size <= MOST_BYTES and os.access(file, os.R_OK):
        return None
    return "main.cu is no regular file of at most 1 MiB that can be read"


def in_folder(folder, wanted=None):
    """(students, hand-ins, paths left alone) of DIR, all in their order. wanted: only these exercises; else
    all that somebody has handed in. Where a student lacks one there is a HandIn without a file."""
    if not os.path.isdir(folder) or not os.access(folder, os.R_OK | os.X_OK):
        raise BadData(folder, None, "cannot be read; want a folder with a folder for each student")
    students, found, others = [], {}, []
    alone = wanted[0] if wanted and len(wanted) == 1 else None
    for student in names_in(folder):
        path = os.path.join(folder, student)
        flat = os.path.join(path, "main.cu")
        if not is_folder(path):
            if not alone or not student.endswith(".cu"):
                others.append(student)
                continue
            student, flat = student.removesuffix(".cu"), path
        students.append(student)
        if alone and os.path.lexists(flat):
            why = why_not(flat)
            others += [f"{os.path.relpath(flat, folder)}: {why}"] * bool(why)
            found[student, alone] = HandIn(student, alone, None if why else flat, why)
            continue
        whole = is_folder(os.path.join(folder, student, "exercises"))
        place = os.path.join(student, "exercises") if whole else student
        for name in names_in(os.path.join(folder, place)):
            path = os.path.join(place, name)
            if name in exercises() and is_folder(os.path.join(folder, path)):
                file = os.path.join(folder, path, "main.cu")
                why = why_not(file)
                if (wanted and name not in wanted) or (whole and not os.path.lexists(file)):
                    continue
                if why:
                    others.append(f"{path}: {why}")
                found[student, name] = HandIn(student, name, None if why else file, why)
            elif not whole or not os.path.exists(os.path.join(EXERCISES, name)):
                others.append(path)
    asked = wanted or sorted({name for _, name in found})
    return students, [found.get((student, name), HandIn(student, name, None, "not handed in"))
                      for student in students for name in asked], others
