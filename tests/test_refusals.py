"""Refused calls: each mistake is told in one line, with the status of its kind, and nothing is built, run
or written. No shell runs what was typed. (The lines are in golden/refused-….)"""

import re
import shlex
import shutil
import sys

import pytest

from harness import (NEEDS_GPU, ROOT, assert_refused, build, build_programs, copy_rooms, make,
                     replay, run, said, script, tools)


def for_each(answer):
    """A typed call may name several values, {a,b,c}. All must be refused in the same words, but for the
    value itself; the transcript has these words once."""
    def answer_to_all(typed):
        before, values, behind = re.fullmatch(r"(?s)(.*?)(?:\{(.*)\}(.*))?", typed).groups()
        told = []
        for value in values.split(",") if values else [""]:
            told.append(answer(before + value + (behind or "")))
            if value:
                told[-1].stderr = re.sub(
                    rf"(?<=[-=' ]){re.escape(value)}(?=:|'| (?:is|and|or) )", "…", told[-1].stderr)
        assert {each.stderr for each in told} == {told[0].stderr}
        return told[0]
    return answer_to_all


# ---- make ----

@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A clone in which nothing is built."""
    folder = copy_rooms(tmp_path_factory.mktemp("clone"), "common", "detours", "exercises", "make",
                        "plots", "simt", "steps")
    (folder / "tests").symlink_to(ROOT / "tests")
    return folder


def entries(folder):
    """The files there, but for the tool that knows what diff-… can mean."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")
                  if not path.relative_to(folder).as_posix().startswith(("build", "."))
                  and "__pycache__" not in path.parts)


def assert_told_once(done):
    """The first line names the mistake, in the form that editors know if it is make's; make's own line may
    follow."""
    told, *by_make = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert told.startswith(("make", "Makefile:", "simt/simt.mk:"))
    assert len(by_make) <= 1 and all(line.startswith("make: *** [") for line in by_make)
    done.stderr = re.sub(r"^\S+:\d+: (?=\*\*\*)", "", told) + "\n"
    return done


def refused(done, status=2):
    assert_refused(done, status)
    return done


@pytest.mark.parametrize("group", ["values", "names", "own"])
def test_golden_make(here, group):
    """Typed calls, their words parted by bars; the environment has values, too."""
    before = entries(here)
    replay(f"refused-{group}.csv", for_each(lambda typed: assert_told_once(make(
        *["-s"] * (group != "names"), *[f"PYTHON={sys.executable}"] * ("PYTHON" not in typed),
        *typed.split("|"), cwd=here,
        env={"NAME": "host", "DATA": "$(shell touch X)"}))), here=here)
    assert entries(here) == before
    assert not [*(here / "build").rglob("*.o")]


NEEDED = "bash", "cc", "g++", "grep", "head", "readlink", "uname"  # by every build


def pretended(typed):
    """Of `nvcc='' nvidia_smi='echo 9.0' make ARCH=sm_80`: {script: its text} and make's words."""
    words = shlex.split(typed)
    place = words.index("make")
    return dict(word.split("=", 1) for word in words[:place]), words[place + 1:]


@pytest.mark.parametrize("name", ["missing", "compilers"])
def test_golden_tools(here, tmp_path, name):
    """Before anything is built: what is not there, is another than one would think, or will not do."""
    def call(typed):
        scripts, words = pretended(typed)
        missing = {scripts.pop("without", "")}
        env = tools(tmp_path / "bin", *{*NEEDED, "dirname", "sh", "sed"} - missing, **scripts)
        env |= {"CC": "cc", "CXX": "g++"}  # whatever the environment says
        done = assert_told_once(make("-s", f"PYTHON={sys.executable}", *words, cwd=here, env=env))
        shutil.rmtree(tmp_path / "bin")
        return done

    replay(f"refused-{name}.csv", for_each(call))
    assert not [*(here / "build").rglob("*.o")]


# ---- a program ----

def test_golden_program():
    """The options, parted by bars."""
    step = build(steps=("03",)) / "step03"
    replay("refused-program.csv", for_each(
        lambda typed: refused(run(step, *typed.split("|")))))


def test_needs_gpu():
    """It is refused with any valid options; but for --help."""
    folder = build_programs(*NEEDS_GPU)
    for name in NEEDS_GPU:
        bare, *others = (run(folder / name, *options) for options in ([], ["-n", "0"], ["--csv"]))
        assert_refused(bare, 3, f"{name}: needs a GPU and ",
                       f": on a machine that has them, make BACKEND=cuda {name}\n")
        assert [done.stderr for done in others] == [bare.stderr, bare.stderr]
        refused(run(folder / name, "-n", "x"))
        assert said(run(folder / name, "-h")).startswith(f"{name}: {name.replace('-', ' ')}\nusage: ")
