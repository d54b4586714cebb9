"""The room of the backend that runs kernels needs nobody who watches: a program linked with its
objects alone."""

from harness import ROOT, run, said

KERNELS = """
#include <cstdio>

__global__ void add(int *total)
{
    __shared__ int sums[8];
    int sum = threadIdx.x;
    for (int delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(total, sums[threadIdx.x]);
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
    int *total;
    cudaMallocManaged(&total, sizeof *total);
    *total = 0;
    add<<<40, 256>>>(total);
    cudaDeviceSynchronize();
    printf("%d\\n", *total);
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
    said(run(ROOT / "simt/simtcc", tmp_path / "kernels.cu", "-o", tmp_path / "kernels",
             env={"SIMT_LIBRARY": str(tmp_path / "libsimt.a"), "SIMTCC_HOOKS": "off",
                  "SIMTCC_TOOLS_READY": "1"}))
    total = 40 * sum(range(256))
    assert said(run(tmp_path / "kernels")) == f"{total}\n"
    done = run(tmp_path / "kernels", "deadlock")
    assert (done.returncode, done.stdout) == (4, f"{total}\n")
    line = KERNELS[:KERNELS.index("never<<<")].count("\n") + 1
    assert done.stderr.startswith("simt: kernel never, launched at ")
    assert done.stderr.endswith(f"kernels.cu:{line}, cannot go on\n")
    assert done.stderr.count("\n") == 1
