"""The command line of a step, and the reports that it asks for. (test_refusals.py: its mistakes.)"""

import shutil

import pytest

from harness import (GPU, NO_NVCC, NVCC, assert_refused, build, expected_sum, golden, on_a_terminal,
                     row_of, run, said, transcript)


def limited(kilobytes, *arguments, **env):
    return run("sh", "-c", f'ulimit -v {kilobytes}; exec "$@"', "sh", build() / "step03",
               *arguments, env=env)


def test_little_address_space():
    """The device has as much less memory; the checks take a hundred times as much as it."""
    for n, kilobytes, checks in (1000, 8000000, "on"), (2**20, 2000000, "on"), (
            1000, 1000000, "on"), (2**20, 1000000, "off"):
        assert f"sum {expected_sum('int', n)}" in said(limited(kilobytes, "-n", n, SIMT_CHECKS=checks))
    assert_refused(limited(1000000, "-n", 2**20), 2, "-n 1048576: needs 9 MiB of device memory, ",
                   "smaller -n")
    assert_refused(limited(200000, "-n", 1000), 3,
                   "simt: no address space: want 368 MiB at least (ulimit -v?)")


def test_counts_are_read():
    program = build() / "step07"
    for text, n in ("0", 0), ("007", 7), ("2^0", 1), ("2^10", 1024), ("3K", 3072), ("1M", 2**20):
        assert row_of(program, "--csv", "-n", text)["n"] == str(n)
    assert run(program, "--n=5", "--seed=3", "--csv").stdout == run(
        program, "-n5", "-s3", "--csv").stdout


def test_golden_help():
    step = build() / "step03"
    text = said(run(step, "--help"))
    assert text == said(run(step, "-h")) and max(map(len, text.splitlines())) <= 80
    transcript("help.txt", [("step03 --help", text)], step03=step)


@pytest.mark.parametrize("options", [(), ("--csv",), ("--counters=csv",), ("--annotate",),
                                     ("--help",)])
def test_result_cannot_be_written(options):
    """A disk that is full, or no standard output at all: nobody has seen the result."""
    for end in ">/dev/full", ">&-":
        done = run("sh", "-c", f'"$@" {end}', "sh", build() / "step03", "-n", 1000, *options)
        assert_refused(done, 3, "step03: cannot write the result to standard output")


# ---- counters ----

@pytest.mark.parametrize("step, option", [("02", "--annotate"), ("07", "--counters")])
def test_golden_report(step, option):
    """The counters, which stand at the end of every report, or beside each line of the kernel."""
    program = build() / f"step{step}"
    text = said(run(program, "-n", 5000, option))
    golden(f"report-{step}{option}.txt", text)
    if option == "--counters":  # asks for what is there anyway
        assert text == run(program, "-n", 5000).stdout


def test_golden_counters_as_csv():
    """Nothing else on standard output."""
    transcript("counters-csv.txt", [(f"step02 -n {n}", run(build() / "step02", "-n", n, "--counters=csv"))
                                    for n in (5000, 1, 0)])


@pytest.mark.parametrize("options", [["--counters=csv"], ["--annotate"], []])
def test_one_reduction_is_counted(options):
    """However many there are before the verdict."""
    one, two = (run(build() / "step02", "-n", 5000, "-w", runs, *options) for runs in (1, 2))
    assert one.stdout == two.stdout != ""


def test_golden_annotation_on_a_terminal():
    """No line is wider, and nothing is lost: what is too long goes on below."""
    for columns in 100, 80:
        shown = on_a_terminal(columns, build() / "step06", "-n", 5000, "--annotate")
        assert max(map(len, shown.splitlines())) <= columns
    golden("report-06-80-columns.txt", shown)


def test_options_win_over_settings():
    program = build() / "step03"
    right = run(program, "-n", 1000, "--csv").stdout
    for env in {"SIMT_COUNTERS": "csv"}, {"SIMT_ORDER": "5"}, {"SIMT_CHECKS": "off"}:
        assert said(run(program, "-n", 1000, "--csv", env=env)) == right


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
