"""make bench and its kin, from make to the files that they write, on a machine that only looks as
if it had two GPUs, CUDA and Nsight Compute: the compiler's programs are scripts that print rows."""

import csv
import os
import shutil
from collections import Counter

import pytest

from conftest import CSV_HEADER, DETOURS, NEEDS_GPU, ROOT, STEPS, make

TOOLS = {
    "nvidia-smi": """case $1 in
    *compute_cap*) echo 9.0 ;;
    *name*) echo NVIDIA H200 ;;
    --list-gpus) echo GPU 0; echo GPU 1 ;;
    *) echo 580.1 ;;
esac""",
    "ncu": "echo Version 2025.3",
    "cc": ': >"${!#}"',
    "nvcc": r"""[ "$1" != --version ] || { echo release 13.0, V13; exit; }
out=${!#}
case $out in *.o) : >"$out"; exit ;; esac
IFS=- read -r _ _ type block _ <<<"$(basename "$(dirname "$out")")"
{
    echo '#!/bin/bash'
    echo "name=$(basename "$out") type=$type block=$block"
    cat "$(dirname "$0")/program"
} >"$out"
chmod +x "$out" """,
    # what every program does behind its name, type and block
    "program": r"""n=1000
while [ $# -gt 0 ]; do
    case $1 in -n) n=$2; shift ;; --empty) name=empty-launch n=0 ;; esac
    shift
done
case $n in 2^*) n=$((1 << ${n#2^})) ;; esac
[ "$name-$n" != "$BROKEN" ] || { echo "$name: out of luck" >&2; exit 3; }
step=
case $name in step*) step=${name#step} name=step-$step ;; esac
echo HEADER
echo "$step,$name,cuda,NVIDIA H200,$type,$block,$n,9,cold,0.5,0.4,0.6,1,1,1,1,yes"
""".replace("HEADER", CSV_HEADER),
}
NSIGHT = '[ "$1" = --able ] || for program in "${@:2}"; do echo "$1 $program"; done'
EVERYWHERE = [f"step-{step}" for step in STEPS] + [
    name for name in DETOURS if not name.startswith("multi-gpu")]


@pytest.fixture
def bench(tree, tmp_path):
    """Calls a target; tells what files came of it, each as its origin, and its rows."""
    shutil.copytree(ROOT / "detours", tree / "detours")
    (tmp_path / "bin").mkdir()
    files = {tmp_path / "bin" / name: text for name, text in TOOLS.items()}
    for file, text in (files | {tree / "bench/nsight.sh": NSIGHT}).items():
        file.write_text("#!/bin/bash\n" * (file.name != "program") + text + "\n")
        file.chmod(0o755)

    def call(target, *variables, status=0, broken=""):
        done = make("-s", f"CC={tmp_path}/bin/cc", target, *variables, cwd=tree, env={
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "BROKEN": broken, "BENCH_COMMIT": "abc",
            "BENCH_PROCESSES": "1"})
        assert done.returncode == status, done.stderr
        written = {}
        for file in (tree / "build/bench").iterdir():
            lines = file.read_text().splitlines()
            origin = dict(line[2:].split(": ") for line in lines if line.startswith("#"))
            assert (origin["gpu"], origin["driver"], origin["cuda"], origin["commit"]) == (
                "NVIDIA H200", "580.1", "13.0", "abc")
            written[file.name] = [line for line in lines if not line.startswith("#")]
        return written
    return call


def rows_of(lines, *columns):
    return [tuple(row[name] for name in columns) for row in csv.DictReader(lines)]


def test_bench(bench):
    """Every program that one GPU runs, in its usual configuration."""
    written = bench("bench", "BENCH_SIZES=1000")
    assert list(written) == ["h200.csv"]
    rows = rows_of(written["h200.csv"], "name", "type", "block", "n")
    assert rows[0] == ("empty-launch", "int", "256", "0")
    assert sorted(row[0] for row in rows[1:]) == sorted(EVERYWHERE)
    assert {row[3] for row in rows[1:]} == {"1000"}
    assert ("deterministic-float", "float", "256", "1000") in rows
    assert ("any-block-size", "int", "200", "1000") in rows


