"""The harness on a GPU: how it times, judges and prints. The GPU is pretended
(tests/pretend/gpu.c): its work takes times that are known before."""

import csv
import math
import re
from collections import Counter

import pytest

from harness import ROOT, assert_refused, csv_row, once, replay, run, said, simtcc
from test_refusals import for_each


@pytest.fixture(scope="module")
def programs():
    """One of each type: the harness's C as on a GPU, all else pretended."""
    harness = [file for file in sorted((ROOT / "common").glob("*.c")) if file.stem != "clock"]

    def build(folder):
        for type in "int", "float", "double":
            said(run("gcc", "-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-fwrapv",
                     f"-DTYPE={type}", "-Itests/pretend/gpu", "-Isimt/include", "-Icommon",
                     *harness, "tests/pretend/gpu.c", "-lm", "-o", folder / type, cwd=ROOT))
    return once("pretended-gpu", build)


@pytest.fixture
def step(programs, tmp_path):
    """Runs a step: `MS='7 99 3' GPUS=2 -r 1`, settings of the GPU, and options; -n is 1000."""
    def run_step(typed, *more):
        settings = dict(re.findall(r"([A-Z_]+)=('[^']*'|\S*)", typed))
        env = {f"PRETEND_{name}": value.strip("'") for name, value in settings.items()}
        options = re.sub(r"[A-Z_]+=('[^']*'|\S*)", "", typed).split()
        if not {"-n", "--empty"} & {*options}:
            options += ["-n", "1000"]
        (tmp_path / "log").unlink(missing_ok=True)
        return run(programs / settings.get("TYPE", "int"), *options, *more,
                   env=env | {"PRETEND_LOG": str(tmp_path / "log")})
    return run_step


@pytest.fixture
def log(tmp_path):
    """The calls of the last step to the GPU. If there are many: how often it reduced, and what stood before
    each timed run."""
    def read():
        file = tmp_path / "log"
        lines = file.read_text().splitlines() if file.exists() else []
        if len(lines) < 15:
            return ", ".join(lines)
        count = Counter(re.sub(" of .*", " once", line) for line in lines)
        timed = {count.pop(name) for name in ("event 1", "event 2", "wait 2")}
        (device,) = (line for line in count if line.startswith("device"))
        behind = count.pop("flush", 0) or count.pop("spin", 0)
        assert timed == {behind} and count.pop("flush once", 1) == count.pop(device) == 1
        return ", ".join([device] * (device != "device 0") + [
            f"{number} x {what}" for what, number in count.items()] + [f"{behind} x timed"])
    read.file = tmp_path / "log"
    return read


# ---- what is timed, and what is told ----

def test_golden_rows(step, log):
    """A result that was never stored again is what the GPU's memory was filled with."""
    def call(typed):
        done = step(typed, "--csv")
        row = csv_row(done)
        usual = {"step": "42", "name": "pretended", "library": "", "backend": "cuda", "block": "256",
                 "device": "Pretended 0", "type": "int", "verified": "yes", "cache": "cold", "n": "1000",
                 "result": row.pop("expected")}
        least, most = (row.pop(name) for name in ("min_ms", "max_ms"))
        told = [text for name, text in row.items() if text not in ("", usual.get(name))]
        assert (done.returncode, done.stderr) == (int(row["verified"] == "no"), "")
        return f"{' '.join(told)}{f' ({least} to {most})' * (least != most)}; {log()}\n"

    replay("timing-rows.csv", call)


def test_golden_reports(step):
    """A refusal is one line."""
    def call(typed):
        done = step(typed)
        if done.returncode > 1:
            assert_refused(done, 3 if re.search("GPUS=0$|FAIL|NEEDS", typed) else 2)
        return done

    replay("timing-reports.txt", call)
    replay("timing-refusals.csv", for_each(call))


def test_calls_that_fail(step):
    """Each is told with its place and CUDA's words."""
    for call in "Malloc", "Memcpy", "MemcpyAsync", "EventRecord", "EventElapsedTime", "DeviceSynchronize":
        done = step(f"FAIL=cuda{call} IN_PLACE=1 -r 1")
        assert_refused(done, 3, "common/", f": cuda{call}(", "): it was asked to fail (cudaErrorUnknown)\n")


def test_no_host_memory(programs):
    done = run("sh", "-c", 'ulimit -v 60000; exec "$@"', "sh", programs / "int", "-n", 2**24)
    assert_refused(done, 2, "-n 16777216: no host memory for 16777216 input values; choose")


@pytest.mark.parametrize("type, unit, n", [("float", 2**-24, 1000), ("float", 2**-24, 2**16),
                                           ("double", 2**-53, 1000), ("double", 2**-53, 2**16)])
def test_tolerance(step, type, unit, n):
    """An error of up to three times a random walk of roundings is OK; a little more is not."""
    total = {1000: 508.1254397034645, 2**16: 32709.50431716442}[n]
    allowed = unit * total * (3 * math.sqrt(n / 3) + 1)
    called = f"TYPE={type} -n {n} -r 1 --uniform ERROR="
    assert {step(called + error).returncode for error in ("nan", "inf")} == {1}
    for factor in -1.1, -0.9, 0, 0.9, 1.1:
        done = step(f"{called}{factor * allowed}")
        right = abs(factor) < 1
        assert (done.returncode, "   OK\n" in done.stdout) == ((0, True) if right else (1, False))
        error, told = re.search(r"  error (\S+), allowed (\S+); ", done.stdout).groups()
        assert float(told) == pytest.approx(allowed, rel=0.01)
        assert float(error) == pytest.approx(abs(factor) * allowed, abs=0.05 * allowed)


# ---- the kernels of the harness, on the CPU backend ----

KERNELS = """
#include "kernels.h"

#include <cstdlib>

int main(int, char **argv)
{
    struct flush flush = flush_new(atoi(argv[1]));
    flush_enqueue(&flush);
    spin_enqueue();
    empty_launch(nullptr, nullptr, nullptr, 0);
    flush_free(&flush);
}
"""


def test_flush_reads_four_times_the_cache(tmp_path):
    """It loads each word once and writes nothing; the kernel that waits touches no memory."""
    program = simtcc(KERNELS, tmp_path / "kernels.cu", "-Icommon", ROOT / "common/kernels.cu",
                     ROOT / "common/check.c")
    for l2 in 2**14, 2**16:
        said(run(program, l2, env={"SIMT_TRACE": str(tmp_path / "trace.csv"), "SIMT_WATCHDOG": "0"}))
        rows = [*csv.DictReader((tmp_path / "trace.csv").read_text().splitlines())]
        assert {(row["launch"], row["space"], row["op"]) for row in rows} == {("1", "global", "load")}
        assert sorted(int(row["offset"]) for row in rows) == list(range(0, 4 * l2, 4))
