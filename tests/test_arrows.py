"""Arrows go down: no circle of files, and what only one file may know is in one file."""

import re

import pytest

from harness import ROOT

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCES = {".c", ".h", ".cu", ".S"}


def module(file, folder):
    """A .c and its .h are one module; its name is their path without the ending."""
    return file.relative_to(folder).with_suffix("").as_posix()


def arrows(folder):
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


def circle(arrows):
    """The modules of one circle, in its order, the first of them once more at the end; or []."""
    done = set()

    def search(path):
        for to in sorted(arrows[path[-1]]):
            if to in path:
                return path[path.index(to):] + [to]
            if to not in done and (found := search(path + [to])):
                return found
        done.add(path[-1])
        return []

    return next(filter(None, (search([start]) for start in arrows if start not in done)), [])


@pytest.mark.parametrize("folder", ["common", "simt", "exercises"])
def test_no_circle(folder):
    assert circle(arrows(ROOT / folder)) == []


def test_order_of_the_harness():
    """lab.h names all files from low to high; each stands on files before it alone."""
    comment = (ROOT / "common/lab.h").read_text().split("from low to high")[1].split("*/")[0]
    order = [name for line in re.findall(r"^ \*     (.*?)  ", comment, re.MULTILINE)
             for name in line.split()]
    found = arrows(ROOT / "common")
    assert sorted(order) == sorted(found)
    for name in order:
        assert found[name] <= set(order[:order.index(name)]), name


def test_circles_are_found(tmp_path):
    files = {"x/a.h": ["y/b.h"], "y/b.h": ["c.h"], "y/c.h": ["x/a.h"]}
    for name, included in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("".join(f'# include "{other}"\n' for other in included))
    assert circle(arrows(tmp_path)) == ["x/a", "y/b", "y/c", "x/a"]


# The backend's rooms from low to high; "" is simt/ itself, whose one file starts and ends a
# program. compile/ is a program of its own.
RANKS = {"include": 0, "include/nvtx3": 0, "run": 1, "watch": 2, "judge": 3, "": 4}
# Arithmetic: they know the events and nothing else, least of all files or other threads.
PURE = {"watch/merge", "watch/cost"}


def wrong_arrows(arrows):
    """(from, to): those that go up, and those that leave or enter compile/."""
    def allowed(a, b):
        return a == b if "compile" in (a, b) else RANKS[b] <= RANKS[a]
    return [(own, other) for own, to in arrows.items() for other in sorted(to)
            if not allowed(own.rpartition("/")[0], other.rpartition("/")[0])]


def test_rooms_of_the_backend():
    found = arrows(ROOT / "simt")
    assert {own.rpartition("/")[0] for own in found} == {*RANKS, "compile"}
    assert sum(map(len, found.values())) > 100
    assert wrong_arrows(found) == []
    for own in PURE:
        assert found[own] <= {"run/event", *PURE}, own


@pytest.mark.parametrize("own, other", [("run/block", "watch/hooks"),
                                        ("compile/rewrite", "run/end")])
def test_a_wrong_arrow_is_seen(own, other):
    found = arrows(ROOT / "simt")
    found[own] = found[own] | {other}
    assert wrong_arrows(found) == [(own, other)]


def test_one_file_knows_the_backend():
    knows = re.compile(r'^\s*#.*\b(SIMT|simt\.h|__CUDACC__)\b', re.MULTILINE)
    assert [file.name for file in sorted((ROOT / "common").iterdir())
            if file.suffix in SOURCES and knows.search(file.read_text())] == ["backend.c"]
