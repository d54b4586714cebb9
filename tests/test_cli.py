"""The command line of a step: every mistake is told in one line, with the status of its kind."""

import os

import pytest

from conftest import GPU, NO_NVCC, NVCC, assert_refused, build, run

COUNT = "1000, 2^24, 64K, 16M or 1G, at most 2^40"

# What is wrong, what the line names, and what it says would be right.
BAD = [
    (["--frob"], "--frob", "--help lists"),
    (["-z"], "-z", "--help lists"),
    (["-z5"], "-z", "--help lists"),
    (["--csv=3"], "--csv=3", "--help lists"),
    (["-n"], "-n needs a value", "--help lists"),
    (["--threads"], "--threads needs a value", "--help lists"),
    (["stray"], "stray", "--help lists"),
    (["-n", "5", "--", "-n"], "-n", "--help lists"),
    (["-n", "-5"], "-n -5", COUNT),
    (["-n", "+5"], "-n +5", COUNT),
    (["-n", " 5"], "-n  5", COUNT),
    (["-n", "12abc"], "-n 12abc", COUNT),
    (["-n", "1e6"], "-n 1e6", COUNT),
    (["-n", "0x10"], "-n 0x10", COUNT),
    (["-n", "1KK"], "-n 1KK", COUNT),
    (["-n", ""], "-n ", COUNT),
    (["-n", "99999999999999999999"], "-n 99999999999999999999", COUNT),
    (["-n", "2^41"], "-n 2^41", COUNT),
    (["-n", "2^"], "-n 2^", COUNT),
    (["-n", "2^-1"], "-n 2^-1", COUNT),
    (["-n", "2048G"], "-n 2048G", COUNT),
    (["-n", "17179869184G"], "-n 17179869184G", COUNT),  # 2^64
    (["-n", "2^40"], "-n 1099511627776", "choose a smaller -n"),  # more memory than there is
    (["-r", "0"], "-r 0", "from 1 to"),
    (["-r", "ten"], "-r ten", "from 1 to"),
    (["-w", "-1"], "-w -1", "from 1 to"),
    (["-s", "-1"], "-s -1", "from 0 to 2147483647"),
    (["-s", "4294967296"], "-s 4294967296", "from 0 to 2147483647"),
    (["-d", "7"], "-d 7", "from 0 to 0"),
    (["--threads", "0"], "--threads 0", "from 1 to 16"),
    (["--threads", "17"], "--threads 17", "from 1 to 16"),
    (["--uniform"], "--uniform", "TYPE=float and TYPE=double"),
    (["--hot"], "--hot", "for the GPU"),
]


@pytest.mark.parametrize("arguments, culprit, remedy", BAD, ids=lambda value: str(value))
def test_bad_option(arguments, culprit, remedy):
    assert_refused(run(build() / "step03", *arguments), 2, "step03: " + culprit, remedy)


def test_no_host_memory():
    """The device's memory is one mapping of half the computer's; beside it there is little left."""
    mapping = os.sysconf("SC_PHYS_PAGES") // 2 * os.sysconf("SC_PAGESIZE")
    for spare, words in (2**24, ("-n 16777216: no host memory", "choose a smaller -n")), (
            -2**24, ("simt: no address space",)):
        limit = f'ulimit -v {(mapping + spare) // 1024}; exec "$@"'
        done = run("sh", "-c", limit, "sh", build() / "step07", "-n", "2^24")
        assert_refused(done, 2 if spare > 0 else 3, *words)


@pytest.mark.xfail(strict=True, reason="the line says -n and -s, as nobody wrote it")
@pytest.mark.parametrize("option", ["--n", "--seed"])
def test_missing_value_of_a_long_option(option):
    assert_refused(run(build() / "step03", option), 2, f"step03: {option} needs a value")


def test_counts_are_read():
    program = build() / "step07"
    for text, n in ("0", 0), ("007", 7), ("2^0", 1), ("2^10", 1024), ("3K", 3072), ("1M", 2**20):
        done = run(program, "--csv", "-n", text)
        assert (done.returncode, done.stdout.splitlines()[1].split(",")[6]) == (0, str(n))
    assert run(program, "--n=5", "--seed=3", "--csv").stdout == run(
        program, "-n5", "-s3", "--csv").stdout


def test_help():
    for option in "-h", "--help":
        done = run(build() / "step03", option)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("step03: sequential addressing\n")
        for name in ("-n, --n", "-r, --reps", "-w, --warmup", "-s, --seed", "-d, --device", "--hot",
                     "--uniform", "--csv", "--threads", "-h, --help", "exit status: 0 verified"):
            assert name in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("options", [(), ("--csv",),
                                     pytest.param(("--help",), marks=pytest.mark.xfail(
                                         strict=True, reason="--help does not look"))])
def test_result_cannot_be_written(options):
    """A disk that is full, or no standard output at all: nobody has seen the result."""
    program = build() / "step03"
    with open("/dev/full", "w") as full:
        done = run(program, *options, stdout=full)
    assert done.returncode == 3
    assert done.stderr == "step03: cannot write the result to standard output\n"
    closed = run("sh", "-c", '"$@" >&-', "sh", program, *options)
    assert_refused(closed, 3, "step03: cannot write the result to standard output")


@pytest.mark.skipif(not NVCC, reason=NO_NVCC)
def test_cuda_build_without_a_gpu():
    folder = build("cuda", steps=("03",), arch=GPU or "sm_80")
    for options in (), ("--csv",), ("-n", "0"), ("-n", "2^40"):
        done = run(folder / "step03", *options, env={"CUDA_VISIBLE_DEVICES": ""})
        assert_refused(done, 3, "step03: no GPU", "make BACKEND=cpu step03")


@pytest.mark.skipif(not NVCC, reason=NO_NVCC)
def test_options_of_the_cpu_backend():
    """Bad usage is found before a GPU is looked for."""
    folder = build("cuda", steps=("03",), arch=GPU or "sm_80")
    done = run(folder / "step03", "--threads", "2", env={"CUDA_VISIBLE_DEVICES": ""})
    assert_refused(done, 2, "step03: --threads", "for the CPU backend", "BACKEND")
