"""The command line of a step, and the reports that it asks for. (test_refusals.py: its mistakes.)"""

import re
import shutil

import pytest

from harness import (COUNTERS_HEADER, GPU, NO_NVCC, NVCC, assert_refused, build, expected_sum,
                      golden, on_a_terminal, run)


def limited(kilobytes, *arguments, **env):
    return run("sh", "-c", f'ulimit -v {kilobytes}; exec "$@"', "sh", build() / "step03",
               *arguments, env=env)


def test_little_address_space():
    """The device has as much less memory; the checks take a hundred times as much as it."""
    for n, kilobytes, checks in (1000, 8000000, "on"), (2**20, 2000000, "on"), (
            1000, 1000000, "on"), (2**20, 1000000, "off"):
        done = limited(kilobytes, "-n", n, SIMT_CHECKS=checks)
        assert (done.returncode, done.stderr) == (0, ""), (kilobytes, checks)
        assert f"sum {expected_sum('int', n)}" in done.stdout
    assert_refused(limited(1000000, "-n", 2**20), 2, "-n 1048576: needs 9 MiB of device memory, ",
                   "smaller -n")
    assert_refused(limited(200000, "-n", 1000), 3,
                   "simt: no address space: want 368 MiB at least (ulimit -v?)")


def test_counts_are_read():
    program = build() / "step07"
    for text, n in ("0", 0), ("007", 7), ("2^0", 1), ("2^10", 1024), ("3K", 3072), ("1M", 2**20):
        done = run(program, "--csv", "-n", text)
        assert (done.returncode, done.stdout.splitlines()[1].split(",")[7]) == (0, str(n))
    assert run(program, "--n=5", "--seed=3", "--csv").stdout == run(
        program, "-n5", "-s3", "--csv").stdout


def test_help():
    for option in "-h", "--help":
        done = run(build() / "step03", option)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("step03: sequential addressing\n")
        for name in ("-n, --n", "-r, --reps", "-w, --warmup", "-s, --seed", "-d, --device", "--hot",
                     "--uniform", "--small", "--csv", "--counters", "--counters=csv", "--annotate",
                     "--order", "--trace", "-h, --help", "exit status: 0 verified"):
            assert name in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("options", [(), ("--csv",), ("--counters=csv",), ("--annotate",),
                                     ("--help",)])
def test_result_cannot_be_written(options):
    """A disk that is full, or no standard output at all: nobody has seen the result."""
    program = build() / "step03"
    with open("/dev/full", "w") as full:
        done = run(program, "-n", 1000, *options, stdout=full)
    assert done.returncode == 3
    assert done.stderr == "step03: cannot write the result to standard output\n"
    closed = run("sh", "-c", '"$@" >&-', "sh", program, "-n", 1000, *options)
    assert_refused(closed, 3, "step03: cannot write the result to standard output")


# ---- counters ----

@pytest.mark.parametrize("step, option", [("02", "--annotate"), ("07", "--counters")])
def test_golden_report(step, option):
    """The counters, which stand at the end of every report, or beside each line of the kernel."""
    program = build() / f"step{step}"
    done = run(program, "-n", 5000, option)
    assert (done.returncode, done.stderr) == (0, "")
    golden(f"report-{step}{option}.txt", done.stdout)
    if option == "--counters":  # asks for what is there anyway
        assert done.stdout == run(program, "-n", 5000).stdout


@pytest.mark.parametrize("n, launches", [(5000, {"1", "2"}), (1, {"1"}), (0, set())])
def test_counters_as_csv(n, launches):
    """Nothing else on standard output."""
    done = run(build() / "step02", "-n", n, "--counters=csv")
    assert (done.returncode, done.stderr) == (0, "")
    header, *rows = done.stdout.splitlines()
    assert header == COUNTERS_HEADER
    rows = [row.split(",") for row in rows]
    assert all(len(row) == header.count(",") + 1 for row in rows)
    assert {row[0] for row in rows} <= {"02"} and {row[1] for row in rows} == launches
    assert {row[4] for row in rows} <= {"steps/02-strided-index/main.cu"}


@pytest.mark.parametrize("options", [["--counters=csv"], ["--annotate"], []])
def test_one_reduction_is_counted(options):
    """However many there are before the verdict."""
    one, two = (run(build() / "step02", "-n", 5000, "-w", runs, *options) for runs in (1, 2))
    assert one.stdout == two.stdout != ""


@pytest.mark.parametrize("columns", [80, 100])
def test_annotate_on_a_terminal(columns):
    """No line is wider, and nothing is lost: what is too long goes on below."""
    program = build() / "step06"
    piped = run(program, "-n", 5000, "--annotate").stdout
    shown = on_a_terminal(columns, program, "-n", 5000, "--annotate")
    assert max(map(len, shown.splitlines())) <= columns < max(map(len, piped.splitlines()))

    def parts(text, width):
        """The words of the source, and the figures as far as both have them."""
        lines = text.partition(" cost |\n")[2].splitlines()
        assert all(line[width:width + 2] == " |" for line in lines)
        rows = [re.sub(r"\d+\.\d+", lambda match: f"{float(match[0]):.1f}", line[:width]).split()
                for line in lines if line[:width].strip()]
        return rows, "".join(line[width + 2:] for line in lines).split()

    assert parts(shown, 32) == parts(piped, 35)


def test_options_win_over_settings():
    program = build() / "step03"
    right = run(program, "-n", 1000, "--csv").stdout
    for env in {"SIMT_COUNTERS": "csv"}, {"SIMT_ORDER": "5"}, {"SIMT_CHECKS": "off"}:
        done = run(program, "-n", 1000, "--csv", env=env)
        assert (done.returncode, done.stdout, done.stderr) == (0, right, "")


# ---- the other backend ----

@pytest.mark.slow
@pytest.mark.skipif(not NVCC, reason=NO_NVCC)
def test_cuda_build_without_a_gpu():
    """Built by nvcc, without a word, as all that the harness has for the GPU."""
    folder = build("cuda", steps=("07",), arch=GPU or "sm_80")
    for options in (), ("--csv",), ("-n", "0"), ("-n", "2^40"):
        done = run(folder / "step07", *options, env={"CUDA_VISIBLE_DEVICES": ""})
        # what helps with every program, also those that the CPU backend cannot run
        assert_refused(done, 3, "step07: no usable GPU: ", "make BACKEND=cpu builds",
                       "all steps and most detours")
        if not shutil.which("nvidia-smi"):
            assert "no NVIDIA driver is installed" in done.stderr
