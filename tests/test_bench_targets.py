"""make bench and its kin, from make to the files that they write, on a machine that only looks as
if it had two GPUs, CUDA and Nsight Compute: the compiler's programs are scripts that print rows."""

import csv
import operator
import os
import re
import shutil
from collections import Counter

import pytest

from harness import (CSV_HEADER, ROOT, assert_refused, build_programs, copy_rooms, make, replay, run, script,
                     transcript)

from plots.measure.shapes import table_of
from plots.read import bench_data, side_data

TOOLS = {
    "nvidia-smi": """case $1 in
    *compute_cap*) echo 9.0 ;;
    *name*) echo NVIDIA H200 ;;
    *clocks.max.sm*) echo 1980 MHz ;;
    --list-gpus) echo GPU 0; echo GPU 1 ;;
    *) echo 580.1 ;;
esac""",
    "ncu": "echo Version 2025.3",
    "mpicxx": "",
    "mpirun": '[ "$1 $2" = "-n 2" ] && exec "${@:3}"',
    "cc": '[ "$2" != -E ] || { echo 201112L; exit; }; : >"${!#}"',
    # it starts no other program, since it is called some hundred times
    "nvcc": r"""[ "$1" != --version ] || { echo release 13.0, V13; exit; }
out=${!#}
name=${out##*/} folder=${out%/*}
[ "$BROKEN-$name" != build-single-pass ] || exit 1
case $out in *.o) : >"$out"; exit ;; esac
IFS=- read -r _ _ type block _ <<<"${folder##*/}"
printf '%s\n' '#!/bin/bash' "name=$name type=$type block=$block" "$(<"${0%/*}/program")" >"$out"
chmod +x "$out" """,
    # what every program does behind its name, type and block
    "program": r"""n=1000 cache=cold sum=1 report=
while [ $# -gt 0 ]; do
    case $1 in
        -n) n=$2; shift ;;
        --empty) name=empty-launch n=0 ;;
        --hot) cache=hot ;;
        --gate) cache=gate ;;
        --uniform | --signed) sum=0.5 report=yes ;;
        --csv) report= ;;
    esac
    shift
done
case $n in 2^*) n=$((1 << ${n#2^})) ;; *K) n=$((${n%K} << 10)) ;; *M) n=$((${n%M} << 20)) ;; esac
[ "$name-$n" != "$BROKEN" ] || { echo "$name: out of luck" >&2; exit 3; }
case $name in shapes)
    ms=0.005 min=0.003 # and more in a later process
    [ ! -e "$0.ran" ] || ms=0.008 min=0.004
    : >"$0.ran"
    echo type,n,way,blocks,threads,loads,median_ms,min_ms
    echo "$type,1024,ticket,4,256,1,$ms,$min"
    exit ;;
esac
[ ! "$report" ] || {
    printf '  n = %s %s, blocks of %s\n  sum %s, expected %s   OK\n' $n $type $block $sum $sum
    echo '  error 0.25, allowed 1; a plain loop on the CPU is off by 0.75'
    exit
}
step=
case $name in step*) step=${name#step} name=step-$step ;; multi-gpu*) cache=gate ;; esac
library=
[ $name != multi-gpu ] || library="NCCL 2.28.3"
[ "$name-$n" != in-flight-1 ] || echo "NVIDIA H200, 132 SMs"
echo HEADER
echo "$step,$name,$library,cuda,NVIDIA H200,$type,$block,$n,9,$cache,0.5,0.4,0.6,1,100000.0,0.001,$sum,$sum,yes"
""".replace("HEADER", CSV_HEADER),
}
ORIGIN = {"gpu": "NVIDIA H200", "driver": "580.1", "cuda": "13.0", "commit": "abc"}
# instead of make/profile.sh --rows N PROGRAM METRICS, and --check
PROFILE = r"""n=$2 IFS=/ ; read -ra path <<<"$3"
IFS=- read -r _ _ type block _ <<<"${path[-2]}"
name=${path[-1]} step=
case $name in step*) step=${name#step} ;; esac
[ "$1" = --check ] || echo "$step,$name,$type,$block,$((${n/^/**})),,"
"""


