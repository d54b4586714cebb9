"""The targets that a student types need no Python: they run with a PATH that has none."""

import os
import re
import shutil

import pytest

from harness import ROOT, build, copy_rooms, make, said


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A PATH of all the system's programs but Python, nvcc and what only Python brought."""
    folder = tmp_path_factory.mktemp("bin")
    for place in "/usr/bin", "/bin":
        for name in os.listdir(place):
            if not re.match("python|pip|nvcc|nvidia-smi", name) and not (folder / name).exists():
                (folder / name).symlink_to(f"{place}/{name}")
    return str(folder)


@pytest.mark.parametrize("words, shown", [
    (["diff-02-03"], "lines of code: 4 removed, 3 added"), (["counters", "STEPS=02 03"], "bank conflicts"),
    (["run"], "verified"), (["help"], "diff-02-03"), (["exercises"], "remove the bank conflict")])
def test_looking(path, words, shown):
    build()
    assert shown in said(make("-s", *words, env={"PATH": path}))


def test_profile(path):
    """It says that there is no GPU, and which command has the same figures without one."""
    done = make("-s", "profile-03", env={"PATH": path})
    assert done.returncode == 2 and "make profile: no GPU here; make counters has" in done.stderr


def test_working(path, tmp_path):
    """An exercise, a program of one's own and the copy for students, in a tree of their own."""
    tree = copy_rooms(tmp_path / "tree", "common", "detours", "exercises", "make", "plots", "simt",
                      "steps")
    shutil.copy(ROOT / ".gitignore", tree)
    for words, shown in ((["new", "NAME=fast"], "own/fast/main.cu"), (["handout"], "handout.tar.gz"),
                         (["exercise"], "01-coalesce-the-loads"), (["mark-04"], "04-halve")):
        done = make("-s", *words, cwd=tree, env={"PATH": path})
        assert shown in done.stdout + done.stderr, done
        assert "ython" not in done.stderr
