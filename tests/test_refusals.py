"""What is refused: each mistake in a call is told in one line, with the status of its kind, and
nothing is built, run or written. No shell runs what was typed. (What is told: golden/refused-….)"""

import os
import sys

import pytest

from harness import (NEEDS_GPU, ROOT, STEPS, assert_refused, build, build_programs, copy_rooms,
                     make, run, script, tools, transcript)

# ---- make ----

# What a shell would run, outside of quotes or between double ones; between single ones; and make
OPEN, QUOTED = "02-03;touch X;$$(touch X)`touch X`", "02-03';touch X;'"
EXPANDED = "$(shell touch X)"

MAKE = {  # what is typed, its words apart by bars
    "values": [
        *(f"BLOCK={block}|step03" for block in ("100", "2048", "32 64", "")), "BLOCK=64 |BLOCK=x|all",
        "BLOCK=100|run", "BLOCK=256;touch X|BACKEND=cpu|step03", "OP=foo|step03",
        *(f"TYPE={type}|BACKEND=cpu|step03" for type in ("foo", "int float", "%")),
        *(f"BACKEND={backend}|run" for backend in ("gpu", "%")),
        "BACKEND=cuda|NVCC=/nonexistent|step03",
        *(f"{name}=no-{name};touch X|BACKEND=cpu|step03" for name in ("CC", "CXX")),
        # a target that shows one configuration would ignore another
        *(f"{target}|NVCC=true" for target in (
            "lab|TYPE=float", "lab|BLOCK=64", "access|BLOCK=256", "counters|BACKEND=cuda",
            "plots/data/counters.csv|TYPE=double", "plots/data/counters.csv|BLOCK=512")),
        # what some detours take more of, or fewer
        *(f"BACKEND=cpu|BLOCK={block}|any-block-size"
          for block in ("0", "1025", "x", "-1", "007", "1 2", "")),
        *(f"BACKEND=cpu|{words}" for words in (
            "BLOCK=200|step03", "BLOCK=200|any-block-size|single-pass", "OP=foo|any-operator",
            "OP=max|any-operator|single-pass", "TYPE=double|deterministic-float",
            "TYPE=float|warp-redux"))],
    "names": [
        "step3", f"step{len(STEPS):02}", "diff", "steps", "foo" + QUOTED, "makefile",
        *(f"{target}|PYTHON=none" for target in ("access", "lab")),
        "profile-99", "profile-%", "profile-multi-gpu",
        *(goal + name for name in (OPEN, QUOTED)
          for goal in ("diff-", "plot-", "mark-", "solution-", "reset-", "profile-", "foo")),
        "diff-", "diff-%", "diff-02-42", "plot-", "plot---help",
        "foo\ntouch X #|-i", "diff-02\ntouch X #|-i",
        *(f"plots|{variable}" for variable in (
            f"DATA={QUOTED}", "TYPE=%", "PYTHON=no python;touch X", "DATA=", "DATA=-x", "PYTHON=-c",
            f"DATA={EXPANDED}", "DATA=x\ntouch X #|-i")),
        f"table|CC={EXPANDED}|DATA=no file", "table"],  # what the environment says
    "own": [
        *(f"new|NAME=mine|FROM={name}" for name in (
            "99", "%", "03 04", "multi-gpu", "any-operator", "';touch X;'", EXPANDED)),
        *(f"counters|STEPS={names}" for names in (
            "03 slow", "%", "03;touch X", EXPANDED, "multi-gpu")),
        "step03|STEPS=03", "bench|STEPS=03|PUBLISH=1|BACKEND=cpu", "new", "new|NAME=",
        *("new|NAME=" + name for name in (
            "step03", "step9", "cub", "multi-gpu-2", "common", "build", "own", "compilers", "handin",
            "makefile", "help", "new", "bench", "bench-2", "diff-x", "plot-x", "mark-04", "steps",
            "Fast", "Makefile", "03", "-x", "../x", "a b", "a.b", "%", "a%", "größe", "x" * 33,
            "x;touch X", "x';touch X;'", "`touch X`", "$$(touch X)", EXPANDED))]}


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A clone in which nothing is built."""
    return copy_rooms(tmp_path_factory.mktemp("clone"), "bench", "common", "detours", "lab", "make",
                      "plots", "simt", "steps", "tutorial")


def assert_told_once(done):
    """By make in the form that editors know, or by whoever knows it; then make's own line."""
    told, *by_make = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "") and told.startswith(("make", "Makefile:"))
    assert len(by_make) <= 1 and all(line.startswith("make: *** [") for line in by_make)
    return done


@pytest.mark.parametrize("group", MAKE)
def test_golden_make(here, group):
    before = sorted(os.listdir(here))
    transcript(f"refused-{group}.txt", [(typed, assert_told_once(make(
        "-s", *[f"PYTHON={sys.executable}"] * ("PYTHON" not in typed), *typed.split("|"), cwd=here,
        env={"NAME": "host", "DATA": EXPANDED}))) for typed in MAKE[group]], here=here)
    assert sorted(os.listdir(here)) == before


