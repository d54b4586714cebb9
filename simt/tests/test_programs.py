"""Programs (simt/tests/programs) that look at their own results, and print what is not as it must
be: what kernels and CUDA's calls do. Which error each wrong call gives is in test_errors.py;
streams and what waits are in twins/async.cu."""

import re

import pytest

from backend import ENVIRONMENT, ROOT, outcome, run, simtcc

PROGRAMS = sorted((ROOT / "simt/tests/programs").glob("*.cu"))
# C23's functions that CUDA has, too: what a C library has not yet, the next may have.
C23 = "".join(f'extern "C" {type} {name}{suffix}({type}) noexcept;\n' for name in (
    "exp10", "rsqrt", "sinpi", "cospi") for type, suffix in (("double", ""), ("float", "f")))


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_program(tmp_path, file):
    assert outcome(file.read_text(), tmp_path) == ""


def test_a_c_library_with_more_functions(tmp_path, monkeypatch):
    (tmp_path / "c23.h").write_text(C23)
    (tmp_path / "cxx").write_text(f'#!/bin/sh\nexec g++ -include {tmp_path}/c23.h "$@"\n')
    (tmp_path / "cxx").chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "CXX", str(tmp_path / "cxx"))
    assert outcome((ROOT / "simt/tests/programs/arithmetic.cu").read_text(), tmp_path) == ""


def test_printf(tmp_path):
    """Of every thread, in one piece each, behind what the host printed before."""
    lines = outcome("""
__global__ void hello(float x)
{
    printf("block %u thread %u of %u: %.2f %s\\n", blockIdx.x, threadIdx.x, blockDim.x, x, "100 %");
}

int main()
{
    puts("before");
    hello<<<3, 4>>>(1.5f);
    cudaDeviceSynchronize();
    puts("after");
}
""", tmp_path).splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert sorted(lines[1:-1]) == [f"block {block} thread {thread} of 4: 1.50 100 %"
                                   for block in range(3) for thread in range(4)]


LARGE = """
#include <cstdlib>
struct large { char bytes[BYTES]; };
__global__ void last(large p, char *out) { out[threadIdx.x] = p.bytes[BYTES - 1 - threadIdx.x]; }
template <int size> __global__ void local(int at)
{
    volatile char bytes[size];
    at = at < 0 ? (int)threadIdx.x : at;
    bytes[at] = 0;
    if (bytes[at])
        __trap();
}
__global__ void array(char *out)
{
    char bytes[500 * 1024];
    for (int i = 0; i < (int)sizeof bytes; i += 1024)
        bytes[i] = i / 1024;
    out[threadIdx.x] = bytes[1024 * (int)threadIdx.x];
}
int main(int, char **argv)
{
    static large p;
    char *out, h[64];
    p.bytes[BYTES - 3] = 7;
    if (cudaMalloc(&out, 64) != cudaSuccess)
        return 1;
    switch (atoi(argv[1])) {
    case 0: last<<<1, 64>>>(p, out); break;
    case 1: array<<<1, 64>>>(out); break;
    case 2: local<580000><<<1, 64>>>(0); break;
    case 3: local<3000000><<<1, 64>>>(-1); break;
    case 4: local<1000000><<<1, 64>>>(999999); break;
    }
    int want = argv[1][0] == '0' ? 7 : 2;
    return cudaMemcpy(h, out, 64, cudaMemcpyDeviceToHost) != cudaSuccess || h[2] != want;
}
"""


@pytest.mark.parametrize("bytes_, status, told", [
    (32756, 0, ""), (32757, 2, "kernel last take 32765 bytes; want at most 32764")])
def test_large(tmp_path, bytes_, status, told):
    """Parameters; and local arrays, wherever in them the kernel writes."""
    program = simtcc(LARGE.replace("BYTES", str(bytes_)), tmp_path / "large.cu")
    done = run(program, 0)
    assert done.returncode == status and told in done.stderr, done.stderr
    assert done.stderr.count("\n") == (1 if told else 0)
    done = run(program, 1)
    assert (done.returncode, done.stderr) == (0, "")
    for case in 2, 3, 4:
        done = run(program, case)
        assert done.returncode == 5
        assert done.stderr.startswith("simt: not judged to the end: kernel local<")
        assert " needs more than the 512 KiB that a thread has for its local" in done.stderr


def test_assert_on_the_host(tmp_path):
    """As the C library has it."""
    done = run(simtcc("#include <cassert>\nint main(int n, char **) { assert(n > 1); }\n",
                      tmp_path / "host.cu"))
    assert done.returncode == -6 and (
        "host.cu:2: int main(int, char**): Assertion `n > 1' failed.") in done.stderr


def test_bench(simt):
    """The table of costs: times and ratios, all above 0, in 80 columns."""
    done = run(ROOT / "simt/bench.sh", "an access", env={"SIMTCC_TOOLS_READY": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    head, row = done.stdout.splitlines()
    assert max(len(head), len(row)) <= 80
    figures = [float(x) for x in re.findall(r"[\d.-]+(?=x?(?: |$))", row)]
    assert len(figures) == 9 and min(figures) > 0
