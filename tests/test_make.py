"""The Makefile: what it builds, with which compiler and why, the tables that make run and counters
print, a student's own programs, and files and recipes that end halfway. (test_refusals.py: what it refuses.)"""

import os
import re
import shutil
import subprocess
import sys

import pytest

from harness import (CSV_HEADER, DETOURS, MAKE, NEEDS_GPU, PRELUDE, READY, ROOT, STEPS, assert_refused, build,
                     copy_built, copy_rooms, make, replay, run, said, script, shell, simtcc, tools, transcript)
from plots.read import files
from test_refusals import NEEDED, pretended

CLONED = {"Makefile", "common", "exercises", "make", "plots", "simt", "steps"}


def test_no_compiler_needed(tree, tmp_path):
    env = tools(tmp_path / "bin", "awk", "rm")
    lines = said(make("help", cwd=tree, env=env)).splitlines()
    assert max(map(len, lines)) <= 80
    told = {line[2:26].strip() for line in lines if line.startswith("  ")}
    targets = " ".join(re.findall(r"^([a-z][a-z0-9 /.-]*):(?! \w+ :=)", (ROOT / "Makefile").read_text(),
                                  re.M)).split()
    assert len(targets) > 20 and {*targets} - {"help"} <= told
    assert {f"step00 to step{max(STEPS)}", "plot-02-03", "BACKEND=auto,cuda,cpu", "V=1"} < told
    (tree / "build/x").mkdir(parents=True)
    (tree / "step03").symlink_to("build/x")
    assert make("clean", cwd=tree, env=env).returncode == 0
    assert {path.name for path in tree.iterdir()} == CLONED


def test_golden_dry_runs():
    replay("make-dry.txt", shell(ROOT))


# ---- which backend ----

def test_golden_backend(tree, tmp_path):
    """make names the backend, except with -s, and compiles for it; the scripts stand beside a compiler. A
    blank at the end is no part of a value."""
    def call(typed):
        scripts, variables = pretended(typed)
        env = tools(tmp_path / "bin", *NEEDED, **scripts)
        first, *lines = said(make("-n", *variables, "TYPE=float ", "BLOCK=64 ", "step03", cwd=tree,
                                  env=env)).splitlines()
        assert "backend:" not in said(make("-s", "-n", *variables, "step03", cwd=tree, env=env))
        shutil.rmtree(tmp_path / "bin")
        compiled = next(line for line in lines if "steps/03-" in line)
        assert first.endswith("; float; blocks of 64")
        return "; ".join([first[:-22], *re.findall(
            r"^nvcc .*-arch=\S+|simt/simtcc|\S*/step03$", compiled)]) + "\n"

    replay("backends.csv", call)


# ---- compilers ----

def test_golden_links(tmp_path):
    """NCCL is found beside nvcc, or where NCCL_HOME says; without it multi-gpu takes one GPU, if
    nobody said where it is."""
    (tmp_path / "multi-gpu").write_text(
        'goal=$1; shift; exec make -s -n -C "$ROOT" BACKEND=cuda ARCH=sm_90 "$@" -W '
        'detours/$goal/main.cu build/cuda-sm_90-int-256-sum/$goal')
    replay("multi-gpu-links.txt", shell(tmp_path, ROOT=str(ROOT)), folder=tmp_path, root=ROOT)


def test_another_compiler_builds_anew(tree, tmp_path):
    for name in 2 * ["gcc-a"] + 2 * ["gcc-b"]:
        log = tmp_path / f"{name}.log"
        again = log.exists()
        log.write_text("")
        script(tmp_path / name, f'echo >>{log}\nexec gcc "$@"')
        said(make("-s", "BACKEND=cpu", f"CC={tmp_path / name}",
                  "build/cpu-int-256-sum/common/input.o", cwd=tree))
        assert (log.read_text() == "") == again


