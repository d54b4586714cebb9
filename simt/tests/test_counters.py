"""The CPU backend's counters: those of small kernels are what one counts on one's fingers, and
always the same. (test_nsight.py has those of the tutorial's programs.)"""

import csv

from backend import PRELUDE, once, run, simtcc


# All that is counted, behind its line: requests, lanes, and what the operation's space has besides:
# sectors, or wavefronts and bank conflicts (wavefronts that an access needs because it is wide are
# none). Of a branch the second number is that of the warps that went alike.
KERNELS = """
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

/* Each lane adds 10 times, but in 4 loops of 1 to 4 rounds: 16 requests at 20 lanes. The inner loop
 * is left by a quarter of the lanes after each round; only the last ones go alike. */
__global__ void trips(const int *in, int *out)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) { // control branch 4 4
        unsigned j = 0;
        do {
            sum += in[32 * j + threadIdx.x]; // global load 16 320 64
        } while (j++ < (threadIdx.x + i) % 4); // control branch 16 4
    }
    out[threadIdx.x] = sum; // global store 1 32 4
}

/* Structures go by parts of their alignment, or, in shared memory, which nvcc aligns itself, of up to
 * 16 bytes: as an H200 counts. */
struct four { double x, y, z, w; };
struct complex { double re, im; };
struct five { char c[5]; };
enum class kind { FIRST };
namespace other { typedef struct { short s[3]; } three; union length { float f; int i[3]; }; }
/* A function bears its name, as stat does. */
struct length { float f[3]; };
int length(int n) { return n; }
__global__ void structures(const four *in, four *out)
{
    __shared__ four s[32];
    unsigned t = threadIdx.x;
    s[t] = in[t + 3]; // global load 4 128 128; shared store 2 64 16 8
    __syncthreads(); // sync syncthreads 1 32
    out[t * 3] = s[t]; // shared load 2 64 16 8; global store 4 128 128
    ((complex *)out)[t * 2 + 192] = ((complex *)in)[t]; // global load 2 64 32; global store 2 64 64
    ((five *)out)[t * 5 + 1280] = ((five *)in)[t + 3]; // global load 5 160 30; global store 5 160 125
}

/* Small elements: lanes that share a word, or a sector, share its wavefront, in whatever order they come. */
__global__ void small(const char *in, short *out)
{
    __shared__ char s[32];
    __shared__ short h[64 * 8];
    unsigned t = threadIdx.x;
    s[t] = in[t * 7 % 32 * 32]; // global load 1 32 32; shared store 1 32 1 0
    __syncwarp(); // sync syncwarp 1 32
    h[64 * (t % 8) + t / 8] = s[31 - t]; // shared load 1 32 1 0; shared store 1 32 8 7
    __syncwarp(); // sync syncwarp 1 32
    out[31 - t] = h[64 * (t % 8) + 3 - t / 8]; // shared load 1 32 8 7; global store 1 32 2
}

/* A warp reads a column of a tile: 32 words in one bank, or, in padded rows, in 32. */
__global__ void column(int *out)
{
    __shared__ int tile[32][32], padded[32][33];
    tile[threadIdx.y][threadIdx.x] = 1; // shared store 32 1024 32 0
    padded[threadIdx.y][threadIdx.x] = 1; // shared store 32 1024 32 0
    __syncthreads(); // sync syncthreads 32 1024
    int value = tile[threadIdx.x][threadIdx.y]; // shared load 32 1024 1024 992
    value += padded[threadIdx.x][threadIdx.y]; // shared load 32 1024 32 0
    out[32 * threadIdx.y + threadIdx.x] = value; // global store 32 1024 128
}

/* Loads of a function count in its line; its two callers are two requests. */
__device__ __noinline__ int helper(const int *in, int i)
{
    return in[i] / 3; // global load 2 32 4
}

__global__ void two_calls(const int *in, int *out)
{
    unsigned t = threadIdx.x;
    if (t < 8) // control branch 1 0
        out[t] = helper(in, t); // global store 1 8 1
    else
        out[t] = helper(in, t + 32) + 1; // global store 1 24 3
}

/* c[t] is loaded once: what each round stores is still in a register in the next, with g++ as with
 * nvcc. Its stores, and b[t], which the store may have changed, cannot be left out. */
__global__ void accumulate(const int *a, const int *b, int *c)
{
    unsigned t = threadIdx.x;
    for (int k = 0; k < 8; k++) // control branch 8 8
        c[threadIdx.x] += a[32 * k + t] * b[threadIdx.x]; // global load 17 544 68; global store 8 256 32
}

/* One instruction goes to two memories: a request to each. */
__global__ void either(int *out)
{
    __shared__ int s[32];
    int *to[2] = {out, s};
    to[threadIdx.x % 2][threadIdx.x] = 1; // global store 1 16 4; shared store 1 16 1 0
}

/* One request a warp, however many lanes meet in a word; these follow each other. What shared memory
 * has no instruction for goes round by round, until each lane has had its turn. */
__global__ void atomics(int *c)
{
    __shared__ int s[64];
    __shared__ float f[64];
    __shared__ double d[64];
    unsigned t = threadIdx.x;
    atomicAdd(&c[t / 2], 1); // global atomic 2 64 8
    s[t] = 0, f[t] = 0, d[t] = 0; // shared store 6 192 8 0
    __syncthreads(); // sync syncthreads 2 64
    atomicAdd(&s[t / 4], (int)t); // shared atomic 2 64 8 6
    atomicAdd(&s[t / 32], 1); // shared atomic 2 64 2 0
    const int one = 1;
    atomicAdd(&s[t / 32], one); // shared atomic 2 64 2 0
    atomicInc((unsigned *)&s[t / 32], 0xffffffff); // shared atomic 2 64 2 0
    atomicInc((unsigned *)&s[t / 32], 99); // shared atomic 2 64 64 62
    atomicCAS(&s[t % 32], 7, 9); // shared atomic 2 64 4 0
    atomicAdd(&f[t / 4], 1.0f); // shared load 8 160 8 0; shared atomic 8 160 16 0
    atomicAdd(&d[t / 4], 1.0); // shared load 8 160 8 0; shared atomic 8 160 32 0
    atomicExch((unsigned long long *)&d[t % 2], 1ull); // shared atomic 2 64 32 28
}

/* Of what is marked nvcc makes an atomic of one lane: all have one address, as it knows. */
__global__ void one_address(int *c, int n)
{
    __shared__ int s, o;
    int t = threadIdx.x;
    if (t == 0) // control branch 1 0
        s = o = 0; // shared store 2 2 2 0
    __syncwarp(); // sync syncwarp 1 32
    atomicAdd(&s, t); // one lane; shared atomic 1 32 32 31
    atomicMax(&c[o], t); // one lane; shared load 1 32 1 0; global atomic 1 32 32
    c[32 + t] = atomicInc((unsigned *)c, ~0u); // one lane; global store 1 32 4; global atomic 1 32 32
    for (int i = 0; i < n; i++)
        atomicMin(&c[i + n], -t); // one lane; global atomic 1 32 32
    for (int k = 0; k < t % 3; k++) // control branch 3 1
        atomicAdd(&c[k], t), atomicInc((unsigned *)c, 9); // global atomic 4 62 62
}

/* Five shuffles a call; the second call is the first warp's alone. */
__device__ int warp_sum(int value)
{
    for (int delta = 16; delta > 0; delta /= 2) // control branch 20 20
        value += __shfl_down_sync(0xffffffff, value, delta); // sync shuffle 20 640
    return value;
}

__global__ void shuffles(int *out)
{
    int same, sum = warp_sum(threadIdx.x);
    if (threadIdx.x < 32) // control branch 3 3
        sum = warp_sum(sum);
    bool any = __any_sync(0xffffffff, sum < 0); // sync vote 3 96
    if (any || !__match_all_sync(0xffffffff, sum > 0, &same)) // sync vote 3 96
        out[0] = sum;
    __syncwarp(); // sync syncwarp 3 96
}

/* Lanes that return early are not in the warp's later requests and barriers. */
__global__ void returns(const int *in, int *out)
{
    unsigned t = threadIdx.x;
    if (t >= 40) // control branch 3 2
        return;
    __syncthreads(); // sync syncthreads 2 40
    out[t] = in[t + 1]; // global load 2 40 7; global store 2 40 5
}

/* Of one warp: what nvcc makes of the forms. A part of a warp that shuffles several times looks first
 * whether it is together, by a match and a reduction. */
__global__ void groups(int *out)
{
    auto block = cg::this_thread_block();
    auto t32 = cg::tiled_partition<32>(block);
    auto t16 = cg::tiled_partition<16>(t32);
    auto t8 = cg::tiled_partition<8>(block);
    int v = threadIdx.x;
    v += cg::reduce(t32, v, cg::plus<int>()); // sync reduce 1 32
    v += cg::reduce(t16, v, cg::greater<int>()); // sync reduce 2 32
    v += cg::reduce(t32, v, [](int a, int b) { return a + b; }); // sync shuffle 5 160
    v += (int)cg::reduce(t32, v * .5f, cg::plus<float>()); // sync shuffle 5 160
    v += (int)cg::reduce(t32, v * .5, cg::plus<double>()); // sync shuffle 10 320
    v += (int)cg::reduce(t32, 1ll * v, cg::bit_or<long long>()); // sync shuffle 10 320
    v += (int)__shfl_down_sync(~0u, 1ll * v, 1); // sync shuffle 2 64
    v += cg::reduce(t8, v, cg::plus<int>()); // sync vote 1 32; sync reduce 1 32; sync shuffle 3 96
    v += cg::reduce(cg::coalesced_threads(), v, cg::less<int>()); // sync vote 1 32; sync reduce 1 32
    v += cg::inclusive_scan(t32, v); // sync shuffle 5 160
    v += cg::exclusive_scan(t32, out[threadIdx.x]); // global load 1 32 4; sync shuffle 5 160
    v += (int)cg::exclusive_scan(t32, v * .5f); // sync shuffle 6 192
    v += t8.shfl_down(v, 1); // sync shuffle 1 32
    v += t32.any(v) + t8.ballot(v); // sync vote 5 64
    v += cg::binary_partition(t32, v > 9).size(); // sync vote 1 32
    t32.sync();
    t8.sync(); // sync syncwarp 1 32
    __shared__ int s[32]; cg::memcpy_async(block, s, out, 128); // global load 1 32 4
    cg::wait(block); // sync syncthreads 1 32
    out[threadIdx.x] = v; // global store 1 32 4
}

int main()
{
    int *a = device<int>(4096), *b = device<int>(4096);
    groups<<<1, 32>>>(b);
    trips<<<1, 32>>>(a, b);
    structures<<<1, 32>>>((four *)a, (four *)b);
    small<<<1, 32>>>((char *)a, (short *)b);
    column<<<1, dim3(32, 32)>>>(b);
    two_calls<<<1, 32>>>(a, b);
    accumulate<<<1, 32>>>(a, a, b);
    either<<<1, 32>>>(b), atomics<<<1, 64>>>(b), one_address<<<1, 32>>>(b, 1);
    shuffles<<<1, 96>>>(b);
    returns<<<1, 96>>>(a, b);
    OK(cudaDeviceSynchronize());
}
"""


