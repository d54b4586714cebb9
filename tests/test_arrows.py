"""Arrows go down, in C and in Python: no circle of modules, no room that knows a higher one, and
what only one file may know is in one file."""

import graphlib
import re

import pytest

from harness import ROOT

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCES = {".c", ".h", ".cu", ".S"}


def in_order(arrows):
    """The modules from low to high; a CycleError names a circle."""
    return [*graphlib.TopologicalSorter(arrows).static_order()]


# ---- C ----

def includes(folder):
    """{module of this room: those that it includes}. A .c and its .h are one module; its name is their
    path without the ending. A file is looked for beside the one that includes it, then in the
    room."""
    def module(file):
        return file.relative_to(folder).with_suffix("").as_posix()

    folder, found = ROOT / folder, {}
    for file in sorted(path for path in folder.rglob("*") if path.suffix in SOURCES
                       and "tests" not in path.relative_to(folder).parts):
        places = ([(file.parent / name).resolve(), (folder / name).resolve()]
                  for name in INCLUDE.findall(file.read_text()))
        there = (next(filter(type(file).exists, each), None) for each in places)
        found.setdefault(module(file), set()).update(
            module(each) for each in there if each and folder in each.parents)
    return {own: to - {own} for own, to in found.items()}


@pytest.mark.parametrize("folder", ["common", "simt", "exercises"])
def test_no_circle(folder):
    assert in_order(includes(folder))


def test_order_of_the_harness():
    """lab.h names all files from low to high; each stands on files before it alone. One file knows
    the backend."""
    comment = (ROOT / "common/lab.h").read_text().split("from low to high")[1].split("*/")[0]
    order = [name for line in re.findall(r"^ \*     (.*?)  ", comment, re.MULTILINE)
             for name in line.split()]
    found = includes("common")
    assert sorted(order) == sorted(found)
    for name in order:
        assert found[name] <= set(order[:order.index(name)]), name
    knows = re.compile(r'^\s*#.*\b(SIMT|simt\.h|__CUDACC__)\b', re.MULTILINE)
    assert [file.name for file in sorted((ROOT / "common").iterdir())
            if file.suffix in SOURCES and knows.search(file.read_text())] == ["backend.c"]


# The backend's rooms from low to high; "" is simt/ itself, whose one file starts and ends a
# program. compile/ is a program of its own.
RANKS = {"include": 0, "run": 1, "watch": 2, "judge": 3, "": 4}


def room_of(module):
    return module.partition("/")[0] if "/" in module else ""


def test_rooms_of_the_backend():
    found = includes("simt")
    assert {room_of(own) for own in found} == {*RANKS, "compile"}
    for own, to in found.items():
        room = room_of(own)
        for other in {room_of(name) for name in to}:
            assert room == other or RANKS.get(other, 9) <= RANKS.get(room, -1), (own, to)


# ---- Python ----

# Of each room the rooms that it may know.
READ = "plots.read"
ROOMS = {READ: {READ}, "plots": {READ, "plots"}, "plots.page": {READ, "plots.page"},
         "plots.measure": {READ, "plots.measure"}, "exercises.teach": {READ, "exercises.teach"}}


def imports(path):
    """The modules that a file imports: both a.b and a.b.c of `from a.b import c`."""
    found = re.findall(r"^ *(?:import|from) ([\w.]+)(?: import (.*))?", path.read_text(), re.M)
    return {module for module, _ in found} | {
        f"{module}.{name}" for module, names in found for name in re.findall(r"\w+", names)}


def test_python():
    """No room knows a higher one, and nothing but plots.read parses CSV files."""
    def rooms_of(name):
        return [room for room in (name, name.rpartition(".")[0]) if room in ROOMS][:1]

    found = {f"{room}.{path.stem}": imports(path) for room in ROOMS
             for path in (ROOT / room.replace(".", "/")).glob("*.py")}
    for module, names in found.items():
        own = module.rpartition(".")[0]
        assert {room for name in names for room in rooms_of(name)} <= ROOMS[own], module
        assert own in (READ, "plots.measure") or "csv" not in names, (
            f"{module}: plots.read.csv_input reads CSV")
    order = in_order({module: names & {*found} for module, names in found.items()})
    assert order.index("plots.read.files") < order.index("plots.draw")