@pytest.fixture
def gpu_make(tree, tmp_path):
    """make on such a machine, in a tree of its own."""
    copy_rooms(tree, "detours")
    (tmp_path / "nccl/include").mkdir(parents=True)
    (tmp_path / "nccl/include/nccl.h").touch()
    for name, text in TOOLS.items():
        script(tmp_path / "bin" / name, text, "bash")
    script(tree / "make/profile.sh", PROFILE, "bash")

    def call(*words, broken="", status=0):
        silent = [] if "V=1" in words else ["-s"]
        done = make(*silent, f"CC={tmp_path}/bin/cc", *words, cwd=tree, env={
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "BROKEN": broken, "BENCH_COMMIT": "abc",
            "BENCH_PROCESSES": "1", "NCCL_HOME": f"{tmp_path}/nccl"})
        assert done.returncode == status, done.stderr
        return done
    return call


@pytest.fixture
def bench(gpu_make, tree):
    """Calls a target; tells the rows of each file that came of it, and keeps its whole lines."""
    def call(*words, folder="build/bench", **options):
        call.stderr = gpu_make(*words, **options).stderr
        call.lines = {file.name: file.read_text().splitlines() for file in (tree / folder).iterdir()}
        for lines in call.lines.values():
            origin = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
            assert origin.items() >= ORIGIN.items()
        return {name: [line for line in lines if line[0] != "#"] for name, lines in call.lines.items()}
    return call


ABOUT = "type", "block", "input", "changed", "n", "cache"
OWN_BLOCK = "00", "naive-", "single-pass", "multi-gpu", "empty-launch"  # whatever make says


def measured(lines):
    """The words of the file's origin, its columns, and how often each program was measured, with which
    type, block …; of one's counters each is a row."""
    rows = [*csv.DictReader(line for line in lines if line[0] != "#")]
    done = Counter()
    for row in rows:
        program = row.get("step") or row["name"]
        done[program, *(row[key] for key in ABOUT if key in row and not (
            key == "block" and program.startswith(OWN_BLOCK)))] += 1
    return ({line.split(":")[0] for line in lines if line[0] == "#"}, {*rows[0]},
            Counter({*done}) if {"metric", "loads"} & {*rows[0]} else done)


TARGETS = {"h200": "bench", "write-up-0-nsight-h200": "bench-write-up-0"} | {
    f"{name}-h200": f"bench-{name}" for name in (
        "float-order", "ideas", "in-flight", "multi-gpu", "nsight", "stalls", "trust", "tuning",
        "write-up-0")}
SLOW = "bench-float-order", "bench-ideas", "bench-nsight"


@pytest.mark.parametrize("name, target", [
    pytest.param(*each, marks=[pytest.mark.slow] * (each[1] in SLOW)) for each in TARGETS.items()])
def test_what_is_committed_is_measured(bench, tree, name, target):
    """As often, with the same columns and words of its origin; that may be more by now. A program whose
    constants are changed is a copy that has them so."""
    committed = (ROOT / f"plots/data/{name}.csv").read_text().splitlines()
    bench(target, *["BENCH_TYPES=int float double"] * ("multi" in target))  # doubles were asked for
    words, columns, done = map(operator.sub, measured(committed), measured(bench.lines[f"{name}.csv"]))
    assert not columns and not done and words <= {"# date", "# remark", "# library"}
    for copy in tree.glob("build/cuda-*/changed/*/source/*/main.cu"):
        for constant in copy.parents[2].name.split("+"):
            name, value = constant.split("-")
            assert re.search(rf"^(#define {name} +|.*\b{name} = ){value}\b", copy.read_text(), re.M)


