#!/usr/bin/env bash
# nvcc 13.5.37 (and 13.0.88): a kernel that calls a function of the host by way of a __host__ __device__ function
# compiles, without the call and without the store of its result.
#
# Expected: an error, as for a kernel that calls the same function itself ("calling a __host__ function … from a
# __global__ function … is not allowed").
# Seen: one warning, #20011-D, and status 0. Of the kernel's three stores the machine code has two: the one whose
# value the call would give is left out, the one behind it is there. On an H200 (nvcc 13.0.88) the kernel ends without
# an error, and where the result belongs stands what stood there before. Who draws a random number in a helper for
# both sides gets that warning among others.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37 nvidia-cuda-cccl==13.3.5.0.6

cat >draw.cu <<'CODE'
#include <stdlib.h>
__host__ __device__ int draw(int i) { return i + rand() % 5; }
__global__ void fill(int *out) {
    out[threadIdx.x] = 7;
    int drawn = draw(threadIdx.x);
    out[32 + threadIdx.x] = drawn;
    out[64 + threadIdx.x] = 9;
}
#ifdef ITSELF
__global__ void itself(int *out) { out[threadIdx.x] = rand(); }
#endif
CODE
{
    ! nvcc -arch=sm_90 -DITSELF -c draw.cu -o itself.o 2>refused || exit
    grep -oE 'error: calling a __host__ function' refused
    nvcc -arch=sm_90 -c draw.cu -o draw.o 2>&1 | grep -oE '(warning|error) #[^:]*'
} >seen
instructions draw.cu sm_90 'STG|CALL' >>seen
cat >expected <<'TEXT'
error: calling a __host__ function
warning #20011-D
_Z4fillPi: STG STG
TEXT
same seen expected
