#!/usr/bin/env bash
# CUDA 13.0 on an H200: clock64() around eight additions also measures a load that stands before it, even before a
# barrier. Needs a GPU and nvcc.
#
# Expected: about 8 times the latency of one addition (4 cycles each), since the load is the statement before
# __syncthreads(), which comes before the first clock64().
# Seen: 303 cycles, and 30 where the loaded value has been stored to shared memory before. A load only issues; the warp
# waits where the value is first used, which is behind the first clock. A barrier does not wait for it.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >times.cu <<'CODE'
#include <cstdio>
template<bool used> __global__ void timed(float *x, long long *cycles)
{
    __shared__ float shared[32];
    float sum = x[threadIdx.x];
    if (used)
        shared[threadIdx.x] = sum;
    __syncthreads();
    long long start = clock64();
    for (int i = 0; i < 8; i++)
        sum = sum * sum + 1;
    long long end = clock64();
    x[threadIdx.x] = sum + (used ? shared[31 - threadIdx.x] : 0);
    if (threadIdx.x == 0)
        *cycles = end - start;
}
template<bool used> long long cycles()
{
    float *x;
    long long *device, host = 0;
    cudaMalloc(&x, 32 * sizeof *x);
    cudaMalloc(&device, sizeof *device);
    cudaMemset(x, 0, 32 * sizeof *x);
    for (int run = 0; run < 2; run++)
        timed<used><<<1, 32>>>(x, device);
    cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    return host;
}
int main()
{
    long long with = cycles<false>(), without = cycles<true>();
    fprintf(stderr, "%lld and %lld cycles\n", with, without);
    printf("with the load: %s, without: %s\n", with > 200 ? "hundreds" : "few", without < 100 ? "few" : "hundreds");
}
CODE
nvcc -arch=native times.cu -o times
./times >seen
cat >expected <<'TEXT'
with the load: hundreds, without: few
TEXT
same seen expected
