"""The room of the backend that runs kernels needs nobody who watches: a program linked with its
objects alone."""

from harness import ROOT, run

KERNELS = """
#include <cstdio>

__global__ void add(const int *in, int *total, int n)
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
    if (tid < 8)
        atomicAdd(total, sums[tid]);
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
    int *in, n = 100000;
    cudaMallocManaged(&in, n * sizeof *in);
    for (int i = 0; i < n; i++)
        in[i] = i % 7;
    add<<<40, 256>>>(in + 1, in, n - 1);
    cudaDeviceSynchronize();
    printf("%d\\n", in[0]);
    if (argc > 1) {
        never<<<1, 2>>>();
        puts("not reached");
    }
}
"""


def test_run_alone(tmp_path):
    """It runs, and says why it ends."""
    objects = [ROOT / f"build/simt/run/{source.name}.o"
               for source in sorted((ROOT / "simt/run").glob("*.[cS]"))]
    assert len(objects) > 10
    for guard in ROOT.glob("build/simt/guard_*.o"):
        (tmp_path / guard.name).symlink_to(guard)
    assert run("ar", "rcs", tmp_path / "libsimt.a", *objects).returncode == 0
    (tmp_path / "kernels.cu").write_text(KERNELS)
    done = run(ROOT / "simt/simtcc", tmp_path / "kernels.cu", "-o", tmp_path / "kernels",
               env={"SIMT_LIBRARY": str(tmp_path / "libsimt.a"), "SIMTCC_HOOKS": "off",
                    "SIMTCC_TOOLS_READY": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    done, total = run(tmp_path / "kernels"), sum(i % 7 for i in range(100000))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{total}\n", "")
    done = run(tmp_path / "kernels", "deadlock")
    assert (done.returncode, done.stdout) == (4, f"{total}\n")
    line = KERNELS[:KERNELS.index("never<<<")].count("\n") + 1
    assert done.stderr.startswith("simt: kernel never, launched at ")
    assert done.stderr.endswith(f"kernels.cu:{line}, cannot go on\n")
    assert done.stderr.count("\n") == 1
