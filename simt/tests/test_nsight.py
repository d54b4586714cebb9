"""The CPU backend's counters, with SIMT_DEVICE=h200, against Nsight Compute's of an H200: the first
launch of every program that both can run, at several n and with blocks of several sizes, as make
bench-nsight measured and committed them."""

import csv
import sys
from collections import Counter, defaultdict

import pytest

from backend import ROOT, data_rows, run

sys.path.append(str(ROOT / "tests"))
harness = pytest.importorskip(
    "harness", reason="the tutorial, whose programs were measured, is not here")

# Our names of warp operations, which nsight-metrics.csv has in the plural.
OPERATIONS = {"syncthreads": "syncthreads", "syncwarp": "syncwarps", "shuffle": "shuffles",
              "vote": "votes", "reduce": "reductions"}

EXACT = ("launch_blocks", "launch_threads", "global_load_requests", "global_load_sectors",
         "global_store_requests", "global_store_sectors", "global_atomic_requests", "global_lanes",
         "shared_load_requests", "shared_store_requests", "shared_atomic_requests", "shared_lanes",
         *OPERATIONS.values())

# Requests of different warps that get into each other's way count as more wavefronts: up to 7.3 %
# were seen (the stores of cooperative-groups), 4.0 % elsewhere, or nine of very few.
NOISY = "shared_load_wavefronts", "shared_store_wavefronts"


def within_noise(ours, nsight):
    return ours <= nsight <= max(ours * 1.08, ours + 9)


# Where nvcc's machine code differs from the source: {(program, counter): {(block, n)}, or None for all}
EXCEPTIONS = {
    (program, counter): {tuple(map(int, place.split(":"))) for place in row["at"].split()} or None
    for row in data_rows("simt/tests/data/nsight_exceptions.csv")
    for program in row["programs"].split() for counter in row["counters"].split()}


def measured():
    launches, types = defaultdict(dict), {}
    for row in data_rows("plots/data/nsight-h200.csv"):
        program = "step" + row["step"] if row["step"] else row["name"]
        launches[program, int(row["block"]), int(row["n"])][row["metric"]] = float(row["value"])
        types[program] = row["type"]
    return launches, types


MEASURED, TYPES = measured()


def first_launch(program, block, n):
    """The first launch's counters under the names that plots/measure/nsight-metrics.csv gives them."""
    # step 00 has a block size of its own; nothing in it depends on BLOCK
    folder = harness.build_programs(program, type=TYPES[program],
                                    block=256 if program == "step00" else block)
    if (block, n) == (256, 2**20) and "cudaOccupancy" not in (ROOT / harness.programs.get(
            program.removeprefix("step")).path).read_text():
        # it asks nothing of the device: that is counted elsewhere, too
        text = harness.counted(folder / program).read_text()
    else:
        text = run(folder / program, "-n", n, "--counters=csv",  # a busy machine says on stderr
                   env={"SIMT_CHECKS": "off", "SIMT_DEVICE": "h200"}).stdout  # that it takes long
    sums = Counter()
    for row in csv.DictReader(text.splitlines()):
        if row["launch"] != "1" or row["space"] == "control":
            continue
        sums["launch_blocks"], sums["launch_threads"] = int(row["grid"]), int(row["block"])
        if row["space"] == "sync":
            sums[OPERATIONS[row["op"]]] += int(row["requests"])
        else:
            sums[f"{row['space']}_lanes"] += int(row["lanes"])
            for figure in "requests", "sectors", "wavefronts":
                sums[f"{row['space']}_{row['op']}_{figure}"] += int(row[figure] or 0)
    return sums


def is_slow(program, block, n):
    """Large n run in the slow suite, except one with the usual blocks: their counts repeat those of 65537.
    So does 54321 with other blocks, except in programs that ask how many blocks fit."""
    if n == 54321:
        return program != "grid-stride"
    return n > 100000 and (block != 256 or n != 2**20)


@pytest.mark.parametrize("program, block, slow", [
    pytest.param(*place, marks=pytest.mark.slow if place[-1] else ())
    for place in sorted({(*place[:2], is_slow(*place)) for place in MEASURED})])
def test_nsight(program, block, slow):
    for n, nsight in ((place[2], figures) for place, figures in MEASURED.items()
                      if (*place[:2], is_slow(*place)) == (program, block, slow)):
        ours = first_launch(program, block, n)
        for metric in (*EXACT, *NOISY):
            agrees = (within_noise(ours[metric], nsight[metric]) if metric in NOISY else
                      ours[metric] == nsight[metric])
            where = EXCEPTIONS.get((program, metric), ())
            excepted = where is None or (block, n) in where
            assert agrees != excepted, (n, metric, ours[metric], nsight[metric])
