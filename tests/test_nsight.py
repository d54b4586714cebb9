"""The CPU backend's counters against Nsight Compute's: the first launch of every step on an H200,
at several n and block sizes, as common/make/nsight.sh measured and committed them."""

import csv
from collections import Counter, defaultdict

import pytest

from conftest import ROOT, build, run

DATA = ROOT / "plots/data/nsight_h200.csv"

# Equal to the digit, but for a noise of Nsight's in loads from shared memory, whose requests of
# different warps get into each other's way now and then.
EXACT = ("global_load_requests", "global_load_sectors", "global_store_requests",
         "global_store_sectors", "shared_store_wavefronts", "shared_store_bank_conflicts")
NOISY = "shared_load_wavefronts"
NOISE = 0.025

# What the machine does otherwise than the source says: (step, metric): at which n, and why.
EXCEPTIONS = {
    ("00", "shared_load_wavefronts"): (
        {1000, 65537, 1000003, 2**20},
        "nvcc unrolls the last loop and reads four elements by one 16-byte load: 256, not 1023"),
    ("00", "shared_store_wavefronts"): (
        {65537, 1000003, 2**20},
        "arbitration noise, here in stores: 34 to 39, not 32, since the warps come at any time"),
    ("00", "shared_store_bank_conflicts"): (
        {65537, 1000003, 2**20}, "the same: 2 to 7, not 0"),
    ("06", "global_load_requests"): (
        {1000},
        "nvcc unrolls the loop of the last tile by four: in one warp the lanes with four elements "
        "load them in one place, those with three in another, 35 requests in all, not 32"),
    ("07", "global_load_requests"): ({1000}, "the same"),
}


def measured():
    with DATA.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    launches = defaultdict(dict)
    for row in rows:
        assert row["type"] == "int"
        place = row["step"], int(row["block"]), int(row["n"])
        launches[place][row["metric"]] = float(row["value"])
    return launches


MEASURED = measured()


def counted(step, block, n):
    """The first launch's counters under the names that common/make/nsight-metrics gives them."""
    # step 00 has a block size of its own; nothing in it depends on BLOCK
    program = build(block=256 if step == "00" else block) / f"step{step}"
    done = run(program, "-n", n, "--counters=csv", env={"SIMT_CHECKS": "off"})
    assert (done.returncode, done.stderr) == (0, "")
    sums = Counter()
    for row in csv.DictReader(done.stdout.splitlines()):
        if row["launch"] == "1" and row["space"] in ("global", "shared"):
            assert int(row["block"]) == block
            for figure in "requests", "sectors", "wavefronts":
                sums[f"{row['space']}_{row['op']}_{figure}"] += int(row[figure] or 0)
    sums["shared_store_bank_conflicts"] = (sums["shared_store_wavefronts"] -
                                           sums["shared_store_requests"])
    return sums


@pytest.mark.parametrize("step, block", sorted({(step, block) for step, block, _ in MEASURED}))
def test_nsight(step, block):
    for n, nsight in ((n, MEASURED[s, b, n]) for s, b, n in MEASURED if (s, b) == (step, block)):
        ours = counted(step, block, n)
        for metric in *EXACT, NOISY:
            agrees = ours[metric] == nsight[metric]
            if metric == NOISY:
                agrees = ours[metric] <= nsight[metric] <= ours[metric] * (1 + NOISE)
            excepted = n in EXCEPTIONS.get((step, metric), ((), ""))[0]
            assert agrees != excepted, (n, metric, ours[metric], nsight[metric])


def test_data_has_what_is_compared():
    """All steps and metrics, powers of two and other n, small blocks and large ones."""
    names = {line.split()[0] for line in (ROOT / "common/make/nsight-metrics").open()
             if not line.startswith("#")}
    assert all(set(metrics) == names and {*EXACT, NOISY} <= names for metrics in MEASURED.values())
    places = {(step, block, n) for step, block, n in MEASURED}
    for step in range(1, 8):
        assert {block for s, block, _ in places if s == f"{step:02}"} == {32, 64, 256, 1024}
        assert {n for s, _, n in places if s == f"{step:02}"} == {1000, 65537, 1000003, 2**20}


def test_every_exception_is_measured():
    for (step, metric), (sizes, reason) in EXCEPTIONS.items():
        assert reason and sizes <= {n for s, _, n in MEASURED if s == step}
