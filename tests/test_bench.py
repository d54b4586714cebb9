"""make bench and its kin, from make to the files that they write, on a machine that only looks as
if it had two GPUs, CUDA and Nsight Compute: the compiler's programs are scripts that print rows."""

import csv
import operator
import os
import re
from collections import Counter

import pytest

from harness import CSV_HEADER, ROOT, copy_rooms, make, script, transcript

from plots.measure import machine
from plots.measure import rows as bench_rows
from plots.measure.shapes import table_of

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
        done = make("-s", f"CC={tmp_path}/bin/cc", *words, cwd=tree, env={
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "BROKEN": broken, "BENCH_COMMIT": "abc",
            "BENCH_PROCESSES": "1", "NCCL_HOME": f"{tmp_path}/nccl"})
        assert done.returncode == status, done.stderr
        return done
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


TARGETS = {"h200": "bench"} | {f"{name}-h200": f"bench-{name}" for name in (
    "float-order", "ideas", "in-flight", "multi-gpu", "nsight", "stalls", "trust", "tuning")}
SLOW = "bench-float-order", "bench-ideas", "bench-nsight"


@pytest.mark.parametrize("name, target", [
    pytest.param(*each, marks=[pytest.mark.slow] * (each[1] in SLOW)) for each in TARGETS.items()])
def test_what_is_committed_is_measured(gpu_make, tree, name, target):
    """As often, with the same columns and words of its origin; that may be more by now. A program whose
    constants are changed is a copy that has them so."""
    committed = (ROOT / f"plots/data/{name}.csv").read_text().splitlines()
    gpu_make(target, *["BENCH_TYPES=int float double"] * ("multi" in target))  # doubles were asked for
    lines = (tree / f"build/bench/{name}.csv").read_text().splitlines()
    assert dict(line[2:].split(": ", 1) for line in lines if line[0] == "#").items() >= ORIGIN.items()
    words, columns, done = map(operator.sub, measured(committed), measured(lines))
    assert not columns and not done and words <= {"# date", "# remark", "# library"}
    for copy in tree.glob("build/cuda-*/changed/*/source/*/main.cu"):
        for constant in copy.parents[2].name.split("+"):
            name, value = constant.split("-")
            assert re.search(rf"^(#define {name} +|.*\b{name} = ){value}\b", copy.read_text(), re.M)


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


@pytest.mark.parametrize("type", ["int", "float", "double"])
def test_committed_table(type):
    """It is what shapes.py makes of what was measured."""
    assert table_of(ROOT / "plots/data/shapes-h200.csv", type) == (
        ROOT / f"detours/single-pass/shapes-{type}.h").read_text(), "make bench-shapes PUBLISH=1"


# ---- rows, and the file's name and content ----

def test_rows(monkeypatch, capsys):
    """The median of several processes where n is small; a program that fails is left out, and told."""
    ran = []

    def row_of(program, option, n="0", *more):
        ran.append((program, option, n))
        if ran[-1] == ("bad", "-n", "2^10"):
            raise SystemExit(1)
        return {"name": program, "library": "", "peak_gb_per_s": "", "n": str(eval(n.replace("^", "**"))),
                "median_ms": "978"[ran.count(ran[-1]) - 1]}

    monkeypatch.setattr(bench_rows, "row_of", row_of)
    monkeypatch.setenv("BENCH_SIZES", "2^10 2^22")
    target = machine.Target("bench", [])
    _, peak, _, _, _, *rows = bench_rows.harness_rows(target, [["good"], ["bad"]], "")
    assert peak == "# peak_gb_per_s: unknown"
    assert rows == ["good,,,1024,8", "good,,,4194304,9", "bad,,,4194304,9"]
    assert "leaving out bad -n 2^10: the result is WRONG\n" in capsys.readouterr().err and target.failed


def test_programs_that_fail(tmp_path, capfd):
    """Their status is ours, as a shell tells it; half a row is none."""
    for text, status, said in (
            ("echo no luck >&2; exit 3", 3, "no luck\n"), ("kill -SEGV $$", 139, ""),
            (f"echo {CSV_HEADER}; printf 1,2", 3, f"x printed no row of the columns {CSV_HEADER}\n")):
        with pytest.raises(SystemExit, match=str(status)):
            machine.row_of(script(tmp_path / "x", text))
        assert capfd.readouterr().err == said
