#!/usr/bin/env bash
# The maximum of floats of which one is NaN, by CUB's DeviceReduce::Max and Thrust's reduce with maximum
# (3.0.1, CUDA 13.0, H200). Needs a GPU and the toolkit that is there.
#
# Expected: NaN, as torch and CuPy say, or the largest number, as fmaxf would have it.
# Seen: at some places neither: with NaN at 248 and 5000 at 251 the maximum is 99, as if 5000 were not
# there. a < b ? b : a keeps a NaN that comes first and drops one that comes second, so all that a
# thread has added up behind its NaN is lost with it. The minimum of the same array is right.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >largest.cu <<'CODE'
#include <cstdio>
#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <vector>

static void largest(int n, int nan, int top)
{
    std::vector<float> h(n);
    float *in, *out, cub_max, cub_min;
    void *room = nullptr;
    size_t size = 0;
    for (int i = 0; i < n; i++)
        h[i] = float(i % 100);
    h[nan] = NAN;
    h[top] = 5000;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, sizeof *out);
    cudaMemcpy(in, h.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    cub::DeviceReduce::Max(room, size, in, out, n);
    cudaMalloc(&room, size);
    cub::DeviceReduce::Max(room, size, in, out, n);
    cudaMemcpy(&cub_max, out, sizeof *out, cudaMemcpyDeviceToHost);
    cub::DeviceReduce::Min(room, size, in, out, n);
    cudaMemcpy(&cub_min, out, sizeof *out, cudaMemcpyDeviceToHost);
    printf("n %d, NaN at %d, 5000 at %d: CUB %g, Thrust %g, minimum %g\n", n, nan, top, cub_max,
           thrust::reduce(thrust::device, in, in + n, -1.f, thrust::maximum<float>()), cub_min);
}

int main()
{
    largest(1000, 248, 251);
    largest(1000, 251, 248);
    largest(4096, 908, 911);
    largest(1 << 24, 9265852, 9265855);
    return 0;
}
CODE
nvcc -std=c++17 -arch=native largest.cu -o largest
./largest >seen
cat >expected <<'TEXT'
n 1000, NaN at 248, 5000 at 251: CUB 99, Thrust 99, minimum 0
n 1000, NaN at 251, 5000 at 248: CUB 5000, Thrust 5000, minimum 0
n 4096, NaN at 908, 5000 at 911: CUB 99, Thrust 99, minimum 0
n 16777216, NaN at 9265852, 5000 at 9265855: CUB 99, Thrust 99, minimum 0
TEXT
same seen expected