NEEDED = "bash", "cc", "g++", "grep", "head", "readlink", "uname"  # by every build
OLD_GPU = {"nvcc": "echo sm_75; echo sm_90; echo sm_121", "nvidia_smi": "echo 7.0"}
MISSING = {  # what is not there, or only pretends to be; what is typed then
    "cc": ({}, ["step03", "counters"]), "g++": ({}, ["step03", "counters"]),
    "Linux": ({"uname": "echo Darwin"}, ["step03"]),
    "a GPU that nvcc knows": (OLD_GPU, ["BACKEND=cuda|step03", "ARCH=sm_70|step03"]),
    "a GPU": ({"nvidia_smi": "exit 9"}, ["bench"] + ["bench-" + name for name in (
        "multi-gpu", "write-up-0", "float-order", "trust", "tuning", "ideas", "in-flight", "shapes",
        "nsight")])}


def test_golden_missing(here, tmp_path):
    """Said before anything is built."""
    calls = []
    for missing, (scripts, goals) in MISSING.items():
        env = tools(tmp_path / missing, *{*NEEDED, "awk", "dirname"} - {missing}, **scripts)
        calls += [(f"{goal} without {missing}", assert_told_once(
            make("-s", *goal.split("|"), cwd=here, env=env))) for goal in goals]
    transcript("refused-missing.txt", calls)
    assert not (here / "build").exists()


@pytest.mark.parametrize("variable, compiler, says, why", [
    ("CXX", "clang++", "Debian clang version 14.0.6",
     "is clang, which leaves out accesses that matter: want g++"),
    ("CXX", "g++-10", "gcc version 10.2.1 20210110 (Debian 10.2.1-6)",
     "is g++ 10.2.1; want 11 or newer"),
    ("CXX", "true", "", "is no g++"),
    ("CC", "true", "", "is no C compiler; want one, such as CC=gcc")])
def test_a_compiler_that_will_not_do(tree, tmp_path, variable, compiler, says, why):
    """It is told in one line before anything is compiled: what another one has built is no
    result."""
    for room in ("exercises", "tests"):
        (tree / room).symlink_to(ROOT / room)
    script(tmp_path / compiler, f"echo '{says}' >&2")
    for target in "step03", "mark-01", "test", "simt":
        done = make("-s", "BACKEND=cpu", f"{variable}={tmp_path / compiler}", target, cwd=tree)
        assert_refused(done, 2, why)
    assert not [*(tree / "build").rglob("*.o")]


# ---- a program ----

PROGRAM = [  # its options, apart by bars
    "--frob", "-z", "-z5", "--csv=3", "--small=2", "--annotate=csv", "-n", "--n", "--seed",
    "--trace", "stray", "-n|5|--|-n", "--counters|csv", "str\t\x1by\r",
    *(f"-n|{n}" for n in (
        "-5", "+5", " 5", "12abc", "1e6", "0x10", "1KK", "", "99999999999999999999", "2^41", "2^",
        "2^-1", "2048G", "17179869184G", "\n", "2^40", "1024G")),  # 2^64, and more than there is
    *(f"-r|{reps}" for reps in (0, "ten", 5)), "-w|0", "-w|-1", "-s|-1", "-s|4294967296",
    "--order|x", "-d|7", "--uniform", "--counters=table", "--counters=", "--trace|x.csv|-n|0",
    "--trace|x.csv|-n|65537", "--trace|no/where.csv|-n|64K", "--trace|/dev/null|-n|9",
    "--trace=|-n|9", "--hot", "--empty",  # what would be ignored
    *(f"{one}|{other}" for one, other in (
        ("--counters", "--csv"), ("--csv", "--annotate"), ("--csv", "--counters=csv"),
        ("--counters", "--annotate"), ("--annotate", "--counters=csv")))]
SETTINGS = ["SIMT_COUNTERS=yes", "SIMT_COUNTERS=CSV", "SIMT_CHECKS=1", "SIMT_CHECKS=none",
            *(f"SIMT_ORDER={seed}" for seed in ("abc", -1, 4294967296)),
            "SIMT_TRACE=no/where.csv", "SIMT_REPORT=no/where.json"]


def refused(done, status=2):
    assert_refused(done, status)
    return done


def test_golden_program():
    """A setting of the environment, too, is not taken for the default."""
    step = build() / "step03"
    transcript("refused-program.txt", [
        *((f"step03 {typed}", refused(run(step, *typed.split("|")))) for typed in PROGRAM),
        *((f"{setting} step03", refused(run(step, "-n", 1000, "--csv",
                                            env=dict([setting.split("=")])))) for setting in SETTINGS)])


def test_golden_needs_gpu():
    """Whatever the options are, if they are right."""
    folder, calls = build_programs(*NEEDS_GPU), []
    for name in NEEDS_GPU:
        bare, *others = (refused(run(folder / name, *options), 3).stderr
                         for options in ([], ["-n", "0"], ["--csv"]))
        assert others == [bare, bare]
        calls += [(name, bare), (f"{name} -n x", refused(run(folder / name, "-n", "x")))]
    transcript("refused-needs-gpu.txt", calls)
