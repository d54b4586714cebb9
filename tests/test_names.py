"""Names that a user may type: legal ones work, all others get one line, and no shell runs what was
typed. Compilers are part of what is asked for."""

import shutil
import sys

import pytest

from harness import ROOT, make

# What a shell would run, outside of quotes or between double ones; and between single ones
OPEN, QUOTED = "02-03;touch X;$$(touch X)`touch X`", "02-03';touch X;'"
GOALS = ["diff-" + OPEN, "diff-" + QUOTED, "plot-" + OPEN, "plot-" + QUOTED, "profile-" + OPEN,
         "mark-" + OPEN, "mark-" + QUOTED, "solution-" + QUOTED, "reset-" + OPEN, "foo" + OPEN, "foo" + QUOTED, "diff-", "plot-"]
OURS = f"PYTHON={sys.executable}"  # which has what pictures need


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A clone in which nothing is called X."""
    folder = tmp_path_factory.mktemp("clone")
    for room in "bench", "common", "detours", "lab", "make", "plots", "simt", "steps", "tutorial":
        shutil.copytree(ROOT / room, folder / room,
                        ignore=shutil.ignore_patterns("__pycache__", "*.png"))
    shutil.copy(ROOT / "Makefile", folder)
    return folder


@pytest.fixture
def handed_on(tmp_path):
    """A PYTHON for make, and what it was called with."""
    (tmp_path / "python").write_text(f"""#!/bin/sh
[ "$1" = -c ] && exit
printf '%s\\0' "$@" >{tmp_path}/words
""")
    (tmp_path / "python").chmod(0o755)
    return f"PYTHON={tmp_path}/python", lambda: (tmp_path / "words").read_text().split("\0")


def assert_one_line(done, tree):
    """From who knows it, and behind it make's own; nothing was run."""
    assert done.returncode == 2 and done.stdout == ""
    told, *by_make = done.stderr.splitlines()
    assert told.startswith(("make", "Makefile:")) and len(by_make) <= 1, done.stderr
    assert all(line.startswith("make: *** [") for line in by_make)
    assert not (tree / "X").exists()


@pytest.mark.parametrize("goal", GOALS)
def test_goals(here, goal):
    assert_one_line(make("-s", goal, OURS, cwd=here), here)


@pytest.mark.parametrize("variable", ["DATA", "TYPE"])
@pytest.mark.parametrize("goal", ["plots", "plot-02-03"])
def test_variables(here, handed_on, goal, variable):
    """They reach the program as they were typed."""
    python, words = handed_on
    for value in OPEN, QUOTED, "two words", "%":
        done = make("-s", goal, python, f"{variable}={value}", cwd=here)
        assert (done.returncode, done.stderr) == (0, "")
        assert f"--{variable.lower()}={value.replace('$$', '$')}" in words()
        assert not (here / "X").exists()


@pytest.mark.parametrize("variable", ["DATA=" + QUOTED, "TYPE=%", "PYTHON=no python;touch X"])
def test_bad_variables(here, variable):
    assert_one_line(make("-s", "plots", OURS, variable, cwd=here), here)


def test_what_make_would_read_otherwise(here):
    """What make expands, even where nobody asks for it; lines of a recipe; options; nothing."""
    for words in (["DATA=$(shell touch X)"], ["DATA="], ["DATA=-x"], ["PYTHON=-c"],
                  ["CC=$(shell touch X)", "DATA=no file"], ["DATA=x\ntouch X #", "-i"]):
        assert_one_line(make("-s", "table", OURS, *words, cwd=here), here)
    for goal in "foo\ntouch X #", "diff-02\ntouch X #", "plot---help", "diff-%", "profile-%":
        assert_one_line(make("-s", "-i" if "\n" in goal else "-k", goal, OURS, cwd=here), here)
    done = make("-s", "table", OURS, cwd=here, env={"DATA": "$(shell touch X)"})
    assert_one_line(done, here)
    assert "make table: $(shell touch X): cannot be read" in done.stderr


def test_a_blank_at_the_end(here):
    done = make("-n", "BACKEND=cpu ", "TYPE=float ", "BLOCK=512 ", "step03", cwd=here)
    assert done.returncode == 0 and "build/cpu-float-512-sum/step03" in done.stdout


def test_legal_name(here):
    """A file of data may be called so; in make's own words a $ is doubled."""
    name = "o'brien's two;words größe-测量 $HOME `x`.csv"
    shutil.copy(ROOT / "plots/data/h200.csv", here / name)
    done = make("-s", "plot-02-03", "DATA=" + name.replace("$", "$$"), OURS, cwd=here,
                env={"LC_ALL": "C.UTF-8"})
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout == "build/plots/plot-02-03.svg build/plots/plot-02-03.png\n"


# ---- compilers ----

def test_another_compiler_builds_anew(tree, tmp_path):
    """What an old one has built is not what was asked for."""
    for name in "gcc-a", "gcc-b":
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} >>{tmp_path}/log\nexec gcc "$@"\n')
        (tmp_path / name).chmod(0o755)
    goal = "build/cpu-int-256-sum/common/check.o"

    def compiled(name):
        (tmp_path / "log").write_text("")
        done = make("-s", "BACKEND=cpu", f"CC={tmp_path / name}", goal, cwd=tree)
        assert (done.returncode, done.stderr) == (0, "")
        return {*(tmp_path / "log").read_text().split()}

    assert compiled("gcc-a") == {"gcc-a"} and compiled("gcc-a") == set()
    assert compiled("gcc-b") == {"gcc-b"} and compiled("gcc-b") == set()


@pytest.mark.parametrize("target", ["step03", "mark-01", "test", "simt"])
@pytest.mark.parametrize("variable, compiler, says, why", [
    ("CXX", "clang++", "Debian clang version 14.0.6",
     "is clang, which leaves out accesses that matter: want g++"),
    ("CXX", "g++-10", "gcc version 10.2.1 20210110 (Debian 10.2.1-6)",
     "is g++ 10.2.1; want 11 or newer"),
    ("CXX", "true", "", "is no g++"),
    ("CC", "true", "", "is no C compiler; want one, such as CC=gcc")])
def test_a_compiler_that_will_not_do(tree, tmp_path, target, variable, compiler, says, why):
    """It is told in one line before anything is compiled: what another one has built is no
    result."""
    for room in ("exercises", "tests"):
        (tree / room).symlink_to(ROOT / room)
    (tmp_path / compiler).write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    (tmp_path / compiler).chmod(0o755)
    done = make("-s", "BACKEND=cpu", f"{variable}={tmp_path / compiler}", target, cwd=tree)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and why in done.stderr, done.stderr
    assert not [*(tree / "build").rglob("*.o")]


@pytest.mark.skipif(not shutil.which("clang"), reason="no clang here")
def test_clang_for_c(tree):
    done = make("-s", "BACKEND=cpu", "CC=clang", "step03", cwd=tree)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
