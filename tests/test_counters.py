"""The CPU backend's counters: those of small kernels are what one counts on one's fingers, and always
the same. (test_nsight.py has those of the steps, tests/golden how they are printed.)"""

import csv
from collections import defaultdict

import pytest

from harness import COUNTERS_HEADER, PRELUDE, STEPS, build, run, simtcc


def parsed(text):
    header, *lines = text.splitlines()
    assert header == COUNTERS_HEADER
    return list(csv.DictReader([header, *lines]))


def counters(step, n, env=None):
    done = run(build() / f"step{step}", "-n", n, "--counters=csv", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def figures(row):
    """Requests, lanes, and what the operation's space has besides: sectors, or wavefronts and bank
    conflicts (wavefronts that an access needs because it is wide are none)."""
    values = [row[name] for name in ("requests", "lanes", "sectors", "wavefronts", "bank_conflicts")]
    assert bool(values[2]) == (row["space"] == "global")
    assert bool(values[3]) == (row["space"] == "shared")
    return tuple(int(value) for value in values if value)


@pytest.mark.parametrize("step", STEPS)
def test_always_the_same(step):
    """On every run, in any order of blocks and lanes."""
    first = counters(step, 70001)
    for order in "1", "2":
        assert counters(step, 70001, env={"SIMT_ORDER": order}) == first


def test_checks_do_not_count():
    assert counters("05", 5000, env={"SIMT_CHECKS": "off"}) == counters("05", 5000)


# ---- small kernels ----
#
# Name: source, launch, and all that it counts: (source line from 1, space, op): figures.

KERNELS = {
    # Each lane adds 10 times, but in 4 loops of 1 to 4 rounds: 16 requests at 20 lanes. The inner
    # loop is left by a quarter of the lanes after each round; only the last ones go alike.
    "trips": ("""
__global__ void trips(const int *in, int *out)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        unsigned j = 0;
        do {
            sum += in[32 * j + threadIdx.x];
        } while (j++ < (threadIdx.x + i) % 4);
    }
    out[threadIdx.x] = sum;
}""", "<<<1, 32>>>(a, b)", {
        (4, "control", "branch"): (4, 4),
        (7, "global", "load"): (16, 320, 64),
        (8, "control", "branch"): (16, 4),
        (10, "global", "store"): (1, 32, 4)}),

    # 16 bytes a lane: 512 bytes are 16 sectors, and 4 wavefronts of 128 bytes.
    "int4s": ("""
__global__ void int4s(const int4 *in, int4 *out)
{
    __shared__ int4 s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
}""", "<<<1, 32>>>((int4 *)a, (int4 *)b)", {
        (4, "global", "load"): (1, 32, 16),
        (4, "shared", "store"): (1, 32, 4, 0),
        (5, "sync", "syncwarp"): (1, 32),
        (6, "shared", "load"): (1, 32, 4, 0),
        (6, "global", "store"): (1, 32, 16)}),

    # 8 bytes a lane: in a row 2 wavefronts; 16 words apart a half warp is in two banks, 8 deep.
    "doubles": ("""
__global__ void doubles(const double *in, double *out)
{
    __shared__ double row[32], apart[32 * 8];
    row[threadIdx.x] = in[threadIdx.x];
    apart[8 * threadIdx.x] = row[threadIdx.x];
    out[threadIdx.x] = apart[8 * threadIdx.x];
}""", "<<<1, 32>>>((double *)a, (double *)b)", {
        (4, "global", "load"): (1, 32, 8),
        (4, "shared", "store"): (1, 32, 2, 0),
        (5, "shared", "load"): (1, 32, 2, 0),
        (5, "shared", "store"): (1, 32, 16, 14),
        (6, "shared", "load"): (1, 32, 16, 14),
        (6, "global", "store"): (1, 32, 8)}),

    # A warp reads a column of a tile: 32 words in one bank, or, in padded rows, in 32.
    "column": ("""
__global__ void column(const int *in, int *out)
{
    __shared__ int tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[32 * threadIdx.y + threadIdx.x];
    __syncthreads();
    out[32 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}""", "<<<1, dim3(32, 32)>>>(a, b)", {
        (4, "global", "load"): (32, 1024, 128),
        (4, "shared", "store"): (32, 1024, 32, 0),
        (5, "sync", "syncthreads"): (32, 1024),
        (6, "shared", "load"): (32, 1024, 1024, 992),
        (6, "global", "store"): (32, 1024, 128)}),

    "padded": ("""
__global__ void padded(const int *in, int *out)
{
    __shared__ int tile[32][33];
    tile[threadIdx.y][threadIdx.x] = in[32 * threadIdx.y + threadIdx.x];
    __syncthreads();
    out[32 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}""", "<<<1, dim3(32, 32)>>>(a, b)", {
        (4, "global", "load"): (32, 1024, 128),
        (4, "shared", "store"): (32, 1024, 32, 0),
        (5, "sync", "syncthreads"): (32, 1024),
        (6, "shared", "load"): (32, 1024, 32, 0),
        (6, "global", "store"): (32, 1024, 128)}),

    # Loads and stores of a function count in its lines; its two callers are two requests each.
    "helper": ("""
__device__ __noinline__ int helper(const int *in, int i)
{
    return in[i] / 3;
}

__global__ void two_calls(const int *in, int *out)
{
    unsigned t = threadIdx.x;
    if (t < 8)
        out[t] = helper(in, t);
    else
        out[t] = helper(in, t + 32) + 1;
}""", "<<<1, 32>>>(a, b)", {
        (3, "global", "load"): (2, 32, 4),
        (9, "control", "branch"): (1, 0),
        (10, "global", "store"): (1, 8, 1),
        (12, "global", "store"): (1, 24, 3)}),

    # c[t] is loaded once: what each round stores is still in a register in the next, with g++ as
    # with nvcc. Its stores, and b[t], which the store may have changed, cannot be left out.
    "accumulate": ("""
__global__ void accumulate(const int *a, const int *b, int *c)
{
    unsigned t = threadIdx.x;
    for (int k = 0; k < 8; k++)
        c[t] += a[32 * k + t] * b[t];
}""", "<<<1, 32>>>(a, a, b)", {
        (4, "control", "branch"): (8, 8),
        (5, "global", "load"): (1 + 8 + 8, 17 * 32, 17 * 4),
        (5, "global", "store"): (8, 256, 32)}),

    # One request a warp, however many lanes meet in a word.
    "atomics": ("""
__global__ void atomics(int *c)
{
    __shared__ int count[2];
    if (threadIdx.x < 2)
        count[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&count[threadIdx.x % 2], 1);
    if (threadIdx.x % 4 == 0)
        atomicAdd(&c[threadIdx.x], 1);
}""", "<<<1, 64>>>(b)", {
        (4, "control", "branch"): (2, 1),
        (5, "shared", "store"): (1, 2, 1, 0),
        (6, "sync", "syncthreads"): (2, 64),
        (7, "shared", "atomic"): (2, 64, 2, 0),
        (8, "control", "branch"): (2, 0),
        (9, "global", "atomic"): (2, 16, 8)}),

    # Five shuffles a call; the second call is the first warp's alone.
    "shuffles": ("""
__device__ int warp_sum(int value)
{
    for (int delta = 16; delta > 0; delta /= 2)
        value += __shfl_down_sync(0xffffffff, value, delta);
    return value;
}

__global__ void shuffles(int *out)
{
    int sum = warp_sum(threadIdx.x);
    if (threadIdx.x < 32)
        sum = warp_sum(sum);
    int same;
    if (__any_sync(0xffffffff, sum < 0) || !__match_all_sync(0xffffffff, sum > 0, &same))
        out[0] = sum;
    __syncwarp();
}""", "<<<1, 96>>>(b)", {
        (3, "control", "branch"): (20, 20),
        (4, "sync", "shuffle"): (20, 640),
        (11, "control", "branch"): (3, 3),
        (14, "sync", "vote"): (6, 192),
        (16, "sync", "syncwarp"): (3, 96)}),

    # Of 4 branches of either kind 2 and 3 are uniform.
    "if_else": ("""
__global__ void if_else(const int *in, int *out)
{
    unsigned t = threadIdx.x;
    if ((t + 16) % 128 < 32)
        out[t] = in[t];
    else
        out[128 + 2 * t] = 1;
    if (t < 40)
        out[512 + t] = 2;
}""", "<<<1, 128>>>(a, b)", {
        (4, "control", "branch"): (4, 2),
        (5, "global", "load"): (2, 32, 4),
        (5, "global", "store"): (2, 32, 4),
        (7, "global", "store"): (4, 96, 24),
        (8, "control", "branch"): (4, 3),
        (9, "global", "store"): (2, 40, 5)}),

    # Lanes that return early are not in the warp's later requests and barriers.
    "returns": ("""
__global__ void returns(const int *in, int *out)
{
    unsigned t = threadIdx.x;
    if (t >= 40)
        return;
    __syncthreads();
    out[t] = in[t + 1];
}""", "<<<1, 96>>>(a, b)", {
        (4, "control", "branch"): (3, 2),
        (6, "sync", "syncthreads"): (2, 40),
        (7, "global", "load"): (2, 40, 7),
        (7, "global", "store"): (2, 40, 5)}),
}


def counted_program(source, folder):
    """Rows of each launch of a program built by simtcc alone: {(line, space, op): figures}."""
    done = run(simtcc(PRELUDE + source, folder / "kernel.cu"), env={"SIMT_COUNTERS": "csv"})
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    launches = defaultdict(dict)
    for row in parsed(done.stderr):
        assert row["step"] == "" and row["file"].endswith("kernel.cu")
        place = int(row["line"]), row["space"], row["op"]
        assert place not in launches[int(row["launch"])]
        launches[int(row["launch"])][place] = figures(row)
    return launches


@pytest.fixture(scope="module")
def launches(tmp_path_factory):
    """All kernels in one program; each one's first line is a multiple of 100."""
    source, calls = "", ""
    for number, (name, (kernel, configuration, _)) in enumerate(KERNELS.items(), 1):
        function = kernel.split("__global__ void ")[1].split("(")[0]
        source += f"#line {100 * number}{kernel}\n"
        calls += f"    {function}{configuration};\n"
    source += f"""
int main()
{{
    int *a = device<int>(4096), *b = device<int>(4096);
{calls}    OK(cudaDeviceSynchronize());
}}
"""
    return counted_program(source, tmp_path_factory.mktemp("kernels"))


@pytest.mark.parametrize("number, name", list(enumerate(KERNELS, 1)))
def test_kernel(launches, number, name):
    counted = {(line - 100 * number + 1, *rest): value
               for (line, *rest), value in launches[number].items()}
    assert counted == KERNELS[name][2]
