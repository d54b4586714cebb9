"""The targets that a student types need no Python: they run with a PATH that has none. (The first
build: test_readme.py; exercises and programs of one's own: test_class.py.)"""

import pytest

from harness import build, make, said


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
