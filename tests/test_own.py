"""A student's own programs, in own/: make new begins one, make finds it as it does the others, and
nothing that is published sees it."""

import os
import shutil
import sys

import pytest

from harness import ROOT, assert_refused, build, locked, make, run
from test_bench_targets import bench, rows_of  # bench: a fixture

OURS = f"PYTHON={sys.executable}"
ROOMS = ("bench", "common", "detours", "lab", "make", "plots", "simt", "steps",
         "tests/data", "tutorial")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A clone in which most is built, and in which own/fast is a copy of step 03."""
    folder = tmp_path_factory.mktemp("clone") / "repository"
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room,
                        ignore=shutil.ignore_patterns("__pycache__", "*.png"))
    for name in "Makefile", "README.md", "NOTES.md":
        shutil.copy(ROOT / name, folder)
    for built in ROOT / "build/simt", build():
        with locked(built):
            shutil.copytree(built, folder / built.relative_to(ROOT), symlinks=True)
    done = make("-s", "new", "NAME=fast", "FROM=03", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "own/fast/main.cu: edit it, then make fast && ./fast\n"
    done = make("-s", "BACKEND=cpu", "fast", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


def said(done):
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.fixture
def mine(here):
    """Makes own/mine of a text; it is gone after the test."""
    def make_it(text):
        (here / "own/mine").mkdir()
        (here / "own/mine/main.cu").write_text(text)
    yield make_it
    shutil.rmtree(here / "own/mine", ignore_errors=True)
    (here / "mine").unlink(missing_ok=True)


# ---- like any other ----

def test_it_runs(here):
    assert (here / "own/fast/main.cu").read_bytes() == next(
        ROOT.glob("steps/03-*/main.cu")).read_bytes()
    text = said(run("./fast", "--annotate", "-n", "1000", cwd=here))
    assert text.startswith("fast ") and "   OK\n" in text
    assert "own/fast/main.cu" in text and "s[tid] += s[tid + stride];" in text


def test_counters(here):
    """All that are named stand side by side, in their order; a step shows what it shows alone."""
    text = said(make("-s", "counters", "STEPS=03 fast", cwd=here))
    rows = [line[23:].split() for line in text.splitlines()]
    assert rows[0] == ["03", "fast"] and len(rows) == 13
    assert all(left == right for left, right in rows[1:])


def test_changed_and_without_a_header(here, mine):
    """Its author's words are no business of make diff; what it includes is part of it."""
    step = (here / "own/fast/main.cu").read_text()
    code = step[step.index("#include"):].replace("stride /= 2", "stride >>= SHIFT")
    mine('#include "shift.h"\n' + code)
    (here / "own/mine/shift.h").write_text("#define SHIFT 1\n")
    said(make("-s", "BACKEND=cpu", "mine", cwd=here))
    assert "   OK\n" in said(run("./mine", "-n", "1000", cwd=here))
    text = said(make("-s", "diff-03-mine", OURS, cwd=here))
    assert "own/mine/main.cu" in text and "stride >>= SHIFT" in text
    assert text.endswith("1 lines of code removed, 2 added; ALL=1 shows what is folded\n")
    assert "the same code" in said(make("-s", "diff-03-fast", OURS, cwd=here))
    (here / "own/mine/shift.h").write_text("#define SHIFT 2\n")
    said(make("-s", "BACKEND=cpu", "mine", cwd=here))
    assert run("./mine", "-n", "1000", cwd=here).returncode == 1


def test_a_kernel_to_be_written(here, mine):
    """It compiles without a warning, and is no sum yet."""
    said(make("-s", "new", "NAME=mine", cwd=here))
    said(make("-s", "BACKEND=cpu", "mine", cwd=here))
    done = run("./mine", "-n", "1000", cwd=here)
    assert done.returncode == 1 and "WRONG" in done.stdout and done.stderr == ""


@pytest.mark.slow
def test_bench(bench, tree):
    """Beside the steps; not where it is published."""
    for name in "fast", "global-mine":
        said(make("-s", "new", f"NAME={name}", cwd=tree))
    names = [row for row, in rows_of(bench("bench", "BENCH_SIZES=1000")["h200.csv"], "name")]
    assert {"fast", "global-mine", "step-03", "cub"} < set(names)
    few = bench("bench", "BENCH_SIZES=2000", "STEPS=03 fast", folder="build/bench")["h200.csv"]
    assert {row for row in rows_of(few, "name", "n") if row[1] == "2000"} == {
        ("step-03", "2000"), ("fast", "2000")}
    published = bench("bench", "PUBLISH=1", "BENCH_SIZES=1000", folder="plots/data")["h200.csv"]
    assert {name for name, in rows_of(published, "name")} == set(names) - {"fast", "global-mine"}
    names = bench("bench-write-up-0")["write-up-0-h200.csv"]
    assert not any("global-mine" in line for line in names)


# ---- names ----

TAKEN = ["fast", "step03", "step9", "cub", "multi-gpu-2", "common", "build", "own", "compilers",
         "handin", "makefile", "help", "new", "bench", "bench-2", "diff-x", "plot-x", "mark-04",
         "notes"]
BAD = ["", "Fast", "Makefile", "03", "-x", "../x", "a b", "a.b", "%", "a%", "größe", "x" * 33, "x;touch X",
       "x';touch X;'", "`touch X`", "$$(touch X)", "$(shell touch X)"]


