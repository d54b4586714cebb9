"""Lanes of a warp that go from step to step (simt/run/step.h) are counted and judged as those that
each write a log, which all do in a shuffled order."""

import pytest

from conftest import run, simtcc

PROGRAM = """
#include <cstdio>
struct wide { int value[7]; };
__device__ int last(int x) { return x * 3; }
__device__ int inner(int *p, int x) { *p += x; return last(*p); }
__device__ int outer(int *p, int x) { return x % 2 ? inner(p, x) : inner(p + 1, x + 1); }
__device__ int deep(int *p, int n) { return n == 0 ? *p : deep(p, n - 1) + n; }

__global__ void kernel(int shape, int *data, wide *wides, int n)
{
    __shared__ int s[256];
    __shared__ float4 f[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum = 0;

    s[t] = data[i];
    __syncthreads();
    switch (shape) {
    case 0: /* forks within warps, and barriers behind them */
        for (int d = 1; d < blockDim.x; d *= 2) {
            if (t % (2 * d) == 0 && t + d < blockDim.x)
                s[t] += s[t + d];
            __syncthreads();
        }
        break;
    case 1: /* loops of other lengths, some longer than a log */
        for (int k = 0; k < t % 7 * n; k++)
            sum += s[(t * k) % blockDim.x] + (k % 3 == 0 ? data[i] : 0);
        break;
    case 2: /* calls, by two ways, of several depths */
        for (int k = 0; k < 3; k++)
            sum += outer(&data[2 * i], t + k) + (t % 5 == k ? deep(&s[t], k + 2) : 0);
        break;
    case 3: /* structures, wide stores, atomics, with and without compare-and-swap */
        wides[i] = wides[(i + 1) % (gridDim.x * blockDim.x) / 2 + gridDim.x * blockDim.x];
        if (t < 32)
            f[t] = make_float4(t, 1, 2, 3);
        atomicAdd(&data[i % 3], t % 4);
        if (t % 8 == 3)
            atomicCAS(&data[3], t, i);
        atomicMax(&data[i % 2 + 4], i);
        break;
    case 4: /* groups of a warp that shuffle at other places, and lanes that have ended */
        if (t % 32 >= 28 && blockIdx.x % 2)
            return;
        if (t % 32 < 16)
            sum = __shfl_xor_sync(0x0000ffff, s[t], 1 + t / 32 % 2);
        else if (t % 32 < 28)
            sum = __shfl_xor_sync(0x0fff0000, s[t] + 1, 2);
        sum += __popc(__activemask());
        __syncwarp(t % 32 < 28 ? 0x0fffffff : 0xf0000000);
        break;
    case 5: /* other ways in every block */
        for (int k = 0; k < 12; k++)
            if ((i * 2654435761u >> k) % 3 == 0)
                sum += s[(t + k) % blockDim.x];
        break;
    case 6: /* other warps run meanwhile */
        sum = s[t * (1 + t / 32) % blockDim.x];
        if (t % 3 == 0)
            __nanosleep(10);
        sum += s[t];
        break;
    }
    __syncthreads();
    if (t < blockDim.x / 2)
        s[t] = sum;
    data[8 + i] = sum;
}

int main(int argc, char **argv)
{
    int *data;
    wide *wides;
    for (int threads : {256, 75}) {
        cudaMalloc(&data, 65536);
        cudaMemset(data, 1, 65536);
        cudaMalloc(&wides, 20 * 256 * 2 * sizeof(wide));
        cudaMemset(wides, 0, 20 * 256 * 2 * sizeof(wide));
        kernel<<<20, threads>>>(argc - 1, data, wides, 40);
        cudaDeviceSynchronize();
        cudaFree(data), cudaFree(wides);
    }
    (void)argv;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return simtcc(PROGRAM, tmp_path_factory.mktemp("steps") / "shapes.cu", "-Wno-sign-compare")


@pytest.mark.parametrize("shape", range(7))
def test_counted_alike(program, shape):
    counted = []
    for order in "0", "1":
        done = run(program, *["x"] * shape,
                   env={"SIMT_COUNTERS": "csv", "SIMT_ORDER": order, "SIMT_THREADS": "1",
                        "SIMT_CHECKS": "off"})
        assert done.returncode == 0
        counted.append(done.stderr)
    assert counted[0] == counted[1]
    assert counted[0].count("\n") > 10
