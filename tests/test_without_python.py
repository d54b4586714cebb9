"""The targets that a student types need no Python: they run with a PATH that has none. (The first
build: test_readme.py.)"""

import shutil

import pytest

from harness import ROOT, build, copy_built, copy_rooms, make, said


@pytest.mark.parametrize("words, shown", [
    (["diff-02-03"], "lines of code: 4 removed, 3 added"), (["counters", "STEPS=02 03"], "bank conflicts"),
    (["run"], "verified"), (["help"], "diff-02-03"), (["exercises"], "remove the bank conflict")])
def test_looking(no_python, words, shown):
    build()
    assert shown in said(make("-s", *words, env={"PATH": no_python, "SIMT_CHECKS": "off"}))


def test_profile(no_python):
    """It says that there is no GPU, and which command has the same figures without one."""
    done = make("-s", "profile-03", env={"PATH": no_python})
    assert done.returncode == 2 and "make profile: no GPU here; make counters has" in done.stderr


def test_working(no_python, tmp_path):
    """An exercise, a program of one's own and the copy for students, in a tree of their own. It has two
    exercises, so that the marker is soon built."""
    tree = copy_rooms(tmp_path / "tree", "common", "detours", "exercises", "make", "plots", "simt",
                      "steps")
    copy_built(tree, ROOT / "build/simt")
    for text in set(tree.glob("exercises/*/exercise.c")) - set(tree.glob("exercises/0[14]-*/*")):
        shutil.rmtree(text.parent)
    shutil.copy(ROOT / ".gitignore", tree)
    for words, shown in ((["new", "NAME=fast"], "own/fast/main.cu"), (["handout"], "handout.tar.gz"),
                         (["exercise"], "01-coalesce-the-loads"), (["mark-04"], "04-halve")):
        done = make("-s", *words, cwd=tree, env={"PATH": no_python})
        assert shown in done.stdout + done.stderr, done
        assert "ython" not in done.stderr
