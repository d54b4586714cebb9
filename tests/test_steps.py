"""The steps: right sums for every size, block, type and seed, what they print about them, and their
command line. (test_refusals.py: its mistakes.)"""

import itertools
import math
import os
import re
import shutil

import pytest

from plots.read import programs

from harness import (BACKENDS, ROOT, STEPS, build, build_programs, check_sum, golden, on_a_terminal, replay, row_of,
                     run, said, shell)

# 65537 has as many launches as any n in memory, harness.counted() the largest n; 1000003, slow,
# has nothing new.
SIZES = (0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 4095, 4096, 4097, 65537, 200003)
UGLY = (31, 257, 4095, 65537)
OTHERS = [("float", 32), ("double", 1024)]
# Sums of the first n of C's rand() by (type, n, seed)
SUMS = {("int", 0, 1): 0, ("int", 1, 1): 103, ("int", 257, 1): 32462, ("int", 65537, 1): 8374458,
        ("int", 200003, 1): 25501298, ("int", 65537, 0): 8374458, ("int", 65537, 2): 8357702,
        ("int", 65537, 12345): 8360078, ("int", 65537, 2**31 - 2): 8369432,
        ("float", 31, 1): 20.5, ("float", 65537, 1): 1842.5, ("double", 65537, 1): 1842.5}
TIMES = ("median_ms", "min_ms", "max_ms", "gb_per_s", "pct_of_peak")
FEW = {"cpu": (), "cuda": ("-r", "2")}  # timed repetitions

all_backends = pytest.mark.parametrize("backend", BACKENDS)
all_steps = pytest.mark.parametrize("step", STEPS)


def check(folder, backend, step, type, block, n, *options, seed=1):
    """For large n only the sum is checked: harness.counted() has counters and checks at 2^20."""
    row = check_sum(folder / f"step{step}", type, n, "-s", seed, *FEW[backend], *options,
                    step=step, name=STEPS[step].parent.name[3:], backend=backend,
                    block="1024" if step == "00" else str(block),
                    env={"SIMT_CHECKS": "off"} if n > 500000 else None)
    assert float(row["result"]) == SUMS.get((type, n, seed), float(row["result"]))
    if backend == "cpu":
        assert (row["device"], row["reps"]) == ("CPU backend", "0")
        assert not any(row[name] for name in TIMES)
    return row


@all_steps
@all_backends
def test_sizes(backend, step):
    folder = build(backend)
    for n in SIZES:
        check(folder, backend, step, "int", 256, n)


@pytest.mark.parametrize("type, block, sizes", [
    *((*other, UGLY) for other in OTHERS),
    *(pytest.param(*other, (1000003,), marks=pytest.mark.slow)
      for other in [("int", 256), *OTHERS]),
    *(pytest.param("int", block, (*UGLY, 1000003), marks=pytest.mark.slow)
      for block in (32, 64, 128, 512, 1024))])
@all_backends
def test_blocks_and_types(backend, type, block, sizes):
    folder = build(backend, type, block)
    for step, n in itertools.product(STEPS, sizes):
        check(folder, backend, step, type, block, n)


@pytest.mark.parametrize("n", [pytest.param(2**24, marks=pytest.mark.slow), 2**24 + 2**18])
@all_backends
def test_known_sum(backend, n):
    """The number that write-up 0 prints. Beyond 2^24 elements the input repeats; the sum wraps."""
    right, more = 2139353471, []
    if n > 2**24:
        longer = right + 33438255
        right, more = longer - 2**32, [f"  (the full sum, {longer}, wraps modulo 2^32)"]
    lines = said(run(build(backend) / "step07", "-n", n, *FEW[backend],
                     env={"SIMT_CHECKS": "off"})).splitlines()
    size, *result = lines[[line[:6] for line in lines].index("  n = "):]
    assert size.startswith(f"  n = {n:,} int ({n // 2**18} MiB), blocks of 256")
    assert result[:1 + len(more)] == [f"  sum {right}, expected {right}   OK", *more]
    assert max(map(len, lines)) <= 80


