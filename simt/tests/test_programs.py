"""Programs (simt/tests/programs) that look at their own results, and print what is not as it must
be: what kernels and CUDA's calls do. Which error each wrong call gives is in test_errors.py;
streams and what waits are in twins/async.cu."""

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
struct large { char bytes[SIZE]; };
__global__ void last(large p, char *out) { out[threadIdx.x] = p.bytes[SIZE - 1 - threadIdx.x]; }
__global__ void array(char *out)
{
    char bytes[200 * 1024];
    for (int i = 0; i < (int)sizeof bytes; i += 1024)
        bytes[i] = i / 1024;
    out[threadIdx.x] = bytes[1024 * (int)threadIdx.x];
}
int main()
{
    static large p;
    char *out, h[64];
    p.bytes[SIZE - 3] = 7;
    if (cudaMalloc(&out, 64) != cudaSuccess)
        return 1;
    array<<<1, 64>>>(out);
    if (cudaMemcpy(h, out, 64, cudaMemcpyDeviceToHost) != cudaSuccess || h[63] != 63)
        return 2;
    last<<<1, 64>>>(p, out);
    return cudaMemcpy(h, out, 64, cudaMemcpyDeviceToHost) != cudaSuccess || h[2] != 7;
}
"""


@pytest.mark.parametrize("size, status, told", [(32756, 0, ""), (
    32757, 2, "kernel last take 32765 bytes; want at most 32764")])
def test_large_parameters_and_local_arrays(tmp_path, size, status, told):
    done = run(simtcc(LARGE.replace("SIZE", str(size)), tmp_path / "large.cu"))
    assert done.returncode == status and told in done.stderr, done.stderr
    assert done.stderr.count("\n") == (1 if told else 0)