def test_multi_gpu_without_mpi(bench):
    """One line names what is missing; everything else is measured."""
    rows = bench("bench-multi-gpu", "BENCH_SIZES=1000", "MPICXX=/nonexistent")["multi-gpu-h200.csv"]
    assert {row["name"] for row in csv.DictReader(rows)} == {
        "empty-launch", "single-pass", "multi-gpu", "multi-gpu-peer"}
    assert bench.stderr.count("multi-gpu-mpi: /nonexistent not found: install MPI") == 1
    assert "leaving out multi-gpu-mpi" in bench.stderr


def test_profile(gpu_make, tree, tmp_path):
    """The program for a GPU runs, at the n that is asked for."""
    shutil.copy(ROOT / "make/profile.sh", tree / "make")
    script(tmp_path / "bin/ncu", 'echo "==ERROR== ${@: -9}"', "bash")
    for variables, n in ([], "2^20"), (["N=1;touch X"], "1;touch X"):
        done = gpu_make("profile-03", *variables, status=2)
        assert f"./step03 -n {n} -r 1\n" in done.stderr
        assert not (tree / "X").exists()


@pytest.mark.slow
def test_what_is_built_again(gpu_make, tree):
    """A program is built again if a header of the harness or of its own has changed; else nothing is."""
    def compiled(header=None):
        if header:
            (tree / header).write_text((tree / header).read_text() + "\n")
        told = gpu_make("V=1", "BACKEND=cuda", "multi-gpu").stdout
        return [line.split()[-1] for line in told.splitlines() if line.startswith("nvcc ")]

    program = "build/cuda-sm_90-int-256-sum/multi-gpu"
    assert program in compiled() and compiled() == []
    assert program in compiled("common/lab.h")
    assert compiled("detours/multi-gpu/piece.h") == [program]


def test_shapes(bench, tree):
    """The rows of all types under one header, the mean over the processes, and a table for each:
    into the data that are committed, and beside the source that includes it."""
    written = bench("bench-shapes", "PUBLISH=1", "BENCH_PROCESSES=3", folder="plots/data")
    header, *rows = written["shapes-h200.csv"]
    assert header == "type,n,way,blocks,threads,loads,median_ms,min_ms"
    types = "int", "float", "double"
    assert rows == [f"{type},1024,ticket,4,256,1,0.007000,0.003" for type in types]
    for type in types:
        made = (tree / f"detours/single-pass/shapes-{type}.h").read_text()
        assert made.endswith("{\n    TICKETS(SIZE_MAX, 256, 1),\n};\n")
    assert not (tree / "build/bench").exists()


def test_without_nsight_compute(bench, tree):
    """Said before anything is built."""
    script(tree / "make/profile.sh", "exit 3")
    with pytest.raises(FileNotFoundError):
        bench("bench-nsight", status=2)
    assert not (tree / "build").exists()


def test_peers_need_pytorch(gpu_make, tree):
    """Else nothing is built."""
    done = gpu_make("bench-peers", status=2)
    assert done.stderr.startswith("make bench-peers: needs PyTorch, whose arrays and events")
    assert not [*tree.glob("build/cuda*")]


@pytest.mark.parametrize("target, broken", [
    ("bench-in-flight", f"in-flight-{2**28}"),
    pytest.param("bench-tuning", "build", marks=pytest.mark.slow)])
def test_an_unfinished_file_is_called_so(gpu_make, tree, target, broken):
    gpu_make(target, status=2, broken=broken)
    assert all(file.name.endswith("-h200.csv.part") for file in (tree / "build/bench").iterdir())


def test_golden_times(gpu_make, tree, tmp_path):
    """A hand-in of the open exercise is timed beside step 07 and CUB, one of 01 or 03 beside
    given.cu; a failure is told as one."""
    (tmp_path / "hand in").mkdir()
    (tmp_path / "hand in/main.cu").touch()
    calls = [("FILE=hand in", gpu_make("times", f"FILE={tmp_path}/hand in/main.cu"))]
    calls.append(("EXERCISE=1", gpu_make("times", "EXERCISE=1", "FILE=exercises/task.h")))
    calls.append(("another exercise", gpu_make("times", "EXERCISE=04", status=2)))
    calls.append(("a program that fails", gpu_make(
        "times", "FILE=exercises/task.h", broken=f"handin-{1 << 20}", status=2)))
    transcript("times.txt", calls, folder=tmp_path)


