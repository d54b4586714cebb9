#!/usr/bin/env bash
# nvcc 13.5.37: the host may take the address of a __device__ function and hand it to a kernel, and
# nothing warns, although the kernel then calls an address of the host.
#
# Expected: an error or at least a warning, as the host's read of a __device__ variable gets (#20091-D).
# Seen: no line at all with -Wall, -Wextra and all warnings of nvcc's own; only the variable is told.
# The CUDA C++ Programming Guide forbids it ("Function pointers"); a table of operations for a
# reduction is where one meets it. On an H200 the launch fails, or the sum is wrong.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
cuda_wheels nvidia-cuda-nvcc==13.5.37

cat >address.cu <<'CODE'
typedef int (*operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__host__ __device__ int largest(int a, int b) { return a > b ? a : b; }
__device__ int variable;
__global__ void apply(operation f, int *out) { *out = f(*out, 2); }
int main(void) {
    int *out;
    cudaMalloc(&out, sizeof *out);
    apply<<<1, 1>>>(add, out);
    apply<<<1, 1>>>(largest, out);
    return variable;
}
CODE
nvcc -arch=sm_90 -Xcompiler -Wall,-Wextra -Xcudafe --display_error_number -c address.cu -o address.o \
    2>&1 | grep -oE '^[^:]*: (warning|error) #[^:]*' >seen
cat >expected <<'TEXT'
address.cu(11): warning #20091-D
TEXT
same seen expected
