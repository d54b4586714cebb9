"""A student's own programs, in own/: make new begins one, make finds it as it does the others, and
nothing that is published sees it. (test_refusals.py: names that cannot be.)"""

import shutil
import sys

import pytest

from harness import READY, ROOT, assert_refused, build, copy_built, copy_rooms, make, replay, run, said, shell

ROOMS = ("common", "detours", "exercises", "make", "plots", "simt", "simt/tests", "steps",
         "tests/data")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A clone in which most is built, and in which own/fast is a copy of step 03."""
    folder = copy_rooms(tmp_path_factory.mktemp("clone") / "repository", *ROOMS)
    for name in "README.md", "NOTES.md":
        shutil.copy(ROOT / name, folder)
    copy_built(folder, ROOT / "build/simt", build())
    assert said(make("-s", "new", "NAME=fast", "FROM=03", cwd=folder)) == (
        "own/fast/main.cu: edit it, then make fast && ./fast\n")
    assert said(make("-s", "BACKEND=cpu", "fast", cwd=folder)) == ""
    return folder


def test_golden_own(here):
    """It runs and is compared; make new knows which names are taken. Published data never include what lies in
    own/, also if it is no program or has a name that make would expand."""
    replay("own.txt", shell(here, PYTHON=sys.executable, PYTHONPATH=str(here)), here=here)
    assert not (here / "X").exists()


def test_steps_say_how_they_are_built():
    for file, target in ("steps/03-sequential-addressing/main.cu", "make step03"), (
            "detours/grid-stride/main.cu", "make grid-stride"):
        done = run(ROOT / "simt/simtcc", ROOT / file, env=READY)
        assert_refused(done, 2, f"{file}:", "lab.h", target)
