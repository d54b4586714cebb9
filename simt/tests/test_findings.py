"""What the CPU backend finds, at its edges: the last bytes of an array, lanes in several arrays,
each byte that nobody wrote, every block and launch, and nothing at all where checks are off."""

import re

import pytest

from backend import run, simtcc

UNWRITTEN = "uninitialised shared memory"


def reads(front, behind, times):
    """A case of 64 threads: what they do in front of a barrier, and behind it; how many of them read
    what nobody wrote."""
    return (f"out += 64 * blockIdx.x;\n    {front}\n    __syncthreads();\n    {behind}",
            "<<<5, 64, 256>>>", UNWRITTEN if times else None, behind.split("\n")[0], 5 * times)


def lanes(turns, does, title, front=""):
    """A case of two blocks, whose thread t, of all the g-th, does something in each turn k with a
    and b, of 256 ints each, and with the block's words. Where a request goes is looked up once, and
    kept by the instruction: a place that was right before is not taken for right afterwards."""
    body = f"int t = i, g = blockIdx.x * 64 + t;\n    {front}\n    " \
           f"for (int k = 0; k < {turns}; k++)\n        {does}"
    return body, "<<<2, 64, 256>>>", title, does if title else None, None


BOUNDS, RACE = "out of bounds in global memory", "race in global memory"

# Name: what one block does, how it is launched, and what is told: its title, its line, how often.
# A launch in five blocks tells of each.
CASES = {
    "eight bytes across the end of dynamic shared memory": (
        "if (i == 0)\n        d[7] = 1;", "<<<5, 64, 60>>>", "out of bounds in shared memory",
        "d[7] = 1;", 5),
    "eight bytes at the end of dynamic shared memory": (
        "if (i == 0)\n        d[7] = 1;", "<<<5, 64, 64>>>", None, None, 0),
    "eight bytes across the end of an array": (
        "if (i == 0)\n        *(double *)&s[14] = 1;", "<<<5, 64>>>",
        "out of bounds in shared memory", "*(double *)&s[14] = 1;", 5),
    "eight bytes at the end of an array": (
        "if (i == 0)\n        *(double *)&s[12] = 1;", "<<<5, 64>>>", None, None, 0),
    "an index in front of an array": (
        "if (i == 0)\n        s[i - 1] = 1;", "<<<5, 64>>>",
        "out of bounds in shared memory", "s[i - 1] = 1;", 5),
    "four bytes across the end of global memory": (
        "if (i == 0)\n        *(int *)((char *)out + 4 * 64 * 5 - 2) = 1;", "<<<1, 64>>>",
        "out of bounds in global memory", "*(int *)((char *)out + 4 * 64 * 5 - 2) = 1;", 1),
    "the last two bytes of global memory": (
        "if (i == 0)\n        *(short *)((char *)out + 4 * 64 * 5 - 2) = 1;", "<<<1, 64>>>", None,
        None, 0),
    "a reader of another warp, before two of the writer's": (
        "if (i == 0)\n        s[0] = 1;\n    __syncthreads();\n"
        "    int sum = i == 32 || i < 2 ? s[0] : 0;\n    __syncwarp();\n"
        "    if (i == 0)\n        s[0] = 2;\n    out[i] = sum;", "<<<1, 64>>>",
        "race in shared memory", "s[0] = 2;", 1),
    "a thread of a block of three dimensions": (
        "if (threadIdx.y == 1 && threadIdx.z == 2 && blockIdx.y == 2 && blockIdx.z == 1 && i == 1)\n"
        "        out[5 * 64] = 1;", "<<<dim3(1, 3, 2), dim3(4, 2, 3), 64>>>",
        "out of bounds in global memory", "      thread (1,1,2) of block (0,2,1) writes 4 bytes\n", 1),
    "a host pointer": (
        "if (i == 0)\n        out[0] = *host;", "<<<1, 64>>>", "host pointer in a kernel",
        "It lies in of_the_host, a host variable.\n", 1),
    "a launch that fails": ("", "<<<1, 2048>>>", "error nobody looked at", "<<<1, 2048>>>", 1),
    "a byte of a word whose other byte was written": reads(
        "bytes[4 * i] = 1;", "out[i] = bytes[4 * i + 1];", 64),
    "a word of which a byte is missing": reads(
        "bytes[4 * i] = bytes[4 * i + 1] = bytes[4 * i + 3] = 1;", "out[i] = w[i];", 64),
    "a half of a word whose other half was written": reads(
        "h[2 * i + 1] = 1;", "out[i] = h[2 * i];", 64),
    "four words of which the last is missing": reads(
        "if (i % 4 < 3) w[i] = 1;", "if (i < 16) out[i] = v[i].w + v[i].x;", 16),
    "eight bytes of which one was written": reads(
        "if (i < 32) bytes[8 * i] = 1;", "if (i < 32) out[i] = (int)d[i];", 0),
    "an atomic on a word of which a half was written": reads(
        "h[2 * i] = 1;", "out[i] = atomicAdd(&w[i], 1);", 64),
    "a word written behind the read": reads(
        "", "out[i] = w[i]; w[i] = 1;", 64),
    "bytes written by four threads": reads(
        "for (int k = 0; k < 4; k++) bytes[4 * ((i + 17 * k) % 64) + k] = 1;", "out[i] = w[i];", 0),
    "an atomic, the only one to read what nobody wrote": reads(
        "", "out[i] = atomicAdd(&w[i], 1);\n    __syncthreads(); out[i] = w[63 - i];", 64),
    "an exchange, whose result nobody need look at": reads(
        "", "out[i] = atomicExch(&w[i], 1);\n    __syncthreads(); out[i] = w[63 - i];", 0),
    "the last turn leaves the array": lanes(4, "atomicExch(&a[k * 43 + g], 1);", BOUNDS),
    "one lane leaves dynamic shared memory": lanes(
        4, "atomicExch(&w[k == 3 && t == 5 ? 70 : t], k);", "out of bounds in shared memory"),
    "one lane in front of the array": lanes(4, "a[k == 3 && g == 40 ? -1 : g] = k;", BOUNDS),
    "of lanes in two arrays one leaves": lanes(
        2, "(t % 2 ? a : b)[k && g == 5 ? 300 : g] = k;", BOUNDS),
    "lanes in two arrays race": lanes(2, "(t % 2 ? a : b)[t] = g;", RACE),
    "lanes of two spaces": lanes(2, "(t % 2 ? a + g : w + t)[0] += k;", None, front="w[t] = 1;"),
    "lanes of two spaces race": lanes(2, "(t % 2 ? a + t : w + t)[0] = g;", RACE),
    "a variable and an array": lanes(2, "atomicAdd(t % 2 ? a + t : &total, 1);", None),
}