def kernels():
    """The program of these, which other tests run, too."""
    return once("kernels", lambda folder: simtcc(PRELUDE + KERNELS, folder / "kernel.cu")) / "kernel"


COUNTED = "space", "op", "requests", "lanes", "sectors", "wavefronts", "bank_conflicts"


def test_kernels():
    """On every run, in any order of blocks and lanes, with the checks and without."""
    done = run(kernels(), env={"SIMT_COUNTERS": "csv"})
    assert (done.returncode, done.stdout) == (0, "")
    for env in {"SIMT_ORDER": "1"}, {"SIMT_ORDER": "2"}, {"SIMT_CHECKS": "off"}:
        assert run(kernels(), env={"SIMT_COUNTERS": "csv"} | env).stderr == done.stderr
    counted = sorted((int(row["line"]), " ".join(filter(None, map(row.get, COUNTED))))
                     for row in csv.DictReader(done.stderr.splitlines()))
    assert counted == sorted((number, text) for number, line in enumerate(KERNELS.splitlines(), 1)
                             for text in line.partition(" // ")[2].split("; ") if text not in ("", "one lane"))
    table = run(kernels(), env={"SIMT_COUNTERS": "table"}).stderr.splitlines()
    assert sum(int(row.split()[-1]) for row in table if "one lane's" in row) == KERNELS.count("// one lane")


def test_branches_of_several_launches(tmp_path):
    """A branch of one launch alone counts in that launch alone, in every form of the counters."""
    program = simtcc(PRELUDE + """
__global__ void set(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
int main() { int *a = device<int>(64); for (int n : {64, 40, 0, 7}) set<<<1, 64>>>(a, n); OK(cudaDeviceSynchronize()); }
""", tmp_path / "kernel.cu", "-Wno-sign-compare")
    rows = csv.DictReader(run(program, env={"SIMT_COUNTERS": "csv"}).stderr.splitlines())
    assert [(row["launch"], row["requests"]) for row in rows if row["op"] == "branch"] == [
        ("2", "2"), ("4", "2")]
    assert "branch              4  50.0%" in run(program, env={"SIMT_COUNTERS": "annotate"}).stderr
