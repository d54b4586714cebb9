#!/usr/bin/env bash
# nvcc 13.5.37 (and 13.0.88): a launch by a pointer takes a host function for a kernel.
#
# Expected: an error when it compiles, or cudaErrorInvalidDeviceFunction when it runs. The CUDA C++
# Programming Guide ("Execution Configuration") launches __global__ functions alone; by its name a host
# function is refused ("a host function call cannot be configured").
# Seen: by a pointer it compiles without a line, with all warnings. The call stands behind
# __cudaPushCallConfiguration, and so the function is called: once, on the host, with the arguments as
# they are, whatever grid and block say. No CUDA error comes of it. On an H200 (nvcc 13.0.88) a function
# that stores to memory from cudaMalloc ended the program by a segmentation fault.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37 nvidia-cuda-runtime==13.5.37

cat >launch.cu <<'CODE'
#include <stdio.h>
static void on_host(int i) { printf("called on the host with %d\n", i); }
static void launch(void (*kernel)(int), int i) { kernel<<<2, 32>>>(i); }
int main(void) {
    launch(on_host, 1);
    return 0;
}
CODE
nvcc -arch=sm_90 -Xcompiler -Wall,-Wextra launch.cu -o launch >seen 2>&1 && echo compiled >>seen
./launch >>seen
cat >expected <<'TEXT'
compiled
called on the host with 1
TEXT
same seen expected