@all_backends
def test_seeds(backend):
    for seed in (0, 2, 12345, 2**31 - 2):
        check(build(backend), backend, "03", "int", 256, 65537, seed=seed)


@all_steps
@all_backends
def test_again_and_in_another_order(backend, step):
    """The input is still there and scratch may hold anything: a second run of several launches
    gives the same, in a shuffled order, too."""
    check(build(backend), backend, step, "int", 256, 65537, "-r", 3)
    for order in (1, 2) if backend == "cpu" else ():
        check(build(), "cpu", step, "int", 256, 33333, "--order", order)


@pytest.mark.parametrize("type, block", OTHERS)
@all_backends
def test_uniform(backend, type, block):
    n, total, plain_float = 33333, 16613.909772872925, 16613.890625
    for step in STEPS:
        program = build(backend, type, block) / f"step{step}"
        row = row_of(program, "--uniform", "--csv", "-n", n, *FEW[backend])
        assert row["verified"] == "yes"
        assert math.isclose(float(row["expected"]), total, rel_tol=1e-7 if type == "float" else 0)
        text = said(run(program, "--uniform", "-n", n, *FEW[backend]))
        error, allowed, loop = map(float, re.search(
            r"\n  error (\S+), allowed (\S+); a plain loop .* off by (\S+)\n", text).groups())
        assert error <= allowed < 1e-3 * total and loop <= allowed
        assert type == "double" or math.isclose(loop, total - plain_float, rel_tol=0.01)


# ---- the command line ----

@pytest.fixture
def folder(tmp_path):
    """With some programs in it, in which one can type."""
    for path in (*build().glob("step0[237]"), build_programs("grid-stride") / "grid-stride",
                 build_programs("warp-redux") / "warp-redux"):
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


@pytest.mark.parametrize("name", ["cli", "traces"])
def test_golden_calls(folder, name):
    replay(f"{name}.txt", shell(folder), folder=folder, root=ROOT)


def test_help_names_every_option():
    known = re.findall(r'\{"(\w+)", \w+_argument', (ROOT / "common/options.c").read_text())
    told = re.findall(r"--(\w+)", said(run(build(steps=("03",)) / "step03", "--help")))
    assert set(told) == set(known) and len(known) > 10


def test_golden_report():
    """The counters stand beside each line of the kernel. Where a terminal, or 80 columns, have no room
    for a line, it goes on below."""
    call = build() / "step02", "-n", 5000, "--annotate"
    wide = on_a_terminal(110, *call)
    golden("report--annotate.txt", wide)
    narrow = said(run(*call)).splitlines()
    assert max(map(len, narrow)) <= 80
    assert {"".join(line.partition("| ")[2] for line in text).replace(" ", "")
            for text in (narrow, wide.splitlines())} == {
        re.sub(r"\s", "", "".join(f"{number}{line}" for number, line in programs.get("02").kernels))}


def test_older_than_its_source(tmp_path):
    """A program tells it, on stderr alone, wherever it is called from; not where the source is not."""
    source = tmp_path / STEPS["03"].relative_to(ROOT)
    for folder in source.parent, tmp_path / "build/cpu":
        folder.mkdir(parents=True)
    program = shutil.copy(build() / "step03", tmp_path / "build/cpu")
    usual, built = run(program, "-n", 9), os.stat(program).st_mtime_ns
    assert usual.stderr == ""
    for later in 0, 10**6, -10**6:
        source.touch()
        os.utime(source, ns=(built, built + later))
        done = run(program, "-n", 9, cwd="/")
        assert (done.returncode, done.stdout) == (0, usual.stdout)
        assert done.stderr == (later > 0) * (
            f"step03: older than its source, {source.relative_to(tmp_path)}: make builds it anew\n")