# ---- the program that measures shapes ----

HEADER = "type,n,way,blocks,threads,loads,median_ms,min_ms"
LEASTS = """int,0,launch,1,32,1,0.0027,0.0027
int,0,trip,1,32,1,0.0031,0.0030
int,0,trip,132,256,1,0.0036,0.0035
int,0,barrier,8,32,1,0.0035,0.0034
int,0,atomic,132,32,1,0.0041,0.0040"""


@pytest.mark.slow
@pytest.mark.parametrize("type", ["int", "double"])
def test_every_candidate_is_right(type):
    """The program verifies each; on the CPU backend those that need no cluster."""
    done = run(build_programs("shapes", type=type) / "shapes", "-n", 2**20)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith(HEADER)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    of_many = "ticket" if type == "int" else "wait"
    assert {row["way"] for row in rows} == {"launch", "trip", "atomic", "group", of_many}
    assert {int(row["n"]) for row in rows} == {0} | {2**k for k in range(10, 21)}
    pack = 2 if type == "double" else 4
    for row in rows:
        at_once = pack * int(row["threads"]) * int(row["loads"])
        assert row["median_ms"] == row["min_ms"] == ""
        assert row["way"] != "group" or int(row["n"]) <= at_once
        assert row["way"] != of_many or int(row["n"]) > at_once


def test_too_few_elements():
    done = run(build_programs("shapes") / "shapes", "-n", 1000)
    assert_refused(done, 2, "shapes: -n 1000: want 2^20 or more")


# ---- the table of shapes ----

def test_golden_shapes(tmp_path):
    """The table that is made of what was measured: n, way, blocks, threads, loads and µs."""
    def call(typed):
        rows = (row.rsplit(",", 1) for row in typed.split())
        lines = ["# gpu: A GPU", HEADER, *LEASTS.splitlines()]
        lines += [f"int,{shape},{float(us) / 1000},0.001" for shape, us in rows]
        (tmp_path / "shapes.csv").write_text("\n".join(lines) + "\n")
        head, begin, *rows, end = table_of(tmp_path / "shapes.csv", "int").splitlines()
        assert "as measured on an A GPU" in head and (begin[-1], end) == ("{", "};")
        return " ".join(map(str.strip, rows)) + "\n"

    replay("shapes.csv", call)
    assert table_of(tmp_path / "shapes.csv", "float").splitlines()[2:] == ["};"]


@pytest.mark.parametrize("type", ["int", "float", "double"])
def test_committed_table(type):
    """It is what shapes.py makes of what was measured."""
    assert table_of(ROOT / "plots/data/shapes-h200.csv", type) == (
        ROOT / f"detours/single-pass/shapes-{type}.h").read_text(), "make bench-shapes PUBLISH=1"


# ---- what is told of it ----

def test_least(tmp_path):
    """The smallest launch of each kind, by what one block and one cluster can hold."""
    (tmp_path / "shapes-x.csv").write_text(f"{HEADER}\n{LEASTS}\nint,1024,wait,2,256,2,0.005,0.004\n")
    shapes, leasts, _ = side_data.beside(tmp_path / "x.csv")
    assert shapes == {("int", 1024): {side_data.Shape("wait", 2, 256, 2): 0.005}}
    bench = bench_data.load(ROOT / "tests/data/bench_small.csv")._replace(
        leasts=leasts, peak=float("inf"))
    assert [bench_data.trips_ms(bench, "int", size // 4) for size in (
        4, 2**16, 2**16 + 4, 2**18, 2**18 + 4)] == [0.0031, 0.0031, 0.0035, 0.0035, 0.0041]
    assert bench_data.trips_ms(bench, "float", 1) is None
    assert side_data.beside(tmp_path / "none.csv") == ({}, {}, None)
