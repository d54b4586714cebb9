"""What is refused: each mistake in a call is told in one line, with the status of its kind, and
nothing is built, run or written. No shell runs what was typed."""

import os
import shutil
import sys

import pytest

from harness import ROOT, STEPS, assert_refused, build, make, run

# ---- make ----

OURS = f"PYTHON={sys.executable}"  # which has what pictures need
# What a shell would run, outside of quotes or between double ones; between single ones; and make
OPEN, QUOTED = "02-03;touch X;$$(touch X)`touch X`", "02-03';touch X;'"
EXPANDED = "$(shell touch X)"

SIZES = "want one of 32 64 128 256 512 1024"
NO_PYTHON = "make {}: none not found: install Python 3, or say PYTHON=/path/to/it"
MAKE = [  # what is typed, its words apart by bars, and a part of the line that comes
    *((f"BLOCK={block}|{goal}", f"*** BLOCK={block}: {SIZES}")
      for block in ("100", "2048", "32 64", "") for goal in ("step03", "all", "run")),
    ("BLOCK=256;touch X|BACKEND=cpu|step03", f"BLOCK=256;touch X: {SIZES}"),
    *((f"TYPE={type}|BACKEND=cpu|step03", f"*** TYPE={type}: want one of int float double")
      for type in ("foo", "int float", "%")),
    *((f"BACKEND={backend}|run", f"*** BACKEND={backend}: want one of auto cuda cpu")
      for backend in ("gpu", "%")),
    ("OP=foo|step03", "*** OP=foo: want sum"),
    ("BACKEND=cuda|NVCC=/nonexistent|step03", "/nonexistent not found. Install the CUDA "
     "toolkit, say NVCC=/path/to/nvcc"),
    *((f"{name}=no-{name};touch X|BACKEND=cpu|step03", f"{name}=no-{name};touch X not found")
      for name in ("CC", "CXX")),
    *((name, f"make: no target '{name}'; make help lists the targets") for name in (
        "step3", f"step{len(STEPS):02}", "diff", "steps", "foo" + QUOTED, "makefile")),
    # what a target would ignore: it shows one configuration
    *((f"{target}|{variable}={value}|NVCC=true",
       f"{target}: {variable}={value}: want {wanted}, or nothing")
      for target, variable, value, wanted in (
          ("lab", "TYPE", "float", "int"), ("lab", "BLOCK", "64", "256"),
          ("access", "BLOCK", "256", "64"), ("counters", "BACKEND", "cuda", "cpu"),
          ("plots/data/counters.csv", "TYPE", "double", "int"),
          ("plots/data/counters.csv", "BLOCK", "512", "256"))),
    *((f"{target}|PYTHON=none", NO_PYTHON.format(target)) for target in ("access", "lab")),
    ("profile-99", "profile-99: no step or detour '99'; want one of 00 01"),
    ("profile-%", "profile-%: no step or detour '%'; want one of 00 01"),
    ("profile-multi-gpu", "profile-multi-gpu: Nsight Compute runs a kernel several times"),
    # names and values that a shell or make would read otherwise
    *((f"{goal}{name}", "") for name in (OPEN, QUOTED)
      for goal in ("diff-", "plot-", "mark-", "solution-", "reset-", "profile-", "foo")),
    *((goal, "") for goal in ("diff-", "plot-", "plot---help", "diff-%")),
    *((f"{goal}|-i", "a target has a line break in it: want one line")
      for goal in ("foo\ntouch X #", "diff-02\ntouch X #")),
    *((f"plots|{variable}", "") for variable in (
        f"DATA={QUOTED}", "TYPE=%", "PYTHON=no python;touch X", "DATA=", "DATA=-x", "PYTHON=-c",
        f"DATA={EXPANDED}", "DATA=x\ntouch X #|-i")),
    (f"table|CC={EXPANDED}|DATA=no file", "make table: no file: cannot be read: "),
    ("table", f"make table: {EXPANDED}: cannot be read: "),  # what the environment says
    # a student's own
    *((f"new|NAME=mine|FROM={name}", f"new: FROM={name}: want one of 00 01 ") for name in (
        "99", "%", "03 04", "multi-gpu", "any-operator", "';touch X;'", EXPANDED)),
    ("counters|STEPS=03 slow", "STEPS=03 slow: no program 'slow'; want some of 00 01 "),
    ("counters|STEPS=%", "STEPS=%: no program '%'; want some of 00 01 "),
    ("counters|STEPS=03;touch X", "no program '03;touch'; want"),
    (f"counters|STEPS={EXPANDED}", "; want some of"),
    ("counters|STEPS=multi-gpu", "no program 'multi-gpu'; want"),
    ("step03|STEPS=03", "STEPS=03: only counters, sanitize, bench and registers take it"),
    ("bench|STEPS=03|PUBLISH=1|BACKEND=cpu", "STEPS=03: PUBLISH=1 needs all programs"),
    *(("new|NAME=" + name, f"make new: NAME={name} is taken here; want another") for name in (
        "step03", "step9", "cub", "multi-gpu-2", "common", "build", "own", "compilers", "handin",
        "makefile", "help", "new", "bench", "bench-2", "diff-x", "plot-x", "mark-04", "steps")),
    ("new|NAME=", "make new: want a name, as in make new NAME=fast"),
    ("new", "make new: want a name, as in make new NAME=fast"),
    *(("new|NAME=" + name, "want at most 32 of a-z, 0-9, - and _, first a letter") for name in (
        "Fast", "Makefile", "03", "-x", "../x", "a b", "a.b", "%", "a%", "größe", "x" * 33,
        "x;touch X", "x';touch X;'", "`touch X`", "$$(touch X)", EXPANDED)),
]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A clone in which nothing is built."""
    folder = tmp_path_factory.mktemp("clone")
    for room in "bench", "common", "detours", "lab", "make", "plots", "simt", "steps", "tutorial":
        shutil.copytree(ROOT / room, folder / room,
                        ignore=shutil.ignore_patterns("__pycache__", "*.png", "tests"))
    shutil.copy(ROOT / "Makefile", folder)
    return folder


@pytest.mark.parametrize("typed, why", MAKE)
def test_make(here, typed, why):
    """By make in the form that editors know, or by whoever knows it; then make's own line."""
    before = sorted(os.listdir(here))
    words = [OURS] * ("PYTHON" not in typed) + typed.split("|")
    done = make("-s", *words, cwd=here, env={"NAME": "host", "DATA": EXPANDED})
    assert (done.returncode, done.stdout) == (2, "")
    told, *by_make = done.stderr.splitlines()
    assert why in told and told.startswith(("make", "Makefile:")), done.stderr
    assert len(by_make) <= 1 and all(line.startswith("make: *** [") for line in by_make)
    assert sorted(os.listdir(here)) == before


