#!/usr/bin/env bash
# memcheck of compute-sanitizer 2025.3.1 (CUDA 13.0, H200) does not tell of the element behind an array whose
# size is a multiple of 512 bytes, if another array was allocated behind it. Needs a GPU and the toolkit that is there.
#
# Expected: "Invalid __global__ read", since in[n] belongs to no allocation that the kernel was given. memcheck
# knows the allocations' sizes, and says so for 1000 elements ("1 bytes after the nearest allocation").
# Seen: with 1000 ints it tells; with 1024, and with 2^20, it says "0 errors": cudaMalloc puts the second array
# directly behind the first, so in[n] is the second one's first element. The same with memory of
# cudaMallocAsync and cudaMallocManaged. --padding 32, which is not the default, puts a gap between arrays, and
# then it tells. So "<= n" passes exactly for the sizes that people try.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >read.cu <<'CODE'
#include <cstdio>
#include <cstdlib>
__global__ void sum(const int *in, int n, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        atomicAdd(out, in[i]);
}
static int *array(const char *kind, size_t bytes)
{
    int *p;
    if (kind[0] == 'm')
        cudaMallocManaged(&p, bytes);
    else if (kind[0] == 'a')
        cudaMallocAsync(&p, bytes, 0);
    else
        cudaMalloc(&p, bytes);
    cudaMemset(p, 0, bytes);
    return p;
}
int main(int, char **argv)
{
    int n = atoi(argv[2]);
    int *in = array(argv[1], n * sizeof *in), *behind = array(argv[1], n * sizeof *in);
    int *out = array("plain", sizeof *out);
    sum<<<n / 256 + 1, 256>>>(in, n, out);
    cudaDeviceSynchronize();
    printf("a gap of %d bytes\n", (int)((char *)behind - (char *)(in + n)));
    return 0;
}
CODE
nvcc -arch=native read.cu -o read
check() { # KIND N [OPTION …]
    local kind=$1 n=$2 status=0
    shift 2
    compute-sanitizer --error-exitcode 9 "$@" ./read "$kind" "$n" >said || status=$?
    echo "$kind $n${*:+ $*}: $(grep -v === said), $(grep -c 'Invalid __global__ read' said || true) told, status $status"
}
{
    for n in 1000 1024 1048576; do
        check plain $n
    done
    check async 1024
    check managed 1024
    check plain 1024 --padding 32
} >seen
cat >expected <<'TEXT'
plain 1000: a gap of 96 bytes, 1 told, status 9
plain 1024: a gap of 0 bytes, 0 told, status 0
plain 1048576: a gap of 0 bytes, 0 told, status 0
async 1024: a gap of 0 bytes, 0 told, status 0
managed 1024: a gap of 0 bytes, 0 told, status 0
plain 1024 --padding 32: a gap of 512 bytes, 1 told, status 9
TEXT
same seen expected