def test_a_folder_that_cannot_be_written(tree):
    """One line says so, whatever make would do first; root is an ordinary user here."""
    user = [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override"]
    if user and run(*user, "true").returncode:
        pytest.skip("root cannot give up its power here")
    shutil.rmtree(tree / "build", ignore_errors=True)
    tree.chmod(0o555)
    try:
        done = run(*user, MAKE, "-s", "-C", tree, "BACKEND=cpu", "step03")
        toolkit = run(*user, tree / "make/toolkit.sh")
    finally:
        tree.chmod(0o755)
    assert (done.returncode, done.stdout) == (2, "") and re.fullmatch(
        r"simt/simt.mk:\d+: \*\*\* build/ cannot be written here: want a copy of this folder that is "
        r"yours\.  Stop\.\n", done.stderr), done.stderr
    assert toolkit.returncode == 2 and toolkit.stderr.endswith("make toolkit: build/ cannot be written here\n")


# ---- names ----

def test_golden_values(tree):
    """They reach the program as they were typed; in make's own words a $ is doubled."""
    script(tree / "python", """[ "$1" = -c ] && exit
for word; do case $word in --[dt]*) echo "$word"; esac; done""")
    replay("make-values.txt", shell(tree))
    assert {path.name for path in tree.iterdir()} == CLONED | {"python"}


# ---- the tables of run and counters ----

def tables(name, *programs, **options):
    return run(ROOT / "make/programs.sh", name, *programs, **options)


def printing(file, *lines, status=0):
    return script(file, "".join(f"echo '{line}'\n" for line in lines) + f"exit {status}")


@pytest.fixture(scope="session")
def decimal_comma(tmp_path_factory):
    """The environment of a user whose locale writes 0,5, where localedef can make one."""
    folder = tmp_path_factory.mktemp("locale")
    (folder / "source").write_text(
        'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3\nEND LC_NUMERIC\n')
    env = {"LOCPATH": str(folder), "LC_ALL": "de_DE"}
    run("bash", "-c", "localedef -c -i source -f ANSI_X3.4-1968 ./de_DE", cwd=folder)
    return env if run("bash", "-c", "true", env=env).stderr == "" else {}


GPU_ROWS = [f"{about},1073741824,100,cold,{figures},-2139353471,-2139353471,yes"
            for about, figures in (
    ("00,naive,,cuda,NVIDIA H200,int,1024", "1542.912345,1542.9,1543.0,2.784,,0.058"),
    ("03,sequential-addressing,,cuda,NVIDIA H200,int,256", "0.083521,0.083,0.084,803.498,,"),
    ("07,warp-shuffle,,cuda,NVIDIA H200,int,256", "0.020000,0.019,0.021,3355.443,,95.236"))]
CPU_ROWS = ["08,good,,cpu,CPU backend,int,256,9,0,cold,,,,,,,7,7,yes",
            "10,good,,cpu,CPU backend,int,256,9,0,cold,,,,,,,7,7,yes"]


def test_golden_run(tmp_path, decimal_comma):
    """The widest figures that a GPU is likely to give, in 80 columns. It stops at a program that
    fails, with its status; what was not measured is no row."""
    def table(*programs):
        files = [printing(tmp_path / f"step{row[:2]}", CSV_HEADER, row) if isinstance(row, str) else
                 printing(tmp_path / "step09", *row[1:], status=row[0]) for row in programs]
        return tables("run", *files, env=decimal_comma)

    first, last = CPU_ROWS
    transcript("run.txt", [
        ("make -n run", re.search("make/programs.*\n", said(make("-n", "BACKEND=cpu", "run")))[0]),
        ("on a GPU", table(*GPU_ROWS)), ("a program fails", table(first, (4,), last))])


def test_counters_of_the_readme(decimal_comma):
    """README.md, Why, shows what make -s counters prints first."""
    steps, detours = said(tables("table", "plots/data/counters.csv", cwd=ROOT, env=decimal_comma)).split("\n\n")
    assert f"```\n{steps}\n```" in (ROOT / "README.md").read_text()
    assert [row.split()[0] for row in detours.splitlines()[2:]] == [
        name for name in sorted(DETOURS) if name not in NEEDS_GPU]


def test_programs_that_fail(tmp_path):
    """Also one that prints nothing and ends with 0: no row, none left of the others, and no verdict."""
    for words, status, says in ((["no luck"], 3, "step42 failed"), ([], 0, "make clean")):
        program = printing(tmp_path / "step42", *words, status=status)
        for target in ["run"], ["counters", tmp_path / "counters.csv"]:
            done = tables(*target, program)
            assert done.returncode in (3, 1) and says in done.stdout + done.stderr, done
            assert not (tmp_path / "counters.csv").exists()


# ---- a student's own programs, in own/ ----

def test_golden_own(tmp_path):
    """make new begins one; it runs and is compared. Published data never include what lies there, also if it
    is no program or has a name that make would expand. Most is built, and own/fast is a copy of step 03."""
    here = copy_rooms(tmp_path, "common", "detours", "exercises", "make", "plots", "simt", "simt/tests",
                      "steps", "tests/data")
    for name in "README.md", "NOTES.md":
        shutil.copy(ROOT / name, here)
    copy_built(here, ROOT / "build/simt", build())
    assert said(make("-s", "new", "NAME=fast", "FROM=03", cwd=here)) == (
        "own/fast/main.cu: edit it, then make fast && ./fast\n")
    assert said(make("-s", "BACKEND=cpu", "fast", cwd=here)) == ""
    replay("own.txt", shell(here, PYTHON=sys.executable, PYTHONPATH=str(here)), here=here)
    assert not (here / "X").exists()


def test_steps_say_how_they_are_built():
    for file, target in ("steps/03-sequential-addressing/main.cu", "make step03"), (
            "detours/grid-stride/main.cu", "make grid-stride"):
        done = run(ROOT / "simt/simtcc", ROOT / file, env=READY)
        assert_refused(done, 2, f"{file}:", "lab.h", target)


# ---- a disk that is full, by a small tmpfs (as root), a cp or tar that fails ----

@pytest.fixture
def full(tmp_path):
    """A folder with room for 4 KiB."""
    folder = tmp_path / "full"
    folder.mkdir()
    if os.getuid() or run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder).returncode:
        pytest.skip("only root can mount a small disk")
    (folder / "filler").write_bytes(b"x" * 8192)
    yield folder
    subprocess.run(["umount", folder], check=True)