KERNEL = """
__global__ void k%d(int *out, int *a, int *b, const int *host)
{
    extern __shared__ double d[];
    __shared__ __align__(8) int s[15];
    int i = threadIdx.x, *w = (int *)d; // the block's words, bytes, halves, and four words at a time
    char *bytes = (char *)d;
    short *h = (short *)d;
    int4 *v = (int4 *)d;

    %s
    if (!host) /* never, but the compiler must keep what is stored */
        out[i] = s[i %% 15] + (int)d[i] + a[i] + b[i];
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """All cases in one program; its arguments are those to run, one launch after the other."""
    kernels = "".join(KERNEL % (k, body) for k, (body, *_) in enumerate(CASES.values()))
    calls = "".join(f"        case {k}: k{k}{launch}(out, a, b, host); break;\n"
                    for k, (_, launch, *_) in enumerate(CASES.values()))
    return simtcc(f"""
#include <cstdlib>
#include <mutex> // structures of others, of 4 and 16 bytes, which are not the program's
namespace other {{ int of_the_host[4]; }}
__device__ int total;
{kernels}
int main(int, char **argv)
{{
    int *out, *a, *b, *host = other::of_the_host;
    if (cudaMalloc(&out, 4 * 64 * 5) || cudaMalloc(&a, 1024) || cudaMemset(a, 0, 1024) ||
        cudaMalloc(&b, 1024) || cudaMemset(b, 0, 1024))
        return 1;
    for (int k = 1; argv[k]; k++)
        switch (atoi(argv[k])) {{
{calls}        }}
    return 0;
}}
""", tmp_path_factory.mktemp("findings") / "kernel.cu", "-Wno-array-bounds", "-Wno-strict-aliasing",
                  "-Wno-unused-variable")


def number(name):
    return list(CASES).index(name)


def told(done):
    """Title and how often of each finding, and all their text."""
    return [(title, int(times or 1)) for title, times in re.findall(
        r"^simt: ([^,\n]*)(?:, kernel \w+)?(?:, (\d+) times)?$", done.stderr, re.MULTILINE)]


@pytest.mark.parametrize("name", CASES)
def test_told(program, name):
    """As what it is, where it is, and in every block."""
    _, _, title, line, times = CASES[name]
    done = run(program, number(name))
    if title is None:
        assert (done.returncode, done.stderr) == (0, "")
        return
    ((found, count),) = told(done)
    assert done.returncode == 4 and found.startswith(title) and line in done.stderr
    assert times in (None, count), done.stderr


def test_every_launch(program):
    """What one launch did wrong hides nothing that comes behind it; in their order."""
    wrong = [name for name, (_, _, title, *_) in CASES.items() if title is not None]
    done = run(program, *map(number, reversed(wrong)))
    assert done.returncode == 4 and len(told(done)) == len(wrong)
    for name in wrong:
        assert CASES[name][3] in done.stderr
    launches = list(map(int, re.findall(r"      launch (\d+), ", done.stderr)))
    assert len(launches) >= len(wrong) - 1 and launches == sorted(launches)


@pytest.mark.parametrize("counters", ["off", "csv"])
def test_checks_off(program, counters):
    """Whether anything is counted or not."""
    done = run(program, *range(len(CASES)), env={"SIMT_CHECKS": "off", "SIMT_COUNTERS": counters})
    assert done.returncode == 0 and told(done) == [] and "simt:" not in done.stderr
