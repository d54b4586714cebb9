"""SIMT_DEVICE, the GPU that is simulated: the properties that a program reads, the number of its blocks
that run at once, and the limits of a launch."""

import pytest

from backend import PRELUDE, ROOT, replay, run, said, simtcc

# The vendor's, in GB/s and of the memory's bandwidth.
DATA_SHEETS = {"h200": 4800, "h100": 3350, "a100": 2039, "rtx4090": 1008, "l4": 300, "t4": 320}


def readme_table():
    """The rows of the table in simt/README.md by the devices' names."""
    rows = (line.strip("| \n").split(" | ") for line in (ROOT / "simt/README.md").open()
            if line.startswith("| `") and line.count("|") == 11)
    return {row[0].strip("`"): row[1:] for row in rows}


DEVICES = readme_table()

PROGRAM = PRELUDE + """
#include <simt.h>

__device__ unsigned begun;

/* All blocks wait until all have begun. */
__global__ void wait_for_all()
{
    if (threadIdx.x == 0) {
        atomicAdd(&begun, 1);
        while (atomicAdd(&begun, 0) < gridDim.x) {
        }
    }
}

__global__ void nothing() {}
template <class T> __global__ void large(T n, size_t) { extern __shared__ int s[]; s[threadIdx.x] = n; }
__global__ void with_array(int *out)
{
    __shared__ int s[8 * 1024];
    s[threadIdx.x] = 1;
    *out = s[threadIdx.x + 1];
}

template <class Kernel> static int resident(Kernel kernel, int threads, size_t shared = 0)
{
    int blocks = -1;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    return blocks;
}

static int attribute(cudaDeviceAttr name)
{
    int value = -1;
    OK(cudaDeviceGetAttribute(&value, name, 0));
    return value;
}

#define SAME(name, member) EXPECT(attribute(cudaDevAttr##name) == (int)p.member)

static void print_device()
{
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    SAME(MaxThreadsPerBlock, maxThreadsPerBlock); SAME(MaxBlockDimX, maxThreadsDim[0]);
    SAME(MaxGridDimX, maxGridSize[0]); SAME(MaxSharedMemoryPerBlock, sharedMemPerBlock);
    SAME(WarpSize, warpSize); SAME(MaxRegistersPerMultiprocessor, regsPerMultiprocessor);
    SAME(MultiProcessorCount, multiProcessorCount); SAME(L2CacheSize, l2CacheSize);
    SAME(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor); SAME(ClockRate, clockRate);
    SAME(ComputeCapabilityMajor, major); SAME(CooperativeLaunch, cooperativeLaunch); EXPECT(p.deviceOverlap && p.computeMode < cudaComputeModeExclusive && !p.isMultiGpuBoard);
    SAME(MemoryClockRate, memoryClockRate); SAME(GlobalMemoryBusWidth, memoryBusWidth); SAME(GpuOverlap, deviceOverlap);
    printf("%s,%d.%d,%d,%d,%d,%zu,%zu,%d,%.0f\\n", p.name, p.major, p.minor, p.multiProcessorCount,
           p.maxThreadsPerMultiProcessor, p.maxBlocksPerMultiProcessor,
           p.sharedMemPerMultiprocessor / 1024, p.sharedMemPerBlockOptin / 1024,
           p.l2CacheSize / 1024, 2e-6 * p.memoryClockRate * (p.memoryBusWidth / 8));
}

static void print_occupancy()
{
    int grid, block;
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing));
    printf("%d %d %d %d %d,", resident(nothing, 1), resident(nothing, 256), resident(nothing, 1024),
           resident(nothing, 32, 40 * 1024), resident(nothing, 32, 54851));
    printf("%d %d,%d of %d\\n", resident(with_array, 32), resident(with_array, 256, 8 * 1024), grid,
           block);
}

static cudaError_t launch_large(int bytes)
{
    cudaError_t error = cudaFuncSetAttribute(
        large<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error == cudaSuccess)
        large<<<1, 32, bytes>>>(1, 2); /* its function is not known before it runs */
    return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

int main(int argc, char **argv)
{
    int number = argc > 2 ? atoi(argv[2]) : 0;
    if (!strcmp(argv[1], "device"))
        print_device();
    else if (!strcmp(argv[1], "occupancy"))
        print_occupancy();
    else if (!strcmp(argv[1], "large"))
        printf("%s\\n", cudaGetErrorName(launch_large(number * 1024)));
    else if (!strcmp(argv[1], "cooperative"))
        printf("%s\\n", cudaGetErrorName(
            cudaLaunchCooperativeKernel(nothing, number, 128, NULL)));
    else
        wait_for_all<<<number, atoi(argv[3])>>>();
    OK(cudaDeviceSynchronize());
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return simtcc(PROGRAM, tmp_path_factory.mktemp("device") / "device.cu", "-Isimt/include")


def on(program, device, *arguments):
    """The program's output on such a device."""
    return said(run(program, *arguments, env={"SIMT_DEVICE": device})).strip()


@pytest.mark.parametrize("device", DEVICES)
def test_facts(program, device):
    """A program reads the properties that the README lists; the bandwidth is the data sheet's."""
    gpu, *figures = DEVICES[device]
    *found, gb_per_s = on(program, device, "device").split(",")
    assert found == ["CPU backend" + (f" ({gpu})" if gpu != "none" else ""), *figures[:-1]]
    assert gb_per_s == figures[-1].replace("–", "0")
    assert float(gb_per_s) == pytest.approx(DATA_SHEETS.get(device, 0), rel=0.005)


def test_name(program):
    usual = on(program, "small", "device")
    assert on(program, "", "device") == usual == run(program, "device").stdout.strip()
    assert on(program, "H200", "device") == on(program, "h200", "device") != usual


# occupancy: blocks of nothing of 1, 256, 1024 threads, and of 32 with 40 KiB, and with what is
# handed out in 128 bytes and not in 256 if an A100 is to hold three; of a kernel with 32 KiB of its
# own of 32 threads, and of 256 with 8 KiB more; how many of how many threads keep all busy. large:
# so many KiB of dynamic shared memory. cooperative: so many blocks at once. wait: so many blocks of
# so many threads, which all wait for each other
def test_golden_calls(program):
    def call(typed):
        device, _, words = typed.partition(": ")
        return run(program, *words.split(), env={
            "SIMT_DEVICE": device, "SIMT_CHECKS": "off" if "cooperative" in words else "on"})

    replay("devices.csv", call)
