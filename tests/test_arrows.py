"""Arrows go down, in C and in Python: no circle of modules, no room that knows a higher one, and
what only one file may know is in one file."""

import graphlib
import re

import pytest

from harness import ROOT

# The backend's rooms from low to high; "" is simt/ itself, whose one file starts and ends a
# program. compile/ is a program of its own.
RANKS = {"include": 0, "run": 1, "watch": 2, "judge": 3, "": 4}
# Of each room of Python the rooms that it may know
READ = "plots.read"
ROOMS = {READ: {READ}, "plots": {READ, "plots"}, "plots.page": {READ, "plots.page"},
         "plots.measure": {READ, "plots.measure"}, "exercises.teach": {READ, "exercises.teach"}}


def includes(folder):
    """{module of this room: those that it includes}. A .c and its .h are one module; its name is their
    path without the ending. A file is looked for beside the one that includes it, then in the
    room."""
    folder, found = ROOT / folder, {}
    for file in sorted(folder.rglob("*")):
        if "tests" in file.relative_to(folder).parts or file.suffix not in (".c", ".h", ".cu", ".S"):
            continue
        own = found.setdefault(file.relative_to(folder).with_suffix("").as_posix(), set())
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', file.read_text(), re.M):
            for place in (file.parent / name).resolve(), (folder / name).resolve():
                if place.exists() and folder in place.parents:
                    own.add(place.relative_to(folder).with_suffix("").as_posix())
                    break
    return {own: to - {own} for own, to in found.items()}


@pytest.mark.parametrize("folder", ["common", "simt", "exercises"])
def test_no_circle(folder):
    """In common/, lab.h names all files from low to high, and one file knows the backend; in simt/ no
    room knows a higher one."""
    found = includes(folder)
    assert [*graphlib.TopologicalSorter(found).static_order()]  # a CycleError names a circle
    if folder == "common":
        comment = (ROOT / "common/lab.h").read_text().split("from low to high")[1].split("*/")[0]
        order = " ".join(re.findall(r"^ \*     (.*?)  ", comment, re.M)).split()
        assert sorted(order) == sorted(found)
        assert all(found[name] <= {*order[:place]} for place, name in enumerate(order))
        knows = re.compile(r'^\s*#.*\b(SIMT|simt\.h|__CUDACC__)\b', re.M)
        assert [file.name for file in (ROOT / "common").iterdir()
                if knows.search(file.read_text())] == ["backend.c"]
    for own, to in found.items() if folder == "simt" else ():
        room, *others = ("/" in name and name.partition("/")[0] or "" for name in (own, *to))
        assert room in {*RANKS, "compile"}
        assert all(room == other or RANKS.get(other, 9) <= RANKS.get(room, -1) for other in others), own


def test_python():
    """No room knows a higher one, and nothing but plots.read parses CSV files."""
    found = {}
    for room, may_know in ROOMS.items():
        for path in (ROOT / room.replace(".", "/")).glob("*.py"):
            lines = re.findall(r"^ *(?:import|from) ([\w.]+)(?: import (.*))?", path.read_text(), re.M)
            names = {name for name, _ in lines} | {f"{name}.{what}" for name, more in lines
                                                   for what in re.findall(r"\w+", more)}
            found[f"{room}.{path.stem}"] = names
            known = {name if name in ROOMS else name.rpartition(".")[0] for name in names}
            assert known & {*ROOMS} <= may_know, path
            assert room in (READ, "plots.measure") or "csv" not in names, (
                f"{path}: plots.read.csv_input reads CSV")
    found = {own: names & {*found} for own, names in found.items()}
    assert [*graphlib.TopologicalSorter(found).static_order()]
