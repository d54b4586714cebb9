"""What the harness does on a GPU: how it times, judges and reports. The GPU is pretended
(tests/pretend/gpu.c): its work takes times that are known before."""

import csv
import math
import re
from collections import Counter
from itertools import islice

import pytest

from harness import (CSV_HEADER, ROOT, assert_refused, build, input_values, once, run, said, simtcc,
                     transcript)


@pytest.fixture(scope="module")
def programs():
    """One of each type: the harness's C as on a GPU, all else pretended."""
    harness = [file for file in sorted((ROOT / "common").glob("*.c")) if file.stem != "clock"]

    def build(folder):
        for type in "int", "float", "double":
            said(run("gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fwrapv",
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
    """What the last step asked of the GPU; of many things how often."""
    def read():
        lines = (tmp_path / "log").read_text().splitlines() if (tmp_path / "log").exists() else []
        return ", ".join(lines if len(lines) < 15 else (
            f"{count} x {what}" for what, count in Counter(lines).items()))
    return read


# ---- what is timed, and what is told ----

def before(reps):
    """Milliseconds that the untimed reduction takes, and one that warms up long enough alone."""
    return "7" if reps == 1 else "7 99"


ROWS = [
    # one repetition: busy first; between the events the reduction and nothing else
    *(f"{setting} -r 1 {cache}" for setting in ("MS='7 .5'", "MS='7 .5' IN_PLACE=1")
      for cache in ("", "--hot")),
    "-r 1 --empty", "-r 3 --empty", "-r 1 -w 4",
    # many: not the reduction that fills the cache, but the next one; in whatever order they come
    "MS='7 50 50 40 2 30 4' -r 2 --hot",
    *(f"MS='{before(len(ms.split()))} {ms}' -r {len(ms.split())}" for ms in (
        "4", "9 1", "9 1 2", "1 9 8 2", "5 1 4 2 30", "3 3 3 100 100 100", "10 9 8 1 2 3 4")),
    # by themselves 100, or those of a second; 5 at least
    *(f"MS={ms}" for ms in (1, 10, 11, 150, 250, 600)),
    # first of all a tenth of a second that warms up: a run takes 5 ms of flush, and 8 of looking at
    # the clock; -r 1 has none. Then as many as asked for, however long they take
    *(f"MS={ms} -r {reps}" for reps, ms in (
        (2, 200), (2, 99), (2, 37), (2, 12), (2, 500), (4, 500), (130, 500), (1, 200), (1, 12))),
    # GB are 10^9 bytes; a GPU of 1 GHz, 2 transfers a clock, 64 bytes each has 128 GB/s
    *(f"{setting} MS='7 99 9 .125 .01' -n 2^20 -r 3" for setting in (
        "", "TYPE=double", "TYPE=float SHARED=4", "MHZ=0")),
    # everything is that of the GPU that was chosen, of compute capability 9.0, 9.1 …
    "GPUS=2 MS='7 99 9 .125 .01' -n 2^20 -r 3 -d 1",
    "GPUS=2 NEEDS=9.0 -r 1", "GPUS=2 NEEDS=8.9 -r 1", "GPUS=2 NEEDS=9.1 -r 1 -d 1",
    # what was timed is verified: a result that only the first runs get right, or store
    "LATE_ERROR=1 -r 3", "STORES=1 -r 3",
    # exact sums; a wrong one is not timed
    *(f"TYPE={type} ERROR={error}" for type, error in (("int", 1), ("float", .5), ("double", -.5)))]


def test_golden_rows(step, log):
    """A result that was never stored again is what the GPU's memory was filled with."""
    transcript("timing-rows.txt", [(typed, how(step(typed, "--csv")) + log() + "\n")
                                   for typed in ROWS])


def how(done):
    """Without the columns' names."""
    assert done.stderr == "" and done.stdout.startswith(CSV_HEADER)
    return done.stdout.partition("\n")[2] + f"[{done.returncode}] "


REPORTS = [  # two looks at the clock are the CPU's time
    "MS='7 99 4 1 3 1' -n 2^20 -r 4", "--hot -r 1", "GPUS=2 -d 1 -n 2^20 -r 1", "-n 250 -r 1",
    "TYPE=float SHARED=4 -n 2^20 -r 1", "MHZ=0 -n 2^20 -r 1", "ERROR=1", "TYPE=float ERROR=.5"]
FAILING = ["cudaSetDevice", "cudaGetDeviceProperties", "cudaDeviceGetAttribute", "cudaMemGetInfo",
           "cudaMalloc", "cudaMemcpy", "cudaMemset", "cudaMemcpyAsync", "cudaEventCreate",
           "cudaEventRecord", "cudaEventSynchronize", "cudaEventElapsedTime", "cudaEventDestroy",
           "cudaDeviceSynchronize", "cudaFree"]
REFUSED = [
    *(words for type, options in (("int", "-n 5"), ("int", "-s 2"), ("float", "--uniform"),
                                  ("double", "--nan"))
      for words in (f"TYPE={type} --empty {options}", f"TYPE={type} {options} --empty")),
    "TYPE=float --nan -n 0", "GPUS=0", "FAIL=cudaGetDeviceCount", "NEEDS=9.1", "NEEDS=10.0",
    # it has 1 GiB: input and scratch, and in place the copy
    f"-n {2**27 + 1}", f"IN_PLACE=1 -n {2**28 // 3 + 1}",
    # bad usage is found before a GPU is looked for
    *(f"GPUS=0 {option}" for option in (
        "--order=1", "--counters", "--counters=csv", "--annotate", "--trace=x")), "GPUS=2 -d 2",
    *(f"FAIL={call} IN_PLACE=1 -r 1" for call in FAILING)]


def test_golden_reports(step):
    """A call that fails: its place and CUDA's words, and no report."""
    told = [(typed, step(typed)) for typed in [*REPORTS, *REFUSED]]
    for typed, done in told[len(REPORTS):]:
        assert_refused(done, 3 if re.search("GPUS=0$|FAIL|NEEDS", typed) else 2)
        done.stderr = re.sub(r"\S*(common/\w+\.c):\d+: ", r"\1: ", done.stderr)
    transcript("timing-reports.txt", told)


def test_no_host_memory(programs):
    done = run("sh", "-c", 'ulimit -v 60000; exec "$@"', "sh", programs / "int", "-n", 2**24)
    assert_refused(done, 2, "-n 16777216: no host memory for 16777216 input values; choose")


@pytest.mark.parametrize("type, unit, n", [("float", 2**-24, 1000), ("float", 2**-24, 2**16),
                                           ("double", 2**-53, 1000), ("double", 2**-53, 2**16)])
def test_tolerance(step, type, unit, n):
    """What three times a random walk of roundings allows is OK; a little more is not."""
    total = math.fsum(islice(input_values(type, uniform=True), n))
    allowed = unit * total * (3 * math.sqrt(n / 3) + 1)
    called = f"TYPE={type} -n {n} -r 1 --uniform ERROR="
    assert step(called + "nan").returncode == 1
    for factor in -1.1, -0.9, 0, 0.9, 1.1:
        done = step(f"{called}{factor * allowed}")
        right = abs(factor) < 1
        assert (done.returncode, "   OK\n" in done.stdout) == ((0, True) if right else (1, False))
        error, told = re.search(r"  error (\S+), allowed (\S+); ", done.stdout).groups()
        assert float(told) == pytest.approx(allowed, rel=0.01)
        assert float(error) == pytest.approx(abs(factor) * allowed, abs=0.05 * allowed)


# ---- the kernels of the harness, on the CPU backend ----

KERNELS = """
#include "empty.h"
#include "flush.h"
#include "spin.h"

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
    """Each word once, and nothing is written; what waits touches no memory at all."""
    kernels = [ROOT / f"common/{name}.cu" for name in ("empty", "flush", "spin")]
    program = simtcc(KERNELS, tmp_path / "kernels.cu", "-Icommon", *kernels,
                     build(steps=("03",)) / "common/check.o")
    trace = tmp_path / "trace.csv"
    for l2 in 2**14, 2**16:
        done = run(program, l2, env={"SIMT_COUNTERS": "csv", "SIMT_TRACE": str(trace),
                                     "SIMT_WATCHDOG": "0"})
        assert done.returncode == 0, done.stderr
        (memory,) = [row for row in csv.DictReader(done.stderr.splitlines())
                     if row["space"] != "control"]
        assert [memory[name] for name in ("launch", "op", "sectors")] == [
            "1", "load", str(4 * l2 // 32)]
        offsets = [int(row["offset"]) for row in csv.DictReader(trace.read_text().splitlines())]
        assert sorted(offsets) == list(range(0, 4 * l2, 4))
