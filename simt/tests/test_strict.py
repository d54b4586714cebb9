"""simtcc --strict: races that hide behind loads which the optimiser removes; for the checks alone."""

import re

import pytest

from backend import assert_refused, run, simtcc

# Each race is a load that nobody needs: without it, and with it after a barrier, nothing is wrong.
SOURCE = """
#include <stdio.h>
#include <stdlib.h>
enum { N = 96 };

/* the condition decides nothing */
__global__ void dead(double *out, bool fixed)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    s[t] = t;
    if (fixed)
        __syncthreads();
    if (s[(t + 1) % N] > N) {
    }
    out[t] = t;
}

/* the first value is overwritten */
__global__ void overwritten(double *out, bool fixed)
{
    __shared__ double s[N];
    int t = threadIdx.x;
    s[t] = t;
    if (fixed)
        __syncthreads();
    double x = s[N - 1 - t];
    __syncthreads();
    x = s[N - 1 - t];
    out[t] = x;
}

/* of which no bit is left */
__global__ void masked(double *out, bool fixed)
{
    int t = threadIdx.x, *ints = (int *)out;
    ints[t] = t;
    if (fixed)
        __syncthreads();
    int x = ints[(t + 32) % N];
    x &= 0;
    if (fixed)
        __syncthreads();
    ints[t] += x;
}

int main(int argc, char **argv)
{
    void (*kernels[])(double *, bool) = {dead, overwritten, masked};
    double *p;
    cudaError_t error = cudaMalloc(&p, N * sizeof(double));
    kernels[atoi(argv[1])]<<<1, N>>>(p, argc > 2);
    puts("ran");
    return error;
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The program as it is compiled by default, and with --strict."""
    folder = tmp_path_factory.mktemp("strict")
    return [simtcc(SOURCE, folder / name / "loads.cu", "-Wno-unused-but-set-variable", *options)
            for name, options in [("default", []), ("strict", ["--strict"])]]


@pytest.mark.parametrize("case, memory", enumerate(["shared", "shared", "global"]))
@pytest.mark.parametrize("order", ["0", "7"])
def test_a_load_that_nobody_needs(programs, case, memory, order):
    """--strict finds its race, the default cannot; both leave the twin in peace."""
    default, strict = programs
    done = run(strict, case, env={"SIMT_ORDER": order})
    assert done.returncode == 4, done.stderr
    assert re.findall("^simt: ([^,]*)", done.stderr, re.MULTILINE) == [f"race in {memory} memory"]
    for program, *arguments in [(default, case), (default, case, "fixed"), (strict, case, "fixed")]:
        done = run(program, *arguments, env={"SIMT_ORDER": order, "SIMT_COUNTERS": "off"})
        assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n", "")


@pytest.mark.parametrize("setting", ["SIMT_COUNTERS=table", "SIMT_COUNTERS=csv",
                                     "SIMT_COUNTERS=annotate", "SIMT_TRACE=trace.csv"])
def test_neither_counters_nor_trace(programs, setting, tmp_path):
    """One line says so, before anything runs."""
    done = run(programs[1], 0, "fixed", env=dict([setting.split("=")]), cwd=tmp_path)
    assert_refused(done, 2, setting, "--strict", "compile it without")
    assert not list(tmp_path.iterdir())
