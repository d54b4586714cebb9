"""What the harness does on a GPU: how it times, judges and reports. The GPU is pretended
(tests/pretend/gpu.c): its work takes times that are known before."""

import csv
import math
import re
from itertools import islice

import pytest

from harness import (ROOT, assert_refused, build, csv_row, expected_sum, input_values, once, run,
                      simtcc)

# Milliseconds that the untimed reduction takes, and one that warms up long enough alone.
BEFORE = [7, 99]
N = 1000


@pytest.fixture(scope="module")
def programs():
    """One of each type: the harness's C as on a GPU, all else pretended."""
    harness = [file for file in sorted((ROOT / "common").glob("*.c")) if file.stem != "clock"]

    def build(folder):
        for type in "int", "float", "double":
            done = run("gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fwrapv",
                       f"-DTYPE={type}", "-Itests/pretend/gpu", "-Isimt/include", "-Icommon",
                       *harness, "tests/pretend/gpu.c", "-lm", "-o", folder / type, cwd=ROOT)
            assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return once("pretended-gpu", build)


@pytest.fixture
def step(programs, tmp_path):
    """Runs a step: its options, how long its reductions take, other settings of the GPU."""
    def run_step(*options, ms=(), type="int", **settings):
        env = {f"PRETEND_{name.upper()}": str(value) for name, value in settings.items()}
        if ms:
            env["PRETEND_MS"] = " ".join(map(str, ms))
        (tmp_path / "log").unlink(missing_ok=True)
        return run(programs / type, *options, env=env | {"PRETEND_LOG": str(tmp_path / "log")})
    return run_step


@pytest.fixture
def log(tmp_path):
    """What the last step asked of the GPU."""
    return lambda: (tmp_path / "log").read_text().splitlines()


@pytest.fixture
def row(step):
    """The row of a step that went well, and left nothing allocated."""
    def of(*options, **settings):
        done = step("--csv", *options, **settings)
        assert (done.returncode, done.stderr) == (0, "")
        return csv_row(done)
    return of


def times(row):
    return [float(row[name]) for name in ("median_ms", "min_ms", "max_ms")]


# ---- one repetition ----

TIMED = ["event 1", "reduce", "event 2", "wait 2"]


@pytest.mark.parametrize("options, settings, expected", [
    ([], {}, ["reduce", "flush of 1048576", "flush", *TIMED]),
    (["--hot"], {}, ["reduce", "reduce", "spin", *TIMED]),
    ([], {"in_place": 1}, ["restore", "reduce", "flush of 1048576", "restore", "flush", *TIMED]),
    (["--hot"], {"in_place": 1}, ["restore", "reduce", "restore", "spin", *TIMED]),
    (["--empty"], {}, ["flush of 1048576", "flush", "event 1", "empty", "event 2", "wait 2"]),
], ids=str)
def test_order(row, log, options, settings, expected):
    """Busy first; between the events the reduction and nothing else."""
    found = row("-r", 1, *options, *([] if "--empty" in options else ["-n", N]), **settings)
    assert log() == ["device 0", *expected]
    assert found["cache"] == ("hot" if "--hot" in options else "cold")


def test_empty(row, log):
    found = row("--empty", "-r", 3)
    assert [found[name] for name in ("step", "name", "n", "block")] == [
        "", "empty-launch", "0", "1"]
    assert times(found) == [1, 1, 1] and "reduce" not in log()


# ---- many ----

TIMES = [  # options, milliseconds of the reductions, settings; how many, and median, least and most
    # nothing that keeps the GPU busy is timed, and no copy
    *((["-r", 1, *hot], [7, 0.5], settings, 1, [0.5] * 3)
      for hot, settings in (([], {}), ([], {"in_place": 1}), (["--hot"], {"in_place": 1}))),
    # not the reduction that fills the cache, but the next one
    (["-r", 2, "--hot"], [7, 50, 50, 40, 2, 30, 4], {}, 2, [3, 2, 4]),
    # in whatever order the times come
    *((["-r", len(ms)], BEFORE[:min(len(ms), 2)] + ms, {}, len(ms), [median, min(ms), max(ms)])
      for ms, median in (([4], 4), ([9, 1], 5), ([9, 1, 2], 2), ([1, 9, 8, 2], 5),
                         ([5, 1, 4, 2, 30], 4), ([3, 3, 3, 100, 100, 100], 51.5),
                         ([10, 9, 8, 1, 2, 3, 4], 4))),
    # by themselves 100, or those of a second; 5 at least
    *(([], [ms], {}, reps, [ms] * 3)
      for ms, reps in ((1, 100), (10, 100), (11, 91), (150, 7), (250, 5), (600, 5)))]


