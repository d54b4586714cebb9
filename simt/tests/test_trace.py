"""The trace: its rows are what the counters count, lane by lane. It is always the same
bytes, written as a whole or not at all. And SIMT_ORDER, the order of the threads."""

import csv
import itertools
import os
from collections import Counter

import pytest

from backend import PRELUDE, run, said, simtcc
from test_counters import kernels

COLUMNS = ("launch,blocks,threads,block,warp,request,file,line,instruction,space,op,lane,array,"
           "array_bytes,offset,bytes,sectors,wavefronts,from,value")
REQUEST = "launch", "block", "warp", "request"
PLACE = "launch", "file", "line", "space", "op"


def parsed(file):
    header, *lines = file.read_text().splitlines()
    assert header == COLUMNS
    return [{key: int(value) if value.isdigit() and key != "array" else value
             for key, value in row.items()} for row in csv.DictReader([header, *lines])]


def requests_of(rows):
    """A list of lanes each. They are sorted; a warp's requests are numbered without a gap, and each
    lane is there once; what has no meaning is empty."""
    keys = [tuple(row[key] for key in (*REQUEST, "lane")) for row in rows]
    assert keys == sorted(set(keys))
    for _, of_warp in itertools.groupby(dict.fromkeys(key[:4] for key in keys), lambda key: key[:3]):
        numbers = [number for *_, number in of_warp]
        assert numbers == [*range(len(numbers))]
    for row in rows:
        assert (row["array"] == "") == (row["space"] == "sync") == (row["bytes"] == "")
        assert (row["sectors"] != "") == (row["space"] == "global")
        assert (row["wavefronts"] != "") == (row["space"] == "shared")
        assert (row["from"] != "") == (row["op"] == "shuffle")
        assert (row["value"] != "") == (row["array"] != "")
    return [[*lanes] for _, lanes in itertools.groupby(
        rows, lambda row: [row[key] for key in REQUEST])]


def test_counters_follow(tmp_path):
    """The counters of every line follow from the trace. Atomics on shared memory may go round by round, with
    loads, so of them the wavefronts do; votes and reductions take a turn for each group of a warp, so of them the
    lanes do."""
    def sizes(row):
        if (row["space"], row["op"]) == ("shared", "atomic"):
            return "sectors", "wavefronts"
        figures = "requests", "lanes", "sectors", "wavefronts"
        return figures[row["op"] in ("vote", "reduce"):]
    file = tmp_path / "trace.csv"
    said(run(kernels(), env={"SIMT_TRACE": str(file)}))
    sums = Counter()
    for lanes in requests_of(parsed(file)):
        place = [str(lanes[0][name]) for name in PLACE]
        figures = lanes[0] | {"requests": 1, "lanes": len(lanes)}
        sums.update({(*place, size): figures[size] or 0 for size in sizes(lanes[0])})
    rows = csv.DictReader(run(kernels(), env={"SIMT_COUNTERS": "csv"}).stderr.splitlines())
    counted = {(*(row[name] for name in PLACE), size): int(row[size] or 0) for row in rows
               for size in sizes(row) if row["space"] != "control"}
    assert sums == {key: n for key, n in counted.items() if key in sums or key[3:5] != ("shared", "load")}


# Arrays of each kind, accesses of each size, more stores than a log holds at once, a thread's last
# one; and a race between blocks.
PROGRAM = r"""
__device__ int total;

__global__ void kernel(int4 *v, double *d, float *f, char *c, unsigned *n)
{
    extern __shared__ short h[];
    unsigned t = threadIdx.x + 8 * threadIdx.y;
    int4 four = v[t];
    four.z = -1;
    h[t] = -2 * (int)t;
    __syncthreads();
    if (t < 40)
        atomicCAS(&total, t, t + 1);
    if (blockIdx.x + blockIdx.y > 0)
        return;
    v[t] = four;
    d[t] = h[t] + 0.5;
    memset(c + 3 * t, t, 3);
    atomicAdd(&f[t], 0.5f);
    for (int i = 0; i < 200 && t == 5; i++)
        ((volatile unsigned *)n)[1] = i;
    if (t == 5)
        n[2] = 9;
}

int main(int argc, char **)
{
    int *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    kernel<<<dim3(2, 2), dim3(8, 6), 96>>>((int4 *)p, (double *)(p + 256), (float *)(p + 512),
                                           (char *)(p + 768), (unsigned *)(p + 1000));
    if (argc > 1)
        __builtin_trap();
    return cudaDeviceSynchronize();
}
"""
# The accesses of thread 5: instruction of the line, array, bytes of the access and its value; of
# an atomic the old one first
THREAD_5 = ["1 load 1 16 0x00000000 0x00000000 0x00000000 0x00000000",
            "1 store dynamic 2 0xfff6",
            "1 syncthreads   ",
            "1 atomic __device__ 4 0x00000005 0x00000005 0x00000006",
            "1 store 1 16 0x00000000 0x00000000 0xffffffff 0x00000000",
            "1 load dynamic 2 0xfff6",
            "2 store 1 8 0xc023000000000000",
            *3 * ["1 store 1 1 0x05"],
            "1 atomic 1 4 0x00000000 0x3f000000",
            *(f"1 store 1 4 0x{i:08x}" for i in [*range(200), 9])]


