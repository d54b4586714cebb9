"""Programs (simt/tests/programs) that look at their own results, and print what is not as it must
be: what kernels and CUDA's calls do. Which error each wrong call gives is in test_errors.py;
streams and what waits are in twins/async.cu."""

import re

import pytest

from backend import ENVIRONMENT, PRELUDE, READY, ROOT, outcome, run, said, script, simtcc

FOLDER = ROOT / "simt/tests/programs"
PROGRAMS = [file for file in sorted(FOLDER.glob("*.cu")) if file.stem not in ("intrinsics", "warps")]
# C23's functions that CUDA has, too: what a C library has not yet, the next may have.
C23 = "".join(f'extern "C" {type} {name}{suffix}({type}) noexcept;\n' for name in (
    "exp10", "rsqrt", "sinpi", "cospi") for type, suffix in (("double", ""), ("float", "f")))


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_program(tmp_path, file):
    """Variables that begin as zeros take no room in the file."""
    assert outcome(file.read_text(), tmp_path) == ""
    assert (tmp_path / "kernel").stat().st_size < 2**21


def test_a_c_library_with_more_functions(tmp_path, monkeypatch):
    (tmp_path / "c23.h").write_text(C23)
    cxx = script(tmp_path / "cxx", f'exec g++ -include {tmp_path}/c23.h "$@"')
    monkeypatch.setitem(ENVIRONMENT, "CXX", str(cxx))
    assert outcome((FOLDER / "intrinsics.cu").read_text(), tmp_path) == ""


def test_printf(tmp_path):
    """Each thread's text is in one piece, behind the host's earlier output. Another order of the blocks
    shows in the output."""
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
    others = run(tmp_path / "kernel", env={"SIMT_ORDER": "1"}).stdout.splitlines()
    assert sorted(others) == sorted(lines)
    assert [line[:7] for line in others] != [line[:7] for line in lines]


def test_warp_operations(tmp_path):
    """A lane that waits for ever is told the operation's name."""
    program = simtcc(PRELUDE + (FOLDER / "warps.cu").read_text(), tmp_path / "x.cu")
    for env in {}, {"SIMT_CHECKS": "off"}:
        done = run(program, env=env)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    names = ["a shuffle"] * 4 + ["a vote"] * 3 + ["a match"] * 2 + ["a reduction"] * 9
    for number, name in enumerate(names):
        done = run(program, number)
        assert done.returncode == 4
        told = re.sub(r"\n +", " ", done.stderr)  # sentences are wrapped
        assert f"1 thread waits at {name}, mask 0xffffffff (" in told, done.stderr


@pytest.mark.parametrize("asked, expected", [("", "7 1"), ("#ifdef __CUDA_ARCH__\n#endif\n", "0 0")])
def test_code_of_some_gpus(tmp_path, asked, expected):
    """A source that compares __CUDA_ARCH__ is compiled for the newest device. One that also asks whether
    it is defined may have other code for the host there, so it is not defined."""
    (tmp_path / "old.h").write_text("""#if __CUDA_ARCH__ < 600 // the book's repair for old GPUs
__device__ void add(double *, double) { }
#else
__device__ void add(double *p, double x) { atomicAdd(p, x); }
#endif
""")
    done = run(simtcc(asked + """
#if UNKNOWN // no warning of this one
#endif
#include "old.h"
__device__ int seven;
__device__ double sum;
__global__ void k()
{
#if __CUDA_ARCH__ >= 700
    seven = 7;
#endif
    add(&sum, 1);
}
int main()
{
    int i;
    double d;
    k<<<1, 1>>>();
    cudaMemcpyFromSymbol(&i, seven, sizeof i);
    cudaMemcpyFromSymbol(&d, sum, sizeof d);
    printf("%d %g", i, d);
}
""", tmp_path / "x.cu"))
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


def test_bench(simt):
    """The table of costs: times and ratios, all above 0, in 80 columns."""
    done = run(ROOT / "simt/bench.sh", "an access", env=READY)
    assert (done.returncode, done.stderr) == (0, "")
    head, row = done.stdout.splitlines()
    assert max(len(head), len(row)) <= 80
    figures = [float(x) for x in re.findall(r"[\d.-]+(?=x?(?: |$))", row)]
    assert len(figures) == 9 and min(figures) > 0
