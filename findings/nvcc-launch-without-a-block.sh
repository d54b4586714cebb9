#!/usr/bin/env bash
# nvcc 13.5.37 (and 13.0.88): a launch may leave out the number of threads, k<<<GRID>>>(…), and then a
# block has one thread.
#
# Expected: an error. The CUDA C++ Programming Guide ("Execution Configuration") asks for GRID and BLOCK;
# only what stands behind them is optional.
# Seen: it compiles, without a line even with all warnings. The function that takes the configuration
# has a default: blockDim = 1. On an H200 (nvcc 13.0.88) the launch below ran two threads, and no error
# came; with an array of a million elements that is a sum of two.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37

cat >launch.cu <<'CODE'
__global__ void count(int *n) { atomicAdd(n, 1); }
int main(void) {
    int *n;
    cudaMalloc(&n, sizeof *n);
    count<<<2>>>(n);
    return cudaDeviceSynchronize();
}
CODE
nvcc -arch=sm_90 -Xcompiler -Wall,-Wextra -c launch.cu -o launch.o >seen 2>&1 && echo compiled >>seen
nvcc -arch=sm_90 -cuda launch.cu -o launch.ii
grep -oE '__cudaPushCallConfiguration\(dim3 gridDim, dim3 blockDim[^,]*' launch.ii | sort -u >>seen
grep -oE '\(__cudaPushCallConfiguration\(2\)\)' launch.ii >>seen
cat >expected <<'TEXT'
compiled
__cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim = 1
(__cudaPushCallConfiguration(2))
TEXT
same seen expected