@pytest.mark.parametrize("options, ms, settings, reps, expected", TIMES, ids=str)
def test_times(row, options, ms, settings, reps, expected):
    found = row("-n", N, *options, ms=ms, **settings)
    assert (int(found["reps"]), times(found)) == (reps, expected)


@pytest.mark.parametrize("reps, ms, warm_up", [
    (2, 200, 1), (2, 99, 1), (2, 37, 2), (2, 12, 4), (2, 500, 1), (4, 500, 1), (130, 500, 1),
    (1, 200, 0), (1, 12, 0)])
def test_warm_up_of_a_tenth_of_a_second(row, log, reps, ms, warm_up):
    """A run takes 5 ms of flush, and 8 of looking at the clock; -r 1 has no warm-up. Then as many
    as asked for, however long they take."""
    assert row("-n", N, "-r", reps, ms=[ms])["reps"] == str(reps)
    assert log().count("event 1") == warm_up + reps


def test_untimed_runs(row, log):
    row("-n", N, "-r", 1, "-w", 4)
    assert log().index("flush of 1048576") == log().count("reduce") == 5


# ---- what goes wrong ----

CALLS = ["cudaSetDevice", "cudaGetDeviceProperties", "cudaDeviceGetAttribute", "cudaMemGetInfo",
         "cudaMalloc", "cudaMemcpy", "cudaMemset", "cudaMemcpyAsync", "cudaEventCreate",
         "cudaEventRecord", "cudaEventSynchronize", "cudaEventElapsedTime", "cudaEventDestroy",
         "cudaDeviceSynchronize", "cudaFree"]


@pytest.mark.parametrize("call", CALLS)
def test_call_fails(step, call):
    """Its place and CUDA's words, and no report."""
    done = step("-n", N, "-r", 1, in_place=1, fail=call)
    assert_refused(done, 3, f": {call}(", "it was asked to fail (cudaErrorUnknown)")
    assert re.match(r".*common/\w+\.c:\d+: ", done.stderr)


