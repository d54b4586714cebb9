"""SIMT_DEVICE: the GPU that is simulated. What a program is told of it, how many of its blocks it
holds at once, and what a launch may ask for."""

import re

import pytest

from harness import PRELUDE, ROOT, build_programs, csv_row, run, simtcc

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
__global__ void large() { extern __shared__ int s[]; s[threadIdx.x] = 1; }
__global__ void with_array(int *out)
{
    __shared__ int s[8 * 1024];
    s[threadIdx.x] = 1;
    *out = s[threadIdx.x];
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
    SAME(MaxThreadsPerBlock, maxThreadsPerBlock);
    SAME(MaxBlockDimX, maxThreadsDim[0]);
    SAME(MaxGridDimX, maxGridSize[0]);
    SAME(MaxSharedMemoryPerBlock, sharedMemPerBlock);
    SAME(WarpSize, warpSize);
    SAME(MaxRegistersPerMultiprocessor, regsPerMultiprocessor);
    SAME(MultiProcessorCount, multiProcessorCount);
    SAME(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor);
    SAME(L2CacheSize, l2CacheSize);
    SAME(ComputeCapabilityMajor, major);
    SAME(ClockRate, clockRate);
    SAME(MemoryClockRate, memoryClockRate);
    SAME(GlobalMemoryBusWidth, memoryBusWidth);
    SAME(CooperativeLaunch, cooperativeLaunch);
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

static void launch_large(size_t kib)
{
    cudaError_t error = cudaFuncSetAttribute(
        large, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(kib * 1024));
    if (error == cudaSuccess) {
        large<<<1, 32, kib * 1024>>>();
        error = cudaDeviceSynchronize();
    }
    printf("%s\\n", cudaGetErrorName(error));
}

template <class Kernel> static void launch_cooperative(Kernel kernel, int blocks)
{
    cudaError_t error = cudaLaunchCooperativeKernel(kernel, blocks, 128, NULL);
    printf("%s\\n", cudaGetErrorName(error));
}

int main(int argc, char **argv)
{
    int number = argc > 2 ? atoi(argv[2]) : 0;
    if (!strcmp(argv[1], "device"))
        print_device();
    else if (!strcmp(argv[1], "occupancy"))
        print_occupancy();
    else if (!strcmp(argv[1], "large"))
        launch_large(number);
    else if (!strcmp(argv[1], "cooperative")) {
        launch_cooperative(nothing, number);
    } else
        wait_for_all<<<number, atoi(argv[3])>>>();
    OK(cudaDeviceSynchronize());
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return simtcc(PROGRAM, tmp_path_factory.mktemp("device") / "device.cu", "-Isimt/include")


def said(program, device, *arguments):
    done = run(program, *arguments, env={"SIMT_DEVICE": device})
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("device", DEVICES)
def test_facts(program, device):
    """What a program is told is what the README says; the bandwidth is the data sheet's."""
    gpu, *figures = DEVICES[device]
    *found, gb_per_s = said(program, device, "device").split(",")
    assert found == ["CPU backend" + (f" ({gpu})" if gpu != "none" else ""), *figures[:-1]]
    assert gb_per_s == figures[-1].replace("–", "0")
    assert float(gb_per_s) == pytest.approx(DATA_SHEETS.get(device, 0), rel=0.005)


def test_room_for_every_device():
    """Arrays have the size of the largest."""
    text = (ROOT / "simt/run/facts.h").read_text()
    shared = int(re.search(r"DEVICE_MOST_SHARED = (\d+) \* 1024,", text)[1])
    processors, blocks = map(int, re.search(r"DEVICE_MOST_BLOCKS = (\d+) \* (\d+) ", text).groups())
    for figures in DEVICES.values():
        assert int(figures[6]) <= shared
        assert int(figures[2]) * int(figures[4]) <= processors * blocks


def test_name(program):
    usual = said(program, "small", "device")
    assert said(program, "", "device") == usual == run(program, "device").stdout.strip()
    assert said(program, "H200", "device") == said(program, "h200", "device") != usual
    done = run(program, "device", env={"SIMT_DEVICE": "h20"})
    *others, last = DEVICES
    assert (done.returncode, done.stdout, done.stderr) == (
        2, "", f"simt: SIMT_DEVICE=h20: want {', '.join(others)} or {last}\n")


# blocks of nothing of 1, 256, 1024 threads, and of 32 with 40 KiB, and with what is handed out in
# 128 bytes and not in 256 if an A100 is to hold three; of a kernel with 32 KiB of its own of 32
# threads, and of 256 with 8 KiB more; how many of how many threads keep all busy
@pytest.mark.parametrize("device, blocks", [
    ("small", "32 8 2 2 1,3 2,32 of 1024"),
    ("h200", "32 8 2 5 4,6 5,264 of 1024"),
    ("a100", "32 8 2 4 3,4 4,216 of 1024"),
    ("l4", "24 6 1 2 1,3 2,116 of 768"),
    ("t4", "16 4 1 1 1,2 1,40 of 1024")])
def test_occupancy(program, device, blocks):
    assert said(program, device, "occupancy") == blocks


@pytest.mark.parametrize("device, most", [("small", 96), ("h200", 227), ("t4", 64)])
def test_dynamic_shared_memory(program, device, most):
    assert said(program, device, "large", most) == "cudaSuccess"
    assert said(program, device, "large", most + 1) == "cudaErrorInvalidValue"


@pytest.mark.parametrize("device, blocks, fit", [
    ("small", 256, True), ("small", 257, False), ("t4", 320, True), ("h200", 2112, True),
    ("h200", 2113, False)])
def test_cooperative_launch(program, device, blocks, fit):
    """At most as many blocks as fit."""
    done = run(program, "cooperative", blocks, env={"SIMT_DEVICE": device, "SIMT_CHECKS": "off"})
    assert done.stdout.strip() == (
        "cudaSuccess" if fit else "cudaErrorCooperativeLaunchTooLarge")


@pytest.mark.parametrize("device, blocks, threads", [
    ("small", 32, 1024), ("t4", 40, 1024), ("h200", 130, 256),
    pytest.param("h200", 1056, 32, marks=pytest.mark.slow)])
def test_grid_that_waits_for_itself(program, device, blocks, threads):
    assert said(program, device, "wait", blocks, threads) == ""


def test_grid_that_is_too_large(program):
    done = run(program, "wait", 41, 1024, env={"SIMT_DEVICE": "t4"})
    assert done.returncode == 4 and "deadlock of a grid that is too large" in done.stderr
    assert "holds 40 blocks" in done.stderr



# ---- the lab's programs ----

def test_grid_stride():
    """As many blocks as the device runs at once."""
    program = build_programs("grid-stride") / "grid-stride"
    for device, blocks in {"": 128, "h200": 1056, "rtx4090": 768, "t4": 160}.items():
        done = run(program, "-n", 400000, env={"SIMT_DEVICE": device, "SIMT_CHECKS": "off"})
        assert done.returncode == 0 and f"{blocks} x 256" in done.stdout, (device, done.stdout)


def test_report_names_the_device():
    program = build_programs("grid-stride") / "grid-stride"
    done = run(program, "-n", 10, env={"SIMT_DEVICE": "h200"})
    title = done.stdout.splitlines()[0]
    assert title.endswith(" CPU backend (NVIDIA H200)") and len(title) <= 80
    done = run(program, "-n", 10, "--csv", env={"SIMT_DEVICE": "rtx4090"})
    assert csv_row(done)["device"] == "CPU backend (NVIDIA GeForce RTX 4090)"


def test_program_for_newer_devices():
    done = run(build_programs("warp-redux") / "warp-redux", "-n", 10, env={"SIMT_DEVICE": "t4"})
    assert done.returncode == 3
    assert "this CPU backend (NVIDIA T4) has 7.5" in done.stderr
