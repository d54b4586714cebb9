"""The CPU backend's counters against Nsight Compute's: the first launch of every program that both
can run, on an H200, at several n and, of the steps, block sizes, as make bench-nsight measured and
committed them."""

import csv
from collections import Counter, defaultdict

import pytest

from conftest import DETOURS, NEEDS_GPU, ROOT, STEPS, build_programs, counted, run

DATA = ROOT / "plots/data/nsight-h200.csv"
STEP_NAMES = [f"step{step}" for step in STEPS]
DETOURS_OF_INTS = [name for name in DETOURS if name not in (*NEEDS_GPU, "deterministic-float")]

# Our names of warp operations, which nsight-metrics has in the plural.
OPERATIONS = {"syncthreads": "syncthreads", "syncwarp": "syncwarps", "shuffle": "shuffles",
              "vote": "votes", "reduce": "reductions"}

EXACT = ("global_load_requests", "global_load_sectors", "global_store_requests",
         "global_store_sectors", "global_atomic_requests", "global_lanes", "shared_load_requests",
         "shared_store_requests", "shared_atomic_requests", "shared_lanes", *OPERATIONS.values())

# Requests of different warps that get into each other's way count as more wavefronts: up to 2.5 %
# were seen, or a few of very few.
NOISY = "shared_load_wavefronts", "shared_store_wavefronts"


def within_noise(ours, nsight):
    return ours <= nsight <= max(ours * 1.025, ours + 8)


# What nvcc's machine code does otherwise than the source says, and where.
VECTOR = "nvcc unrolls the last loop and reads four elements by one 16-byte load: 256, not 1023"
UNROLLED = ("nvcc unrolls the loop of the last tile by four: in one warp the lanes with four "
            "elements load them in one place, those with three in another")
REGISTER = "in the last round nvcc has one of the two elements in a register"
ALL_LANES = "of one warp s[0] is loaded by all lanes, whoever needs it: no branch for that"
WARP_FIRST = "nvcc adds up a warp's ints first and sends one lane's atomic"
ANY_N = None
EXCEPTIONS = {
    ("step00", "shared_load_requests"): (ANY_N, VECTOR),
    ("step00", "shared_load_wavefronts"): (ANY_N, VECTOR),
    ("step00", "shared_lanes"): (ANY_N, VECTOR),
    ("step06", "global_load_requests"): ({(256, 1000)}, UNROLLED),
    ("step07", "global_load_requests"): ({(256, 1000)}, UNROLLED),
    ("step07", "shared_lanes"): ({(32, 65537), (32, 2**20)}, ALL_LANES),
    ("any-block-size", "global_load_requests"): ({(200, 65537)}, UNROLLED),
    ("any-block-size", "global_load_sectors"): ({(200, 65537)}, UNROLLED),
    ("any-operator", "global_load_requests"): ({(256, 1000)}, UNROLLED),
    ("atomic-finish", "global_load_requests"): ({(256, 1000)}, UNROLLED),
    ("unrolled-tree", "global_load_requests"): ({(256, 1000)}, UNROLLED),
    ("vector-loads", "global_load_requests"): ({(256, 1000)}, UNROLLED),
    ("warp-redux", "global_load_requests"): ({(256, 1000)}, UNROLLED),
    ("unrolled-tree", "shared_load_requests"): (ANY_N, REGISTER),
    ("unrolled-tree", "shared_load_wavefronts"): (ANY_N, REGISTER),
    ("unrolled-tree", "shared_lanes"): (ANY_N, REGISTER),
    ("atomic-per-element", "global_lanes"): (ANY_N, WARP_FIRST),
    ("atomic-per-element", "reductions"): (ANY_N, WARP_FIRST),
}

# From this n on it has as many blocks as the device runs at the same time: more on an H200 than on
# the backend's. The loads are the same.
SIZED_BY_THE_DEVICE = {"grid-stride": 2**16}


def measured():
    with DATA.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    launches = defaultdict(dict)
    for row in rows:
        assert row["type"] == "int"
        program = "step" + row["step"] if row["step"] else row["name"]
        launches[program, int(row["block"]), int(row["n"])][row["metric"]] = float(row["value"])
    return launches


MEASURED = measured()


def first_launch(program, block, n):
    """The first launch's counters under the names that bench/nsight-metrics gives them."""
    # step 00 has a block size of its own; nothing in it depends on BLOCK
    folder = build_programs(program, block=256 if program == "step00" else block)
    if (block, n) == (256, 2**20):
        text = counted(folder / program).read_text()
    else:
        done = run(folder / program, "-n", n, "--counters=csv", env={"SIMT_CHECKS": "off"})
        assert (done.returncode, done.stderr) == (0, "")
        text = done.stdout
    sums = Counter()
    for row in csv.DictReader(text.splitlines()):
        if row["launch"] != "1" or row["space"] == "control":
            continue
        assert int(row["block"]) == block
        if row["space"] == "sync":
            sums[OPERATIONS[row["op"]]] += int(row["requests"])
        else:
            sums[f"{row['space']}_lanes"] += int(row["lanes"])
            for figure in "requests", "sectors", "wavefronts":
                sums[f"{row['space']}_{row['op']}_{figure}"] += int(row[figure] or 0)
    return sums


def is_slow(program, block, n):
    """Of large n, one with the usual blocks: what is counted is that of 65537, many times over."""
    return n > 100000 and (block != 256 or n != 2**20)


@pytest.mark.parametrize("program, block, slow", [
    pytest.param(*place, marks=pytest.mark.slow if place[-1] else ())
    for place in sorted({(*place[:2], is_slow(*place)) for place in MEASURED})])
def test_nsight(program, block, slow):
    for n, nsight in ((place[2], figures) for place, figures in MEASURED.items()
                      if (*place[:2], is_slow(*place)) == (program, block, slow)):
        ours = first_launch(program, block, n)
        for metric in *EXACT, *NOISY:
            if (n >= SIZED_BY_THE_DEVICE.get(program, n + 1) and
                    metric not in ("global_load_requests", "global_load_sectors")):
                continue
            agrees = (within_noise(ours[metric], nsight[metric]) if metric in NOISY else
                      ours[metric] == nsight[metric])
            where, _ = EXCEPTIONS.get((program, metric), ((), ""))
            excepted = where is ANY_N or (block, n) in where
            assert agrees != excepted, (n, metric, ours[metric], nsight[metric])


def test_data_has_what_is_compared():
    """Of each program all metrics; each kind of request and operation that one of ours has."""
    names = {line.split()[0] for line in (ROOT / "bench/nsight-metrics").open()
             if not line.startswith("#")}
    counters = {name for name in names if not name.startswith("launch_")}
    assert all(counters <= set(metrics) <= names and {*EXACT, *NOISY} <= names
               for metrics in MEASURED.values())
    for metric in {*EXACT, *NOISY} - {"votes", "shared_atomic_requests"}:
        assert any(metrics[metric] > 0 for metrics in MEASURED.values()), metric


@pytest.mark.parametrize("program", [*STEP_NAMES, *DETOURS_OF_INTS])
def test_data_of(program):
    """At two sizes at least; of a step that takes other blocks, in small and large ones, too."""
    places = {place[1:] for place in MEASURED if place[0] == program}
    if not places:
        pytest.skip("not measured yet: make bench-nsight, on a machine with a GPU")
    assert {n for _, n in places} >= {1000, 65537}
    if program in STEP_NAMES[1:]:
        assert places == {(256, 1000), (256, 65537), (256, 1000003), (256, 2**20), (32, 65537),
                          (32, 2**20), (64, 65537), (64, 2**20), (1024, 65537), (1024, 2**20)}
