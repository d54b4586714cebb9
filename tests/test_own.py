"""A student's own programs, in own/: make new begins one, make finds it as it does the others, and
nothing that is published sees it. (test_refusals.py: names that cannot be.)"""

import csv
import os
import shutil
import sys

import pytest

from harness import ROOT, assert_refused, build, copy_rooms, locked, make, run, said
from test_bench_targets import bench, gpu_make  # fixtures

OURS = f"PYTHON={sys.executable}"
ROOMS = ("bench", "common", "detours", "lab", "make", "plots", "simt", "simt/tests", "steps",
         "tests/data", "tutorial")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A clone in which most is built, and in which own/fast is a copy of step 03."""
    folder = copy_rooms(tmp_path_factory.mktemp("clone") / "repository", *ROOMS)
    for name in "README.md", "NOTES.md":
        shutil.copy(ROOT / name, folder)
    for built in ROOT / "build/simt", build():
        with locked(built):
            shutil.copytree(built, folder / built.relative_to(ROOT), symlinks=True)
    assert said(make("-s", "new", "NAME=fast", "FROM=03", cwd=folder)) == (
        "own/fast/main.cu: edit it, then make fast && ./fast\n")
    assert said(make("-s", "BACKEND=cpu", "fast", cwd=folder)) == ""
    return folder


@pytest.fixture
def mine(here):
    """own/mine, to be made; it is gone after the test."""
    yield here / "own/mine"
    shutil.rmtree(here / "own/mine", ignore_errors=True)
    (here / "mine").unlink(missing_ok=True)


def test_it_runs(here):
    step = next(ROOT.glob("steps/03-*/main.cu"))
    assert (here / "own/fast/main.cu").read_bytes() == step.read_bytes()
    text = said(run("./fast", "--annotate", "-n", "1000", cwd=here))
    assert text.startswith("fast ") and "   OK\n" in text
    assert "own/fast/main.cu" in text and "s[tid] += s[tid + stride];" in text


def test_counters(here):
    """All that are named stand side by side, in their order; a step shows what it shows alone."""
    shutil.copytree(here / "own/fast", here / "own/fast-of-mine")
    text = said(make("-s", "counters", "STEPS=03 fast-of-mine", cwd=here))
    shutil.rmtree(here / "own/fast-of-mine")
    rows = [line[23:].split() for line in text.splitlines()]
    assert rows[0] == ["03", "fast-of-mine"] and len(rows) == 13
    assert len({len(line) for line in text.splitlines()}) == 1
    assert all(left == right for left, right in rows[1:])


def test_changed_and_without_a_header(here, mine):
    """Its author's words are no business of make diff; what it includes is part of it."""
    step = (here / "own/fast/main.cu").read_text()
    code = step[step.index("#include"):].replace("stride /= 2", "stride >>= SHIFT")
    mine.mkdir()
    (mine / "main.cu").write_text('#include "shift.h"\n' + code)
    for shift, status in (1, 0), (2, 1):
        (mine / "shift.h").write_text(f"#define SHIFT {shift}\n")
        said(make("-s", "BACKEND=cpu", "mine", cwd=here))
        assert run("./mine", "-n", "1000", cwd=here).returncode == status
    text = said(make("-s", "diff-03-mine", OURS, cwd=here))
    assert "own/mine/main.cu" in text and "stride >>= SHIFT" in text
    assert text.endswith("1 lines of code removed, 2 added; ALL=1 shows what is folded\n")
    assert "the same code" in said(make("-s", "diff-03-fast", OURS, cwd=here))


def test_a_kernel_to_be_written(here, mine):
    """It compiles without a warning, and is no sum yet."""
    said(make("-s", "new", "NAME=mine", cwd=here))
    said(make("-s", "BACKEND=cpu", "mine", cwd=here))
    done = run("./mine", "-n", "1000", cwd=here)
    assert done.returncode == 1 and "WRONG" in done.stdout and done.stderr == ""


def rows_of(lines, *columns):
    return [tuple(row[name] for name in columns) for row in csv.DictReader(lines)]


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


def test_names_that_are_taken(here, mine):
    """By a program, a folder or a file; not by the link that make left at the root."""
    (here / "notes").touch()
    (here / "own/notes-2").mkdir()
    (here / "mine").symlink_to("build/cpu-int-256-sum/mine")
    said(make("-s", "new", "NAME=mine", "FROM=fast", cwd=here))
    for name in "fast", "notes", "notes-2", "mine":
        done = make("-s", "new", f"NAME={name}", cwd=here)
        assert done.stderr.startswith(f"make new: NAME={name} is taken here; want another\n")
    (here / "mine").unlink()
    (here / "mine").symlink_to("notes of mine")
    shutil.rmtree(mine)
    assert "is taken here" in make("-s", "new", "NAME=mine", cwd=here).stderr
    assert sorted(os.listdir(here / "own")) == ["fast", "notes-2"]
    (here / "notes").unlink()


def tables(folder):
    """What make table writes."""
    said(make("-s", "table", OURS, cwd=folder))
    return {path: path.read_bytes() for path in (folder / "README.md", folder / "NOTES.md",
                                                 *folder.glob("*/README.md"))}


def test_the_repository_does_not_see_them(here, mine):
    """Even one that is no text, and folders that nobody made by make new."""
    mine.mkdir()
    (mine / "main.cu").write_bytes(b"\xff\xfe lab_needs_gpu")
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
    (here / "notes").unlink()
    assert not (here / "X").exists()


def test_clean_keeps_them(tree):
    said(make("-s", "new", "NAME=fast", "FROM=03", cwd=tree))
    (tree / "fast").symlink_to("build/x")
    said(make("-s", "clean", cwd=tree))
    assert (tree / "own/fast/main.cu").exists() and not (tree / "fast").is_symlink()


def test_steps_say_how_they_are_built():
    for file, target in ("steps/03-sequential-addressing/main.cu", "make step03"), (
            "detours/grid-stride/main.cu", "make grid-stride"):
        done = run(ROOT / "simt/simtcc", ROOT / file, env={"SIMTCC_TOOLS_READY": "1"})
        assert_refused(done, 2, f"{file}:", "lab.h", target)
