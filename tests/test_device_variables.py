"""What a kernel or the host does to __device__ and __constant__ variables and to memory that is not
there; integer divisions by zero and failed assertions; and the same done right."""

import re

import pytest

from conftest import ROOT, run, simtcc

SOURCE = r"""
#include <cassert>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct pair { int key; double value; };

__device__ int before[32];
__device__ int a[32];
__device__ float grid[4][8];
__device__ pair pairs[8];
__device__ const int table[3] = {1, 2, 3};
__device__ unsigned char bytes[5];
__constant__ float weights[4];
__constant__ const int limits[2] = {4, 8};
__managed__ int shared_with_host = 3;
extern __device__ double elsewhere[16];
__device__ int after[256];

__device__ void put(int *p, int v) { *p = v; }
__device__ int over(int x, int y) { return x / y; }

__global__ void wrong(int how, int zero, int *p)
{
    int i = threadIdx.x + threadIdx.y * blockDim.x;
    switch (how) {
    case 0: a[i + 1] = table[i % 3]; break;
    case 1: a[i - 1] = 1; break;
    case 2: grid[threadIdx.y][threadIdx.x + 1] += 1; break;
    case 3: pairs[i].value = 2; break;
    case 4: bytes[i] = 1; break;
    case 5: p[i] = (int)weights[i % 5]; break;
    case 7: *(float *)&weights[i % 4] = 1; break;
    case 8: elsewhere[i] = 1; break;
    case 9: a[(1 << 14) + i] = 1; break;
    case 10: a[-(1 << 14)] = 1; break;
    case 11: after[i + 225] = 1; break;
    case 21: (&shared_with_host)[i] = 1; break;
    case 22: if (i == 3) memset(a, 0, sizeof a + 4 * i); break;
    case 23: if (i == 3) memcpy(p, weights, sizeof weights + i - 1); break;
    case 12: *p = 1; break;
    case 13: put(nullptr, i); break;
    case 14: p[i] = *(int *)8; break;
    case 15: p[i] = 7 / zero; break;
    case 16: p[i] = (unsigned)i % zero; break;
    case 17: p[i] = (int)((long long)i / zero + (unsigned long)i % zero); break;
    case 18: p[i] = (short)i / (short)zero + (signed char)i / (signed char)zero; break;
    case 19: p[i] = i == 31 ? over(i, p[i]) : over(i, 1); break;
    case 20: assert(i < 30 && "few"); break;
    }
}

__global__ void right(int zero, int *p)
{
    int i = threadIdx.x;
    before[i] = a[i] = i;
    grid[i / 8][i % 8] = (float)i;
    if (i < 8)
        pairs[i].key += i;
    if (i < 5)
        bytes[i] = table[i % 3];
    if (i < 16)
        elsewhere[i] = weights[i % 4] + limits[i % 2];
    assert(i < 32);
    p[i] = INT_MIN / (zero - 1) == INT_MIN && INT_MIN % (zero - 1) == 0 ? i / (zero + 1) : -1;
    p[i] += (short)(i - 40) / (short)(zero + 3) == (i - 40) / 3 ? 0 : 100;
    after[i] = 2 * i;
    if (i == 0)
        shared_with_host++;
}

static int use_on_host(int how, int *d)
{
    static int h[32];
    switch (how) {
    case 30: a[3] = 1; return 0;
    case 31: return a[how - 30] + (int)weights[how - 30];
    case 32: (void)!cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); return 0;
    case 33: (void)!cudaMemcpy(h, &a[2], 4, cudaMemcpyDeviceToHost); return 0;
    case 34: (void)!cudaMemset(&grid, 0, sizeof grid); return 0;
    case 35: wrong<<<1, 1>>>(12, 0, a); return 0;
    case 36: pairs[1].key = 4; return 0;
    case 41: memset(pairs, 0, 17 * (how - 40)); return 0;
    case 42: memcpy(h, grid, how - 30); printf("%d\n", h[1]); return 0;
    case 43: memcpy(bytes, h, sizeof bytes); return 0;
    case 44: memmove(h, weights + 1, 8); printf("%d\n", h[1]); return 0;
    case 45: memset(d, 1, 4 * (how - 40)); return 0;
    case 46: memcpy(d + 1, h, 120); return 0;
    case 47: memmove(h + 1, d, 4); printf("%d\n", h[1]); return 0;
    }
    int *p, sum = 0;
    float four[4] = {1, 2, 3, 4};
    if (cudaMemcpyToSymbol(weights, four, sizeof four) || cudaGetSymbolAddress((void **)&p, a) ||
        cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice) || cudaMemset(p + 1, 1, 4))
        return 1;
    right<<<1, 32>>>(0, d);
    wrong<<<1, 1>>>(12, 0, p);
    if (cudaDeviceSynchronize() || cudaMemcpyFromSymbol(h, after, 31 * sizeof(int), 4))
        return 1;
    for (int i = 0; i < 31; i++)
        sum += h[i] == 2 * (i + 1);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < 32; i++)
        sum += h[i] == i;
    printf("%d %d %d\n", sum, shared_with_host, (int)(sizeof a + sizeof table));
    memset(&shared_with_host, 0, sizeof shared_with_host);
    memcpy(h, &shared_with_host, 4 * (how - 39));
    return h[0];
}

int main(int, char **argv)
{
    int how = atoi(argv[1]), *d;
    if (cudaMalloc(&d, 128) || cudaMemset(d, 0, 128))
        return 1;
    if (how >= 30)
        return use_on_host(how, d);
    if (how == 2)
        wrong<<<1, dim3(8, 4)>>>(how, 0, d);
    else
        wrong<<<1, how == 8 ? 17 : 32>>>(how, 0, how == 12 ? NULL : d);
    puts(cudaDeviceSynchronize() ? "failed" : "end");
    return 0;
}
"""
OTHER = """
__device__ double elsewhere[16];
__device__ double behind[16];
"""
BOUNDS, DIVISION = "out of bounds in global memory", "integer division by zero"
HOST, WILD = "__device__ variable on the host", "access to no memory at all"
POINTER = "device pointer on the host"
# Case: what is told, the text of its line, a sentence, how often.
TOLD = {
    0: (BOUNDS, "case 0:", "It touches byte 128 of a, a __device__ variable of 128 bytes.", 1),
    1: (BOUNDS, "case 1:", "It lies 4 bytes before a, a __device__ variable of 128 bytes.", 1),
    2: (BOUNDS, "case 2:", "It touches byte 128 of grid, a __device__ variable of 128 bytes.", 2),
    3: (BOUNDS, "case 3:", "It touches byte 136 of pairs, a __device__ variable", 24),
    4: (BOUNDS, "case 4:", "It touches byte 5 of bytes, a __device__ variable of 5 bytes.", 27),
    5: (BOUNDS, "case 5:", "It touches byte 16 of weights, a __constant__ variable", 6),
    7: (BOUNDS, "case 7:", "It touches byte 0 of weights, a __constant__ variable", 32),
    8: (BOUNDS, "case 8:", "It touches byte 128 of elsewhere, a __device__ variable", 1),
    9: (BOUNDS, "case 9:", "variable of", None),
    10: (BOUNDS, "case 10:", "variable of", None),
    11: (BOUNDS, "case 11:", "It touches byte 1024 of after, a __device__ variable", 1),
    12: (WILD, "case 12:", "address (nil)", 1),
    13: (WILD, "void put(", "address (nil)", 1),
    14: (WILD, "case 14:", "address 0x8", 1),
    15: (DIVISION, "case 15:", "", 32),
    16: (DIVISION, "case 16:", "", 32),
    17: (DIVISION, "case 17:", "", 64),
    18: (DIVISION, "case 18:", "", 64),
    19: (DIVISION, "int over(", "by thread (31,0,0) of block (0,0,0)", 1),
    20: ("failed assert", "case 20:", 'thread (30,0,0): i < 30 && "few" does not hold.', 1),
    30: (HOST, "case 30:", "of a, a __device__ variable", 1),
    31: (HOST, "case 31:", "of a, a __device__ variable", None),
    32: (HOST, "case 32:", "cudaMemcpy is given the address that the host knows a by", 1),
    33: (HOST, "case 33:", "cudaMemcpy is given the address that the host knows a by", 1),
    34: (HOST, "case 34:", "cudaMemset is given the address that the host knows grid by", 1),
    35: (HOST, "case 35:", "The kernel is given the address that the host knows a by", 1),
    36: (HOST, "case 36:", "of pairs, a __device__ variable", 1),
    21: (BOUNDS, "case 21:", "It touches byte 4 of shared_with_host, a __managed__ variable", 31),
    22: (BOUNDS, "case 22:", "It touches byte 128 of a, a __device__ variable of 128 bytes.", 3),
    23: (BOUNDS, "case 23:", "It touches byte 16 of weights, a __constant__ variable", 2),
    41: (HOST, "case 41:", "It touches byte 0 of pairs, a __device__ variable", 1),
    42: (HOST, "case 42:", "It touches byte 0 of grid, a __device__ variable", 1),
    43: (HOST, "case 43:", "It touches byte 0 of bytes, a __device__ variable", 1),
    44: (HOST, "case 44:", "It touches byte 4 of weights, a __constant__ variable", None),
    45: (POINTER, "case 45:", "", 1),
    46: (POINTER, "case 46:", "", 1),
    47: (POINTER, "case 47:", "", 1),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("variables")
    (folder / "other.cu").write_text(OTHER)
    return simtcc(SOURCE, folder / "main.cu", folder / "other.cu", "-Wno-array-bounds")


@pytest.mark.parametrize("case", TOLD)
def test_told(program, case):
    title, text, sentence, times = TOLD[case]
    done = run(program, case)
    assert done.returncode == 4, done.stderr
    titles = re.findall(r"^simt: ([^,\n]*)", done.stderr, re.MULTILINE)
    assert set(titles) == {title}, done.stderr
    lines = [number for number, line in enumerate(SOURCE.splitlines(), 1) if text in line]
    assert f"main.cu:{lines[-1] if case < 30 else lines[0]}  " in done.stderr
    assert sentence in done.stderr
    if case < 30:
        assert re.search(r"\bthread \(", done.stderr) and "block (0,0,0)" in done.stderr
    if times is not None:
        assert sum(map(int, re.findall(r", (\d+) times$", done.stderr, re.MULTILINE))) == (
            times if times > 1 else 0), done.stderr
    if title == DIVISION:
        assert done.stdout == "end\n"  # it went on


def test_right(program):
    done = run(program, 40)
    assert (done.returncode, done.stdout, done.stderr) == (0, "63 4 140\n", "")


def test_nothing_else_is_overwritten(program):
    """Without checks, too: a wrong index stays within the region, or the program ends by name."""
    for case in (0, 1, 2, 3, 4, 8, 11):
        assert run(program, case, env={"SIMT_CHECKS": "off"}).stdout == "end\n"
    for case in (9, 10, 12, 13):
        done = run(program, case, env={"SIMT_CHECKS": "off"})
        assert (done.returncode, done.stdout) == (4, "") and "simt: " in done.stderr


def test_assert_on_the_host(tmp_path):
    """As the C library has it."""
    program = simtcc("#include <cassert>\nint main(int n, char **) { assert(n > 1); }\n",
                     tmp_path / "host.cu")
    done = run(program)
    assert done.returncode == -6 and "host.cu:2: int main(int, char**): Assertion `n > 1' failed." in (
        done.stderr)


THREADS = r"""
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

__global__ void twice(int *p, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (i < n)
        p[i] += s[63 - threadIdx.x];
}
__global__ void beyond(int *p, int n) { p[n + threadIdx.x] = 1; } // BUG

int main(int argc, char **argv)
{
    std::vector<std::thread> threads;
    int wrong = 0;
    for (int t = 0; t < atoi(argv[1]); t++)
        threads.emplace_back([=, &wrong] {
            cudaStream_t stream;
            int n = 1000 + t, *d, bad = cudaStreamCreate(&stream) != cudaSuccess;
            std::vector<int> h(n);
            for (int round = 0; round < 10; round++) {
                bad += cudaMalloc(&d, n * 4) || cudaMemset(d, 0, n * 4);
                for (int k = 0; k < 2; k++)
                    twice<<<(n + 63) / 64, 64, 0, stream>>>(d, n);
                if (argc > 2 && round == t)
                    beyond<<<1, 2, 0, stream>>>(d, n);
                bad += cudaGetLastError() || cudaStreamSynchronize(stream) ||
                       cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost) || cudaFree(d);
                for (int i = 0; i < n; i++)
                    bad += h[i] != 2 * (63 - i % 64);
            }
            bad += cudaStreamDestroy(stream) != cudaSuccess;
            __atomic_fetch_add(&wrong, bad, __ATOMIC_SEQ_CST);
        });
    for (std::thread &thread : threads)
        thread.join();
    printf("%d wrong\n", wrong);
}
"""


@pytest.fixture(scope="module")
def threads(tmp_path_factory):
    return simtcc(THREADS, tmp_path_factory.mktemp("threads") / "threads.cu")


@pytest.mark.parametrize("number", [2, 5, 16])
@pytest.mark.parametrize("env", [{}, {"SIMT_THREADS": "1"}, {"SIMT_COUNTERS": "csv"},
                                 {"SIMT_CHECKS": "off"}], ids=str)
def test_host_threads_that_launch(threads, number, env):
    """They wait for each other; nothing is found or lost."""
    done = run(threads, number, env=env)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr
    if "SIMT_COUNTERS" not in env:
        assert done.stderr == ""
        return
    header, *rows = [row.split(",") for row in done.stderr.splitlines()]
    rows = [dict(zip(header, row, strict=True)) for row in rows]
    stores = [int(row["lanes"]) for row in rows
              if row["op"] == "store" and row["space"] == "global"]
    assert sum(stores) == sum(20 * (1000 + t) for t in range(number))
    assert len({row["launch"] for row in rows}) == 20 * number


def test_host_threads_that_launch_a_bug(threads, tmp_path):
    done = run(threads, 4, "bug", env={"SIMT_TRACE": str(tmp_path / "trace.csv")})
    assert done.returncode == 4 and (tmp_path / "trace.csv").exists()
    assert "simt: out of bounds in global memory, kernel beyond, 8 times\n" in done.stderr
    assert done.stderr.count("\nsimt: ") == 1