def test_any_program(tmp_path):
    """Findings are told as ever; a program that crashes leaves no trace."""
    program, file = simtcc(PROGRAM, tmp_path / "kernel.cu"), tmp_path / "trace.csv"
    env, mine = {"SIMT_TRACE": str(file)}, tmp_path / "trace.csv.part"
    mine.write_text("a file of the user's\n")
    assert run(program, "x", env=env).returncode == 4 and not file.exists()
    plain, done = run(program), run(program, env=env)
    assert (plain.returncode, done.returncode) == (4, 4)
    assert "race in global memory" in done.stderr and done.stderr == plain.stderr
    rows = parsed(file)
    assert mine.read_text() == "a file of the user's\n" and len(os.listdir(tmp_path)) == 4
    assert [" ".join(str(row[key]) for key in ("instruction", "op", "array", "bytes", "value"))
            for row in rows if (row["block"], row["warp"], row["lane"]) == (0, 0, 5)] == THREAD_5
    assert {(row["blocks"], row["threads"], row["block"]) for row in rows} == {
        (4, 48, block) for block in range(4)}
    assert {(row["array"], row["array_bytes"]) for row in rows if row["array"] in ("1", "dynamic")
            } == {("1", 4096), ("dynamic", 96)}
    assert [len(lanes) for lanes in requests_of(rows) if lanes[0]["array"] == "__device__"] == [
        32, 8] * 4


# ---- SIMT_ORDER ----

BLOCKS, THREADS = 24, 96
ALL = list(range(BLOCKS * THREADS))
SOURCE = PRELUDE + """
__device__ int come;
/* One thread of the system runs them all: nothing is lost. */
__global__ void come_in(int *who) { who[come++] = blockIdx.x * 96 + threadIdx.x; }
int main()
{
    int *who = device<int>(24 * 96);
    come_in<<<24, 96>>>(who);
    for (int i = 0, *order = host(who, 24 * 96); i < 24 * 96; i++)
        printf("%d ", order[i]);
}
"""


@pytest.fixture(scope="module")
def order_of(tmp_path_factory):
    program = simtcc(SOURCE, tmp_path_factory.mktemp("settings") / "order.cu")
    return lambda seed: [int(word) for word in said(run(
        program, env={"SIMT_CHECKS": "off", "SIMT_ORDER": str(seed)})).split()]


def firsts(numbers):
    return list(dict.fromkeys(numbers))


def test_order(order_of):
    """Threads run as they are numbered. A seed shuffles blocks, the warps of a block and the lanes of a
    warp; each thread runs once."""
    assert order_of(0) == order_of("") == ALL
    one, *others = orders = [order_of(seed) for seed in (1, 7, 4294967295)]
    assert one not in others and one == order_of(1)
    for order in orders:
        assert sorted(order) == ALL
        blocks = firsts(i // THREADS for i in order)
        warps = [firsts(i // 32 for i in order if i // THREADS == block) for block in blocks]
        assert blocks != sorted(blocks)
        assert sum(of_block != sorted(of_block) for of_block in warps) > BLOCKS / 2
        lanes = [[i for i in order if i // 32 == warp] for of_block in warps for warp in of_block]
        assert all(of_warp != sorted(of_warp) for of_warp in lanes)
