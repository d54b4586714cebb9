"""Arrows go down, in C and in Python: no circle of modules, no room that knows a higher one, and
what only one file may know is in one file."""

import ast
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

def module(file, folder):
    """A .c and its .h are one module; its name is their path without the ending."""
    return file.relative_to(folder).with_suffix("").as_posix()


def includes(folder):
    """Which modules each module of a folder includes. A file is looked for beside the one that
    includes it, then from the folder on; where it is in neither it is none of the folder's."""
    folder = folder.resolve()
    found = {}
    for file in sorted(path for path in folder.rglob("*") if path.suffix in SOURCES
                       and "tests" not in path.relative_to(folder).parts):
        own = module(file, folder)
        to = found.setdefault(own, set())
        for name in INCLUDE.findall(file.read_text()):
            places = [place.resolve() for place in (file.parent / name, folder / name)]
            to.update(module(place, folder)
                      for place in [place for place in places if place.exists()][:1])
        to.discard(own)
    return found


@pytest.mark.parametrize("folder", ["common", "simt", "exercises"])
def test_no_circle(folder):
    assert in_order(includes(ROOT / folder))


def test_order_of_the_harness():
    """lab.h names all files from low to high; each stands on files before it alone."""
    comment = (ROOT / "common/lab.h").read_text().split("from low to high")[1].split("*/")[0]
    order = [name for line in re.findall(r"^ \*     (.*?)  ", comment, re.MULTILINE)
             for name in line.split()]
    found = includes(ROOT / "common")
    assert sorted(order) == sorted(found)
    for name in order:
        assert found[name] <= set(order[:order.index(name)]), name


# The backend's rooms from low to high; "" is simt/ itself, whose one file starts and ends a
# program. compile/ is a program of its own.
RANKS = {"include": 0, "run": 1, "watch": 2, "judge": 3, "": 4}
# Arithmetic: they know the events and nothing else, least of all files or other threads.
PURE = {"watch/merge", "watch/cost"}


def test_rooms_of_the_backend():
    found = includes(ROOT / "simt")
    assert {own.rpartition("/")[0] for own in found} == {*RANKS, "compile"}
    for own, to in found.items():
        room = own.rpartition("/")[0]
        for other in {name.rpartition("/")[0] for name in to}:
            assert room == other or RANKS.get(other, 9) <= RANKS.get(room, -1), (own, to)
    assert all(found[own] <= {"run/event", *PURE} for own in PURE)


def test_one_file_knows_the_backend():
    knows = re.compile(r'^\s*#.*\b(SIMT|simt\.h|__CUDACC__)\b', re.MULTILINE)
    assert [file.name for file in sorted((ROOT / "common").iterdir())
            if file.suffix in SOURCES and knows.search(file.read_text())] == ["backend.c"]


# ---- Python ----

# Of each room the rooms that it may know.
ROOMS = {"tutorial": {"tutorial"}, "plots": {"tutorial", "plots"}, "lab": {"tutorial", "lab"},
         "exercises.teach": {"tutorial", "exercises"}}
FILES = {f"{room}.{path.stem}": path
         for room in ROOMS for path in (ROOT / room.replace(".", "/")).glob("*.py")}


def imports(path):
    """The modules that a file imports: both a.b and a.b.c of `from a.b import c`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_python():
    """Nothing but tutorial parses CSV."""
    found = {module: imports(path) for module, path in FILES.items()}
    rooms = {room.partition(".")[0] for room in ROOMS}
    for module, names in found.items():
        own = module.rpartition(".")[0]
        assert {name.partition(".")[0] for name in names} & rooms <= ROOMS[own], module
        assert own == "tutorial" or "csv" not in names, f"{module}: tutorial.csv_input reads CSV"
    order = in_order({module: names & {*FILES} for module, names in found.items()})
    assert order.index("tutorial.files") < order.index("plots.draw")
