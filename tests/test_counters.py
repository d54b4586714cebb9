"""The CPU backend's counters: those of steps 01 to 03 equal formulas derived by hand, those of
small kernels what one counts on one's fingers; always the same; and how they are printed."""

import csv
from collections import defaultdict
from math import ceil

import pytest

from conftest import COUNTERS_HEADER, PRELUDE, ROOT, STEPS, build, run, simtcc


def parsed(text):
    header, *lines = text.splitlines()
    assert header == COUNTERS_HEADER
    return list(csv.DictReader([header, *lines]))


def counters(step, n, block=256, options=(), env=None):
    folder = build(block=block, steps=(step,))
    done = run(folder / f"step{step}", "-n", n, "--counters=csv", *options, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def figures(row):
    """Requests, lanes, and what the operation's space has besides: sectors or wavefronts."""
    values = [row[name] for name in ("requests", "lanes", "sectors", "wavefronts")]
    assert bool(values[2]) == (row["space"] == "global")
    assert bool(values[3]) == (row["space"] == "shared")
    return tuple(int(value) for value in values if value)


# ---- steps 01 to 03 ----

def sectors(first, n):
    """Of n neighbouring 4-byte elements that warps of 32 load, the first one at index first."""
    return sum((first + min(i + 32, n) - 1) // 8 - (first + i) // 8 + 1 for i in range(0, n, 32))


def rounds_of_tree(step, block):
    """For each round of a block's tree: additions, warps that take part, wavefronts of one access
    by all of them, warps of which only some lanes add."""
    for stride in (1 << r for r in range(block.bit_length() - 1)):
        if step == "01":  # every (2 * stride)-th thread, all in different banks
            adds = block // (2 * stride)
            warps = min(adds, block // 32)
            yield adds, warps, warps, warps
        elif step == "02":  # the first threads, their words 2 * stride apart
            adds = block // (2 * stride)
            banks = max(32 // (2 * stride), 1)
            yield adds, ceil(adds / 32), ceil(adds / banks), int(adds < 32)
        else:  # the first threads, side by side
            yield stride, ceil(stride / 32), ceil(stride / 32), int(stride < 32)


def expected_rows(step, n, block):
    """What each launch of a reduction counts, by the text that a source line begins with."""
    first = launch = 0  # index of the first element among the sums so far
    warps = block // 32
    adds, adding, waves, diverged = map(sum, zip(*rounds_of_tree(step, block)))
    rounds = block.bit_length() - 1
    # tested after each round; the test before the first always goes the same way, and is none
    tests = rounds
    rows = {}
    while launch == 0 or n > 1:
        launch += 1
        blocks = ceil(n / block)
        all_warps, threads = blocks * warps, blocks * block
        here = {
            ("s[tid] = i < n", "global", "load"): (ceil(n / 32), n, sectors(first, n)),
            ("s[tid] = i < n", "shared", "store"): (all_warps, threads, all_warps),
            ("s[tid] = i < n", "control", "branch"): (all_warps, all_warps - (n % 32 > 0)),
            ("__syncthreads();", "sync", "syncthreads"):
                (all_warps * (1 + rounds), threads * (1 + rounds)),
            ("for (", "control", "branch"): (all_warps * tests, all_warps * tests),
            ("if (tid % (2|if (left <|if (tid <", "control", "branch"):
                (all_warps * rounds, all_warps * rounds - blocks * diverged),
            ("s[tid] +=|s[left] +=", "shared", "load"):
                (2 * blocks * adding, 2 * blocks * adds, 2 * blocks * waves),
            ("s[tid] +=|s[left] +=", "shared", "store"):
                (blocks * adding, blocks * adds, blocks * waves),
            ("if (tid == 0)", "control", "branch"): (all_warps, all_warps - blocks),
            ("sums[blockIdx.x] =", "shared", "load"): (blocks, blocks, blocks),
            ("sums[blockIdx.x] =", "global", "store"): (blocks, blocks, blocks),
        }
        if n % block == 0:  # a branch that always goes one way is none
            del here["s[tid] = i < n", "control", "branch"]
        rows |= {(launch, *key): value for key, value in here.items()}
        first = 0 if launch == 1 else first + n
        n = blocks
    return rows


def counted_rows(step, n, block):
    source = ["", *STEPS[step].read_text().splitlines()]
    sums = defaultdict(lambda: (0, 0, 0))
    expected = expected_rows(step, n, block)
    begins = {begin: key[1] for key in expected for begin in key[1].split("|")}
    for row in parsed(counters(step, n, block)):
        assert (row["step"], int(row["block"])) == (step, block)
        assert row["file"] == str(STEPS[step].relative_to(ROOT))
        line = source[int(row["line"])].strip()
        text, = (key for begin, key in begins.items() if line.startswith(begin))
        key = int(row["launch"]), text, row["space"], row["op"]
        sums[key] = tuple(a + b for a, b in zip(sums[key], figures(row)))
    return dict(sums), expected


@pytest.mark.parametrize("block", [32, 64, 256, 1024, *(
    pytest.param(block, marks=pytest.mark.slow) for block in (128, 512))])
@pytest.mark.parametrize("step", ["01", "02", "03"])
def test_formulas(step, block):
    """Every row of every launch, at sizes that are no multiple of anything."""
    for n in 1, 2, 31, 33, 1000, 1024, 4099, 32769:
        counted, expected = counted_rows(step, n, block)
        assert counted == expected, n


def test_bank_conflicts_by_hand():
    """Blocks of 256: 12 requests of additions a block, two loads and a store each. In step 02
    they take 4 * 2, 2 * 4, 8, 16 and 8, 4, 2, 1 wavefronts … 47 in all, in step 03 one each."""
    assert [sum(column) for column in zip(*rounds_of_tree("02", 256))][1:3] == [12, 47]
    assert [sum(column) for column in zip(*rounds_of_tree("03", 256))][1:3] == [12, 12]
    assert [sum(column) for column in zip(*rounds_of_tree("01", 256))][1:3] == [47, 47]


@pytest.mark.parametrize("step", STEPS)
def test_always_the_same(step):
    """On every run, in any order of blocks and lanes."""
    first = counters(step, 70001)
    for order in "1", "2":
        assert counters(step, 70001, env={"SIMT_ORDER": order}) == first


def test_checks_do_not_count():
    assert counters("05", 5000, env={"SIMT_CHECKS": "off"}) == counters("05", 5000)


# ---- the table ----

def table_of(text):
    """Figures by label; a label's blanks stand for the beginning of the one above."""
    table, above = {}, ""
    for line in text.splitlines():
        assert len(line) <= 80, line
        label = line[:27].rstrip()
        blanks = len(label) - len(label.lstrip())
        above = above[:blanks] + label.lstrip()
        table[above] = line[27:].split()
    return table


@pytest.mark.parametrize("n, block", [(65537, 256), (2**17, 32), (100, 256)])
def test_table(n, block):
    """Fits 80 columns; a column for each of the first launches and one for all together."""
    done = run(build(block=block) / "step02", "-n", n, "--counters")
    assert (done.returncode, done.stderr) == (0, "")
    table = table_of(done.stdout)
    rows = parsed(counters("02", n, block))
    launches = max(int(row["launch"]) for row in rows)
    columns = [{str(k)} for k in range(1, min(launches, 3) + 1)]
    if launches > 1:
        columns.append({str(k) for k in range(1, launches + 1)})

    def sums(space, op, figure):
        return [sum(int(row[figure] or 0) for row in rows if row["launch"] in column and
                    (row["space"], row["op"]) == (space, op)) for column in columns]

    for space, figure in ("global", "sectors"), ("shared", "wavefronts"):
        for op in "load", "store":
            assert table[f"{space} {op} requests"] == [str(x) for x in sums(space, op, "requests")]
            assert table[f"{space} {op} {figure}"] == [str(x) for x in sums(space, op, figure)]
    for op in "load", "store":
        conflicts = [w - r for w, r in zip(sums("shared", op, "wavefronts"),
                                           sums("shared", op, "requests"))]
        assert table[f"shared {op} bank conflicts"] == [str(x) for x in conflicts]
        assert conflicts == sums("shared", op, "bank_conflicts")
    def per_request(space, figure, *ops):
        total, requests = ([sum(column) for column in zip(*(sums(space, op, name) for op in ops))]
                           for name in (figure, "requests"))
        return [f"{a / r:.2f}" if r else "-" for a, r in zip(total, requests)]

    assert table["global load sectors/request"] == per_request("global", "sectors", "load")
    for space in "global", "shared":
        assert table[f"{space} lanes/request"] == per_request(space, "lanes", "load", "store")
    assert table["warps at __syncthreads"] == [str(x) for x in
                                               sums("sync", "syncthreads", "requests")]
    efficiency = [f"{100 * a / r:.2f}" for a, r in zip(sums("control", "branch", "lanes"),
                                                       sums("control", "branch", "requests"))]
    assert table["branch efficiency, %"] == efficiency


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

    "one_load": ("""
__global__ void one_load(const int *in, int *out)
{
    unsigned i = threadIdx.x;
    out[i] = in[i] * in[i] + in[i];
}""", "<<<1, 32>>>(a, b)", {
        (4, "global", "load"): (1, 32, 4),
        (4, "global", "store"): (1, 32, 4)}),

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
        (4, "shared", "store"): (1, 32, 4),
        (5, "sync", "syncwarp"): (1, 32),
        (6, "shared", "load"): (1, 32, 4),
        (6, "global", "store"): (1, 32, 16)}),

    "double2s": ("""
__global__ void double2s(const double2 *in, double2 *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}""", "<<<1, 33>>>((double2 *)a, (double2 *)b)", {
        (3, "global", "load"): (2, 33, 17),
        (3, "global", "store"): (2, 33, 17)}),

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
        (4, "shared", "store"): (1, 32, 2),
        (5, "shared", "load"): (1, 32, 2),
        (5, "shared", "store"): (1, 32, 16),
        (6, "shared", "load"): (1, 32, 16),
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
        (4, "shared", "store"): (32, 1024, 32),
        (5, "sync", "syncthreads"): (32, 1024),
        (6, "shared", "load"): (32, 1024, 1024),
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
        (4, "shared", "store"): (32, 1024, 32),
        (5, "sync", "syncthreads"): (32, 1024),
        (6, "shared", "load"): (32, 1024, 32),
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
        (5, "shared", "store"): (1, 2, 1),
        (6, "sync", "syncthreads"): (2, 64),
        (7, "shared", "atomic"): (2, 64, 2),
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

    # A structure of seven bytes goes as a word, where one is aligned, and three bytes around it: lanes
    # part, in seven requests, which touch 7 sectors each.
    "structure": ("""
struct seven { char byte[7]; };

__global__ void structure(const int *in, int *out)
{
    ((seven *)out)[threadIdx.x] = ((const seven *)in)[threadIdx.x];
}""", "<<<1, 32>>>(a, b)", {
        (5, "global", "load"): (7, 128, 49),
        (5, "global", "store"): (7, 128, 49)}),

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


def test_conflicts_of_wide_accesses(tmp_path):
    """Wavefronts that an access needs because it is wide are no conflicts: 8 bytes go by half
    warps, 16 by quarters."""
    source = PRELUDE + """
__global__ void wide(int stride)
{
    extern __shared__ int4 v[];
    unsigned i = threadIdx.x * stride;
    ((int *)v)[i] = 0;
    ((double *)v)[i] = 0;
    v[i] = make_int4(0, 0, 0, 0);
}

int main()
{
    wide<<<1, 32, 1024>>>(1);
    wide<<<1, 32, 2048>>>(2);
}
"""
    done = run(simtcc(source, tmp_path / "kernel.cu"),
               env={"SIMT_COUNTERS": "csv", "SIMT_CHECKS": "off"})
    assert done.returncode == 0, done.stderr
    assert [[row[name] for name in ("launch", "line", "wavefronts", "bank_conflicts")]
            for row in parsed(done.stderr) if row["space"] == "shared"] == [
        ["1", "6", "1", "0"], ["1", "7", "2", "0"], ["1", "8", "4", "0"],
        ["2", "6", "2", "1"], ["2", "7", "4", "2"], ["2", "8", "8", "4"]]


# ---- write-up 0: three kernels that reduce in place, in global memory ----

IN_PLACE = """
__global__ void NAME(int *g_in, int *g_out, unsigned n)
{
    unsigned tid = threadIdx.x;
    int *in = g_in + blockDim.x * blockIdx.x;
    if (blockDim.x * blockIdx.x + tid >= n)
        return;
    for (LOOP) {
        unsigned index = INDEX;
        if (CONDITION)
            in[index] += in[index + stride];
        __syncthreads();
    }
    if (tid == 0)
        g_out[blockIdx.x] = in[0];
}
"""
UP, DOWN = ("unsigned stride = 1; stride < blockDim.x; stride *= 2",
            "unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1")

# Global load requests and sectors, store sectors, and branch efficiency in percent: Nsight Compute
# on an H200, 2^24 ints in 32768 blocks of 512.
NSIGHT = {"neighbored": (6258688, 16744448, 8388608, 68.75),
          "strided": (1343488, 16744448, None, 98.36),
          "sequential": (1343488, 4358144, None, 98.36)}


@pytest.fixture(scope="module")
def in_place(tmp_path_factory):
    """The three kernels, each on 2^16 ints in 128 blocks of 512."""
    source = ""
    for name, loop, index, condition in (
            ("neighbored", UP, "tid", "tid % (2 * stride) == 0"),
            ("strided", UP, "2 * stride * tid", "index < blockDim.x"),
            ("sequential", DOWN, "tid", "tid < stride")):
        source += (IN_PLACE.replace("NAME", name).replace("LOOP", loop).replace("INDEX", index)
                   .replace("CONDITION", condition))
    source += """
int main()
{
    int *in = device<int>(1 << 16), *out = device<int>(128);
    neighbored<<<128, 512>>>(in, out, 1 << 16);
    strided<<<128, 512>>>(in, out, 1 << 16);
    sequential<<<128, 512>>>(in, out, 1 << 16);
    OK(cudaDeviceSynchronize());
}
"""
    rows = counted_program(source, tmp_path_factory.mktemp("in_place"))
    return {name: rows[number] for number, name in enumerate(NSIGHT, 1)}


def total(rows, space, op):
    return [sum(column) for column in zip(*(figure for (_, *key), figure in rows.items()
                                            if key == [space, op]))]


@pytest.mark.parametrize("name", NSIGHT)
def test_write_up_0(in_place, name):
    """Memory traffic as Nsight counted it, a 256th of it."""
    requests, sectors, store_sectors, _ = NSIGHT[name]
    loads, stores = (total(in_place[name], "global", op) for op in ("load", "store"))
    assert (256 * loads[0], 256 * loads[2]) == (requests, sectors)
    assert store_sectors in (256 * stores[2], None)


@pytest.mark.parametrize("name, diverged, percent", [
    ("neighbored", 95 + 1, 68.42), ("strided", 5 + 1, 98.03), ("sequential", 5 + 1, 98.03)])
def test_write_up_0_branches(in_place, name, diverged, percent):
    """A block has 16 warps and 9 rounds; the rounds' `if` diverges in 5 of its 144 branches (95 in
    the first kernel), the last `if` in 1 of 16.

    Nsight sees 304 branches a block: 16 in front of the loop, 144 of the rounds' `if`, 144 behind
    the loop's body; the last `if` is no branch but a predicated EXIT. 95 and 5 of 304 diverge, that
    is 68.75 and 98.36 %. We count the last `if`, too, and its divergence. In front of the loop all
    warps always go on, which is not counted."""
    branches = [figure for (_, space, _), figure in in_place[name].items() if space == "control"]
    blocks = 128
    assert branches == [(16 * 9 * blocks,) * 2,
                        (16 * 9 * blocks, (16 * 9 - (diverged - 1)) * blocks),
                        (16 * blocks, 15 * blocks)]
    requests, alike = total(in_place[name], "control", "branch")
    assert requests == 16 * (9 + 9 + 1) * blocks
    assert round(100 * alike / requests, 2) == percent
    assert NSIGHT[name][3] == round(100 * (1 - (diverged - 1) / 304), 2)