def test_bench_of_types(bench):
    written = bench("bench", "BENCH_SIZES=1000", "BENCH_TYPES=int float")
    types = Counter(row for row, in rows_of(written["h200.csv"], "type"))
    assert types == {"int": len(EVERYWHERE), "float": len(EVERYWHERE) - 1}  # and the empty launch


def test_multi_gpu(bench):
    """Named after their number."""
    written = bench("bench-multi-gpu")
    assert list(written) == ["2x-h200.csv"]
    rows = rows_of(written["2x-h200.csv"], "name", "n")
    assert rows[1:] == [("multi-gpu", str(2**k)) for k in (20, 22, 24, 26, 28, 30, 31)]


def test_write_up_0(bench):
    """Times, and what Nsight Compute counts."""
    written = bench("bench-write-up-0")
    assert sorted(written) == ["write-up-0-h200.csv", "write-up-0-nsight-h200.csv"]
    names = [name for name in DETOURS if name.startswith("global-")]
    rows = rows_of(written["write-up-0-h200.csv"], "name", "block", "n")
    assert rows[1:] == [(name, "512", str(2**24)) for name in names]
    assert written["write-up-0-nsight-h200.csv"] == [
        f"2^24 build/cuda-sm_90-int-512-sum/{name}" for name in names]


def test_float_order(bench):
    written = bench("bench-float-order")
    assert list(written) == ["float-order-h200.csv"]
    header, *rows = written["float-order-h200.csv"]
    assert header == "name,block,n,result,expected"
    assert rows == [f"atomic-finish,256,{2**24},1,1"] * 12 + [
        f"deterministic-float,{block},{2**24},1,1" for block in (32, 64, 128, 256, 512, 1024)]


def test_trust(bench):
    written = bench("bench-trust")
    assert list(written) == ["trust-h200.csv"]
    rows = Counter(rows_of(written["trust-h200.csv"], "name"))
    assert rows == {("step-07",): 8 + 30, ("single-pass",): 30, ("cub",): 30}


def test_tuning(bench):
    """Each variant is built in its copy of the project."""
    written = bench("bench-tuning", "BENCH_SIZES=1000")
    assert list(written) == ["tuning-h200.csv"]
    header, *rows = written["tuning-h200.csv"]
    assert header == "name,changed,n,median_ms,min_ms,max_ms"
    assert len(rows) == 30 and rows[:15] == rows[15:] and len(set(rows)) == 15
    assert rows[1] == "step07,ELEMS=4,1000,0.5,0.4,0.6"


def test_nsight(bench):
    """The programs of ints that both backends run; of the steps, more sizes and blocks."""
    written = bench("bench-nsight")
    assert list(written) == ["nsight-h200.csv"]
    header, *rows = written["nsight-h200.csv"]
    assert header == "step,name,type,block,n,metric,value"
    assert max(Counter(rows).values()) == 1
    both = {name for name in DETOURS if name not in (*NEEDS_GPU, "deterministic-float")}
    assert {row.split("/")[-1] for row in rows} == both | {f"step{step}" for step in STEPS}
    sizes = {}
    for n, path in map(str.split, rows):
        sizes.setdefault(path.removeprefix("build/cuda-sm_90-int-"), []).append(n)
    assert sizes["256-sum/step03"] == ["1000", "65537", "1000003", "2^20"]
    assert sizes["200-sum/any-block-size"] == sizes["256-sum/warp-redux"] == ["1000", "65537"]
    for block in 32, 64, 1024:
        assert sizes[f"{block}-sum/step03"] == ["65537", "2^20"]
        assert f"{block}-sum/step00" not in sizes


@pytest.mark.parametrize("target, broken", [
    ("bench-float-order", f"deterministic-float-{2**24}"),
    pytest.param("bench-trust", f"single-pass-{2**20}", marks=pytest.mark.slow),
    pytest.param("bench-tuning", f"single-pass-{2**28}", marks=pytest.mark.slow)])
def test_an_unfinished_file_never_stays(bench, target, broken):
    assert bench(target, status=2, broken=broken) == {}
