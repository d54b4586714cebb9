"""Reads of shared memory that nobody wrote: byte by byte, every one of them, and nothing else."""

import re

import pytest

from conftest import run, simtcc

# A thread: what it does in front of a barrier, and behind it. s has a word for each of the block's
# 64 threads, b, h and d are its bytes, halves and doubles, v is four words at a time.
CASES = {
    "a byte of a word whose other byte was written": (
        "b[4 * i] = 1;", "out[i] = b[4 * i + 1];", 64),
    "a word of which a byte was written": ("b[4 * i] = 1;", "out[i] = s[i];", 64),
    "a word of which a byte is missing": (
        "b[4 * i] = b[4 * i + 1] = b[4 * i + 3] = 1;", "out[i] = s[i];", 64),
    "a half of a word whose other half was written": (
        "h[2 * i + 1] = 1;", "out[i] = h[2 * i];", 64),
    "four words of which the last is missing": (
        "if (i % 4 < 3) s[i] = 1;", "if (i < 16) out[i] = v[i].w + v[i].x;", 16),
    "eight bytes of which one was written": (
        "if (i < 32) b[8 * i] = 1;", "if (i < 32) out[i] = (int)d[i];", 0),
    "an atomic on a word of which a half was written": (
        "h[2 * i] = 1;", "out[i] = atomicAdd(&s[i], 1);", 64),
    "the words of every second thread": ("if (i % 2) s[i] = 1;", "out[i] = s[i];", 32),
    "one word": ("if (i != 63) s[i] = 1;", "out[i] = s[i];", 1),
    "a word written behind the read": ("", "out[i] = s[i]; s[i] = 1;", 64),
    "all, in three turns": ("", "for (int k = 0; k < 3; k++) out[i] = s[i];", 64),
    "all, in two lines": ("", "out[i] = s[i];\n    out[i] += s[63 - i];", 128),
    "bytes written by four threads": (
        "for (int k = 0; k < 4; k++) b[4 * ((i + 17 * k) % 64) + k] = 1;", "out[i] = s[i];", 0),
    "halves written, bytes read": (
        "h[2 * i] = h[2 * i + 1] = 1;", "out[i] = b[4 * i] + b[4 * i + 3];", 0),
    "bytes written, the same bytes read": ("b[4 * i + 2] = 1;", "out[i] = b[4 * i + 2];", 0),
    "four words written at once": (
        "if (i < 16) v[i] = make_int4(1, 2, 3, 4);", "out[i] = s[63 - i];", 0),
    "words written one by one, four read": ("s[i] = i;", "if (i < 16) out[i] = v[i].w;", 0),
    "an atomic, the only one to read what nobody wrote": (
        "", "out[i] = atomicAdd(&s[i], 1);\n    __syncthreads(); out[i] = s[63 - i];", 64),
    "an exchange, whose result nobody need look at": (
        "", "out[i] = atomicExch(&s[i], 1);\n    __syncthreads(); out[i] = s[63 - i];", 0),
}
# Where more than the first line behind the barrier is told.
LINES = {"all, in two lines": 2}

KERNEL = """
__global__ void k%d(int *out)
{
    extern __shared__ int4 v[];
    int *s = (int *)v, i = threadIdx.x;
    char *b = (char *)v;
    short *h = (short *)v;
    double *d = (double *)v;

    (void)s, (void)b, (void)h, (void)d;
    out += 64 * blockIdx.x;
    %s
    __syncthreads();
    %s
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """All cases in one program; its argument chooses."""
    kernels = "".join(KERNEL % (number, front, behind)
                      for number, (front, behind, _) in enumerate(CASES.values()))
    calls = "".join(f"    case {number}: k{number}<<<blocks, 64, 256>>>(out); break;\n"
                    for number in range(len(CASES)))
    return simtcc(f"""