# It has a race
KERNEL = PRELUDE + "__global__ void k(int *p) { p[0]++; }\nint main() { k<<<2, 64>>>(device<int>(1)); }"


def test_simtcc(full, tmp_path):
    """A source is not at fault where its program or temporary files have no room, with or without a message of
    g++; a user's report stays if it cannot be replaced."""
    program = simtcc(KERNEL, tmp_path / "kernel.cu")
    done = run(ROOT / "simt/simtcc", f"{program}.cu", "-o", full / "program")
    assert done.returncode and "program cannot be written" in done.stderr, done
    for room in 0, 4, 8, 11:
        (full / "filler").write_bytes(b"x" * (12288 - room * 1024))
        done = run(ROOT / "simt/simtcc", "-c", f"{program}.cu", "-o", tmp_path / "kernel.o",
                   env={"TMPDIR": str(full)})
        assert done.returncode == 2 and f"simtcc: {full} has no room" in done.stderr, done
        assert os.listdir(full) == ["filler"] and not (tmp_path / "kernel.o").exists()
    (full / "report").write_text("mine\n")
    (full / "filler").write_bytes(b"x" * 12000)
    done = run(program, env={"SIMT_REPORT": str(full / "report")})
    assert done.returncode == 4 and "the report cannot be written" in done.stderr, done
    assert (full / "report").read_text() == "mine\n" and len(os.listdir(full)) == 2


def test_failing_copy(tree, tmp_path):
    """Not "not yet", which is 1, and no empty main.cu that would be taken for begun."""
    for name in "cp", "tar":
        script(tmp_path / "bin" / name, "exit 1")
    for words in ["make/new.sh", "fast", "", "steps/01-neighbored-pairs/main.cu"], [
            "exercises/exercise.sh", "mark", "04"], ["exercises/handout.sh"]:
        done = run(*words, cwd=tree, env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
        assert done.returncode == 2 and "cannot be written" in done.stderr, done
    assert not [*tree.glob("own/*"), *tree.glob("exercises/*/main.cu"), *tree.glob("build/handout*")]


def test_half_of_a_file(tree, tmp_path):
    """One that cannot take its place leaves nothing beside it. Of a failed recipe the rest of its target is removed;
    and nothing is built while clean removes it."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(files.BadData, match="folder: cannot be written"):
        files.write_text(tmp_path / "folder", "text")
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "tree"}
    told = make("-p", "-n", "clean", "help", cwd=tree).stdout
    assert "\n\n.DELETE_ON_ERROR:" in told and "\n\n.NOTPARALLEL:" in told
    assert "\n\n.NOTPARALLEL:" not in make("-p", "-n", "clean", cwd=tree).stdout
