"""The room of the backend that runs kernels needs nobody who watches: a program linked with its
objects alone."""

import pytest

from harness import ROOT, run

KERNELS = """
#include <cstdio>
__device__ int total;

__global__ void add(const int *in, int n)
{
    __shared__ int sums[8];
    unsigned tid = threadIdx.x;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        sums[tid / 32] = sum;
    __syncthreads();
    if (tid == 0) {
        for (int i = 1; i < 8; i++)
            sum += sums[i];
        atomicAdd(&total, sum);
    }
}

__global__ void never(void)
{
    if (threadIdx.x == 0)
        __syncwarp(3);
    else
        __syncthreads();
}

int main(int argc, char **)
{
    int *in, sum, n = 100000;
    cudaMallocManaged(&in, n * sizeof *in);
    for (int i = 0; i < n; i++)
        in[i] = i % 7;
    add<<<40, 256>>>(in, n);
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    printf("%d\\n", sum);
    if (argc > 1) {
        never<<<1, 2>>>();
        puts("not reached");
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    objects = [ROOT / f"build/simt/run/{source.name}.o"
               for source in sorted((ROOT / "simt/run").glob("*.[cS]"))]
    assert len(objects) > 10
    for guard in ROOT.glob("build/simt/guard_*.o"):
        (folder / guard.name).symlink_to(guard)
    assert run("ar", "rcs", folder / "libsimt.a", *objects).returncode == 0
    (folder / "kernels.cu").write_text(KERNELS)
    done = run(ROOT / "simt/simtcc", folder / "kernels.cu", "-o", folder / "kernels",
               env={"SIMT_LIBRARY": str(folder / "libsimt.a"), "SIMTCC_HOOKS": "off",
                    "SIMTCC_TOOLS_READY": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "kernels"


def test_run_alone(alone):
    done = run(alone)
    total = sum(i % 7 for i in range(100000))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{total}\n", "")


def test_run_alone_says_why_it_ends(alone):
    done = run(alone, "deadlock")
    assert done.returncode == 4 and done.stdout.count("\n") == 1
    line = KERNELS[:KERNELS.index("never<<<")].count("\n") + 1
    assert done.stderr.startswith("simt: kernel never, launched at ")
    assert done.stderr.endswith(f"kernels.cu:{line}, cannot go on\n")
    assert done.stderr.count("\n") == 1