#include <cstdio> // structures of others, of 4 and 16 bytes, which are not the program's
#include <cstdlib>
#include <mutex>
{kernels}
__global__ void without_parameters() {{}}
int main(int, char **argv)
{{
    int *out, blocks = atoi(argv[2]);
    if (cudaMalloc(&out, 256 * blocks) != cudaSuccess)
        return 1;
    without_parameters<<<1, 1>>>();
    switch (atoi(argv[1])) {{
{calls}    }}
    return cudaDeviceSynchronize();
}}
""", tmp_path_factory.mktemp("uninitialised") / "kernel.cu")


@pytest.mark.parametrize("name", CASES)
def test_reads(program, name):
    """Each line once, with how often; in every block anew."""
    _, behind, times = CASES[name]
    for blocks in 1, 5:
        done = run(program, list(CASES).index(name), blocks)
        if not times:
            assert (done.returncode, done.stderr) == (0, "")
            continue
        count, places = re.search(r"simt: uninitialised shared memory, kernel k\d+"
                                  r"(?:, (\d+) times)?(?: at (\d+) places)?\n", done.stderr).groups()
        assert done.returncode == 4 and done.stderr.count("\nsimt: ") == 1
        assert int(count or 1) == times * blocks and int(places or 1) == LINES.get(name, 1)
        assert f"  {behind.split(chr(10))[0]}\n" in done.stderr
        assert ("  The same at line " in done.stderr) == (name in LINES), done.stderr


CUT = """
struct three { int a, b, c; };
__global__ void cut(three *out) // the 22nd begins in the last word
{
    extern __shared__ int4 v[];
    three *t = (three *)v;
    if (blockIdx.x == 0)
        t[21].a = 1;
    __syncthreads();
    out[blockIdx.x] = t[blockIdx.x == 0 ? 21 : 0];
}
int main()
{
    three *out;
    if (cudaMalloc(&out, 256) == cudaSuccess)
        cut<<<2, 1, 256>>>(out);
    return cudaDeviceSynchronize();
}
"""


def test_a_structure_that_was_cut_off(tmp_path):
    """Of what one block read of it nothing is known in the next."""
    done = run(simtcc(CUT, tmp_path / "cut.cu"))
    assert re.findall(r"^simt: ([^,]*)", done.stderr, re.MULTILINE) == [
        "out of bounds in shared memory", "uninitialised shared memory"], done.stderr


RETURNED = """
#include <complex>
TYPE
__device__ __noinline__ T of(int i) { T t; memset(&t, i, sizeof t); return t; }
__device__ T (*by_pointer)(int) = of;
__device__ T recursive(int i) { return i > 3 ? recursive(i - 2) : of(i); }
__device__ T operator*(T a, int i) { memset(&a, i, sizeof a); return a; }
__global__ void fill(T *a, int *out)
{
    __shared__ T s[4][32];
    int i = threadIdx.x;
    a[i] = of(1);
    s[0][i] = of(2), s[1][i] = recursive(2 * i % 4 + 2);
    s[2][i] = a[i] * 2;
    s[3][i] = by_pointer(2);
    __syncthreads();
    out[i] = 1;
    for (int k = 0; k < 4; k++)
        out[i] = out[i] && *(int *)&s[k][31 - i] == 0x02020202;
}
__global__ void read(const T *a, int *out) { out[threadIdx.x] += *(const int *)&a[threadIdx.x]; }
int main()
{
    T *a;
    int *out, h[32];
    if (cudaMalloc(&a, 32 * sizeof *a) || cudaMalloc(&out, sizeof h))
        return 3;
    fill<<<1, 32>>>(a, out), read<<<1, 32>>>(a, out);
    return cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost) || h[31] != 0x01010102;
}
"""


@pytest.mark.parametrize("options", [[], ["--strict"]], ids=["default", "strict"])
@pytest.mark.parametrize("type_", ["typedef float4 T;", "struct T { float x, y, z; };",
                                   "typedef std::complex<float> T;"])
def test_what_a_function_returns_counts_as_written(tmp_path, type_, options):
    """It is stored where it belongs, and a call that is not inlined has no hook to say so."""
    done = run(simtcc(RETURNED.replace("TYPE", type_), tmp_path / "x.cu", "-Wno-class-memaccess",
                      *options))
    assert (done.returncode, done.stderr) == (0, "")