@pytest.mark.parametrize("names, why", [(TAKEN, "is taken here; want another"), (BAD, "want a")])
def test_refused(here, names, why):
    (here / "notes").touch()
    before = sorted(os.listdir(here / "own"))
    for name in names:
        done = make("-s", "new", f"NAME={name}", cwd=here, env={"NAME": "host"})
        assert (done.returncode, done.stdout) == (2, ""), name
        told, by_make = done.stderr.splitlines()
        assert told.startswith("make new: ") and by_make.startswith("make: *** [")
        assert why in told or "want at most 32 of a-z" in told, told
    assert sorted(os.listdir(here / "own")) == before and not (here / "X").exists()


def test_a_name_of_the_shell_is_none(here):
    done = make("-s", "new", cwd=here, env={"NAME": "host"})
    assert done.stderr.startswith("make new: want a name, as in make new NAME=fast\n")


@pytest.mark.parametrize("source", ["99", "%", "03 04", "multi-gpu", "any-operator", "';touch X;'",
                                    "$(shell touch X)"])
def test_copies_of_nothing(here, source):
    done = make("-s", "new", "NAME=mine", f"FROM={source}", cwd=here)
    assert_refused(done, 2, f"new: FROM={source}: want one of 00 01 ")
    assert not (here / "own/mine").exists() and not (here / "X").exists()


@pytest.mark.parametrize("variables, words", [
    (["counters", "STEPS=03 slow"], "STEPS=03 slow: no program 'slow'; want some of 00 01 "),
    (["counters", "STEPS=%"], "STEPS=%: no program '%'; want some of 00 01 "),
    (["counters", "STEPS=03;touch X"], "no program '03;touch'; want"),
    (["counters", "STEPS=$(shell touch X)"], "; want some of"),
    (["counters", "STEPS=multi-gpu"], "no program 'multi-gpu'; want"),
    (["step03", "STEPS=03"], "STEPS=03: only counters, sanitize and bench take it"),
    (["bench", "STEPS=03", "PUBLISH=1"], "STEPS=03: PUBLISH=1 needs all programs")])
def test_bad_steps(here, variables, words):
    done = make("-s", "BACKEND=cpu", *variables, cwd=here)
    assert done.returncode == 2 and done.stdout == "" and words in done.stderr.splitlines()[0]
    assert done.stderr.count("\n") <= 2 and not (here / "X").exists()


def test_after_it_was_removed(here, mine):
    """The link that make left at the root takes no name."""
    (here / "mine").symlink_to("build/cpu-int-256-sum/mine")
    said(make("-s", "new", "NAME=mine", "FROM=fast", cwd=here))
    (here / "mine").unlink()
    (here / "mine").symlink_to("notes of mine")
    shutil.rmtree(here / "own/mine")
    assert "is taken here" in make("-s", "new", "NAME=mine", cwd=here).stderr


# ---- unseen ----

def tables(folder):
    """What make table writes."""
    said(make("-s", "table", OURS, cwd=folder))
    return {path: path.read_bytes() for path in (folder / "README.md", folder / "NOTES.md",
                                                 *folder.glob("*/README.md"))}


def test_the_repository_does_not_see_them(here, mine):
    """Even one that is no text, and folders that nobody made by make new."""
    mine("")
    (here / "own/mine/main.cu").write_bytes(b"\xff\xfe lab_needs_gpu")
    strange = "help", "cub", "makefile", "notes", "two words", "x;touch X", "$(shell touch X)", "it's"
    (here / "notes").write_text("a file of the user's")
    for name in strange:
        (here / "own" / name).mkdir()
        (here / "own" / name / "main.cu").write_text("lab_needs_gpu, and no program")
        (here / "own" / name / "a b.h").touch()
    (here / "own").rename(here / "aside")
    without = tables(here)
    (here / "aside").rename(here / "own")
    assert tables(here) == without
    assert "## " not in said(make("help", cwd=here)) and "removed" in said(
        make("-s", "diff-02-03", OURS, cwd=here))
    assert "make: no target 'makefile';" in make("-s", "makefile", cwd=here).stderr
    assert make("-s", "notes", cwd=here).stderr == "" and not (here / "notes").is_symlink()
    listed = said(make("-s", "-n", "BACKEND=cpu", "programs", cwd=here)).split()
    assert "build/cpu-int-256-sum/step07" in listed
    assert not {f"build/cpu-int-256-sum/{name}" for name in ("fast", "mine")} & set(listed)
    done = make("-s", "diff-03-mine", OURS, cwd=here)
    assert "own/mine/main.cu: is not a text file" in done.stderr.splitlines()[0]
    known = said(run(sys.executable, "-c", "from tutorial import programs; "
                     "print(*programs.load())", cwd=here, env={"PYTHONPATH": str(here)}))
    assert "fast" not in known.split() and "03" in known.split()
    for name in strange:
        shutil.rmtree(here / "own" / name)
    assert not (here / "X").exists()


def test_clean_keeps_them(tree):
    said(make("-s", "new", "NAME=fast", "FROM=03", cwd=tree))
    (tree / "fast").symlink_to("build/x")
    said(make("-s", "clean", cwd=tree))
    assert (tree / "own/fast/main.cu").exists() and not (tree / "fast").is_symlink()


@pytest.mark.parametrize("file, make", [("steps/03-sequential-addressing/main.cu", "make step03"),
                                        ("detours/grid-stride/main.cu", "make grid-stride")])
def test_steps_say_how_they_are_built(file, make):
    done = run(ROOT / "simt/simtcc", ROOT / file, env={"SIMTCC_TOOLS_READY": "1"})
    assert_refused(done, 2, f"{file}:", "lab.h", make)