# ---- a program ----

COUNT = "want a count such as 1000, 2^24, 64K, 16M or 1G, at most 2^40"
UNKNOWN = "no such option, or not in this form; --help lists them"
SEVERAL = "output has one form; want one of them"
OTHER = "was built for the CPU backend: make BACKEND=cuda step03 builds the other"
PROGRAM = [  # its options, apart by bars, and the begin of what it says, or two parts of it
    *((each, f"{each}: {UNKNOWN}") for each in ("--frob", "-z", "--csv=3", "--small=2",
                                                "--annotate=csv")),
    ("-z5", f"-z: {UNKNOWN}"),
    *((each, f"{each} needs a value; --help lists the options")
      for each in ("-n", "--n", "--seed", "--trace")),
    *((each, f"{each.split('|')[-1]}: unexpected argument; --help lists the options")
      for each in ("stray", "-n|5|--|-n", "--counters|csv")),
    ("str\t\x1by\r", "str??y?: unexpected argument"),
    *((f"-n|{n}", f"-n {n}: {COUNT}") for n in (
        "-5", "+5", " 5", "12abc", "1e6", "0x10", "1KK", "", "99999999999999999999", "2^41", "2^",
        "2^-1", "2048G", "17179869184G")),  # 2^64
    ("-n|\n", f"-n ?: {COUNT}"),
    *((f"-n|{n}", "-n 1099511627776: needs ", "choose a smaller -n") for n in ("2^40", "1024G")),
    *((f"{option}|{value}", f"{option} {value}: want a whole number from {least} to ")
      for option, value, least in (("-r", 0, 1), ("-r", "ten", 1), ("-w", 0, 1), ("-w", "-1", 1),
                                   ("-s", "-1", 0), ("-s", 4294967296, 0), ("--order", "x", 0))),
    ("-d|7", "-d 7: devices are numbered from 0 to 0"),
    ("--uniform", "--uniform is for TYPE=float and TYPE=double"),
    *((f"--counters={style}", f"--counters={style}: want --counters or --counters=csv")
      for style in ("table", "")),
    *((f"--trace|x.csv|-n|{n}", f"--trace: -n {n} would make ", "want -n 1 to 65536")
      for n in (0, 65537)),
    ("--trace|no/where.csv|-n|64K", "--trace no/where.csv: cannot be written: no such folder"),
    ("--trace|/dev/null|-n|9", "--trace /dev/null: is not a regular file; want the name of a file"),
    ("--trace=|-n|9", "--trace : want the name of a file"),
    # what would be ignored
    *((each, f"{each.split('|')[0]} is for the GPU, this program {OTHER}")
      for each in ("--hot", "--empty", "-r|5")),
    *((f"{one}|{other}", f"{one if wins else other} and {other if wins else one}: {SEVERAL}")
      for one, other, wins in (
          ("--counters", "--csv", 1), ("--csv", "--annotate", 0), ("--csv", "--counters=csv", 0),
          ("--counters", "--annotate", 1), ("--annotate", "--counters=csv", 1))),
]


@pytest.mark.parametrize("typed, parts", [(typed, parts) for typed, *parts in PROGRAM])
def test_program(typed, parts):
    done = run(build() / "step03", *typed.split("|"))
    assert_refused(done, 2, *parts)
    assert done.stderr.startswith("step03: " + parts[0])


@pytest.mark.parametrize("setting, remedy", [
    ("SIMT_COUNTERS=yes", "want table, csv, annotate or off"),
    ("SIMT_COUNTERS=CSV", "want table, csv, annotate or off"),
    ("SIMT_CHECKS=1", "want on or off"), ("SIMT_CHECKS=none", "want on or off"),
    *((f"SIMT_ORDER={seed}", "want a seed, a whole number") for seed in ("abc", -1, 4294967296)),
    ("SIMT_TRACE=no/where.csv", "cannot be written: no such folder"),
    ("SIMT_REPORT=no/where.json", "cannot be written: no such folder")])
def test_setting(setting, remedy):
    """Of the environment: refused, not taken for the default."""
    name, value = setting.split("=")
    done = run(build() / "step03", "-n", 1000, "--csv", env={name: value})
    assert_refused(done, 2, f"simt: {setting}: {remedy}")