TOO_LARGE = "needs 1025 MiB of device memory, 1024 MiB are free; choose a smaller -n"
REFUSED = [  # options, of which type, settings, status, words of the line
    *((words, type, {}, 2, [f"step42: {options[0]} and --empty: ", "want one of them"])
      for type, options in (("int", ["-n", "5"]), ("int", ["-s", "2"]), ("float", ["--uniform"]),
                            ("double", ["--nan"]))
      for words in (["--empty", *options], [*options, "--empty"])),
    (["--nan", "-n", 0], "float", {}, 2, ["step42: --nan: -n 0 has no value"]),
    ([], "int", {"gpus": 0}, 3, ["step42: no usable GPU: ", "make BACKEND=cpu"]),
    ([], "int", {"fail": "cudaGetDeviceCount"}, 3, ["step42: no usable GPU: ", "make BACKEND=cpu"]),
    ([], "int", {"needs": "9.1"}, 3, ["step42: needs a GPU of compute capability 9.1 ",
                                      "for what it does; this Pretended 0 has 9.0"]),
    ([], "int", {"needs": "10.0"}, 3, ["compute capability 10.0"]),
    # it has 1 GiB: input and scratch, and in place the copy
    (["-n", 2**27 + 1], "int", {}, 2, [f"step42: -n {2**27 + 1}: {TOO_LARGE}"]),
    (["-n", 2**28 // 3 + 1], "int", {"in_place": 1}, 2,
     [f"step42: -n {2**28 // 3 + 1}: {TOO_LARGE}"]),
    # bad usage is found before a GPU is looked for
    *(([option], "int", {"gpus": 0}, 2, [f"step42: {option.split('=')[0]} is for the CPU backend",
                                         "make BACKEND=cpu step42"])
      for option in ("--order=1", "--counters", "--counters=csv", "--annotate", "--trace=x")),
    (["-d", 2], "int", {"gpus": 2}, 2, ["step42: -d 2: devices are numbered from 0 to 1"])]


@pytest.mark.parametrize("options, type, settings, status, words", REFUSED, ids=str)
def test_refused(step, options, type, settings, status, words):
    assert_refused(step(*options, type=type, **settings), status, *words)


def test_a_gpu_that_is_new_enough(row):
    """Each GPU has its own compute capability: 9.0, 9.1 …"""
    for needs, device in ("9.0", 0), ("8.9", 0), ("9.1", 1):
        assert row("-n", N, "-d", device, "-r", 1, gpus=2, needs=needs)["verified"] == "yes"


def test_no_host_memory(programs):
    done = run("sh", "-c", 'ulimit -v 60000; exec "$@"', "sh", programs / "int", "-n", 2**24)
    assert_refused(done, 2, "-n 16777216: no host memory for 16777216 input values; choose")


# ---- the verdict ----

@pytest.mark.parametrize("type, unit, n", [("float", 2**-24, 1000), ("float", 2**-24, 2**16),
                                           ("double", 2**-53, 1000), ("double", 2**-53, 2**16)])
def test_tolerance(step, type, unit, n):
    """What three times a random walk of roundings allows is OK; a little more is not."""
    total = math.fsum(islice(input_values(type, uniform=True), n))
    allowed = unit * total * (3 * math.sqrt(n / 3) + 1)
    assert step("-n", n, "-r", 1, "--uniform", type=type, error="nan").returncode == 1
    for factor in -1.1, -0.9, 0, 0.9, 1.1:
        done = step("-n", n, "-r", 1, "--uniform", type=type, error=factor * allowed)
        right = abs(factor) < 1
        assert (done.returncode, "   OK\n" in done.stdout) == ((0, True) if right else (1, False))
        error, told = re.search(r"  error (\S+), allowed (\S+); ", done.stdout).groups()
        assert float(told) == pytest.approx(allowed, rel=0.01)
        assert float(error) == pytest.approx(abs(factor) * allowed, abs=0.05 * allowed)


def test_no_tolerance(step):
    """Where sums are exact; a wrong result is not timed."""
    for type, error in ("int", 1), ("float", 0.5), ("double", -0.5):
        done = step("-n", N, type=type, error=error)
        assert done.returncode == 1 and "   WRONG\n" in done.stdout and " ms" not in done.stdout
        assert step("-n", N, type=type).returncode == 0


def test_what_was_timed_is_verified(step):
    """A result that only the first runs get right."""
    done = step("-n", N, "--csv", "-r", 3, late_error=1)
    assert done.returncode == 1 and csv_row(done)["verified"] == "no"
    assert csv_row(done)["result"] == str(expected_sum("int", N) + 1)


# ---- the report ----

BANDWIDTHS = [  # options, type, settings; the device, GB/s, their share of its peak, its title
    ([], "int", {}, "Pretended 0", 33.554432, 1 / 128, "sm_90, 100 SMs, 128 GB/s"),
    ([], "double", {}, "Pretended 0", 67.108864, 1 / 128, "sm_90, 100 SMs, 128 GB/s"),
    (["-d", 1], "int", {"gpus": 2}, "Pretended 1", 33.554432, 1 / 256, "sm_91, 200 SMs, 256 GB/s"),
    # one bandwidth, of the peak of all
    ([], "float", {"shared": 4}, "4 x Pretended 0", 33.554432, 1 / 512,
     "sm_90, 100 SMs, 128 GB/s each"),
    ([], "int", {"mhz": 0}, "Pretended 0", 33.554432, None, "sm_90, 100 SMs")]


@pytest.mark.parametrize("options, type, settings, device, speed, share, title", BANDWIDTHS)
def test_bandwidth(step, row, options, type, settings, device, speed, share, title):
    """GB are 10^9 bytes; a GPU of 1 GHz, 2 transfers a clock, 64 bytes each has 128 GB/s."""
    options = ["-n", "2^20", "-r", 3, *options]
    settings |= {"ms": [*BEFORE, 9, 0.125, 0.01], "type": type}
    found = row(*options, **settings)
    assert found["device"] == device and float(found["gb_per_s"]) == pytest.approx(speed, rel=1e-5)
    report = step(*options, **settings).stdout
    assert f" {device}, {title}\n" in report
    if share:
        assert float(found["pct_of_peak"]) == pytest.approx(100 * speed * share, rel=1e-5)
    else:
        assert found["pct_of_peak"] == "" and "peak" not in report


def test_device(step, log):
    """-d: everything is that of the one that was chosen."""
    report = step("-n", "2^20", "-r", 1, "-d", 1, gpus=2).stdout
    assert log()[0] == "device 1" and "flush of 2097152" in log()
    assert "cold cache (L2: 2 MiB)" in report


def test_report(step):
    done = step("-n", "2^20", "-r", 4, ms=[*BEFORE, 4, 1, 3, 1])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "step 42  pretended                      Pretended 0, sm_90, 100 SMs, 128 GB/s",
        "  n = 1,048,576 int (4 MiB), blocks of 256, cold cache (L2: 1 MiB)",
        "  sum 133784454, expected 133784454   OK",
        "  2 ms (median of 4; min 1, max 4)",
        "  2.097 GB/s, 1.6 % of peak, 4x the CPU (one core, 8 ms)"]  # two looks at the clock
    assert "hot cache" in step("-n", N, "--hot", "-r", 1).stdout


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
    """Each word once, and nothing is written; what waits touches no memory at all."""
    program = simtcc(KERNELS, tmp_path / "kernels.cu", "-Icommon", ROOT / "common/kernels.cu",
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
