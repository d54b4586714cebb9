#!/usr/bin/env bash
# compute-sanitizer 2025.3.1 (CUDA 13.0, H200): none of its four tools tells of a shuffle that reads a
# lane which does not exist. Needs a GPU and the toolkit that is there.
#
# Expected: synccheck, which checks masks of warp operations, tells of the mask 0xffffffff in a block of
# 48 threads; or initcheck of the value that nobody wrote.
# Seen: no word, status 0 with --error-exitcode; and the second warp's maximum of negative numbers is
# 0, since a lane that is not there gave 0. The CUDA C++ Programming Guide calls the value undefined.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >largest.cu <<'CODE'
#include <cstdio>
__global__ void largest(const int *in, int *out)
{
    int v = in[threadIdx.x];
    for (int delta = 16; delta > 0; delta /= 2)
        v = max(v, __shfl_down_sync(0xffffffff, v, delta));
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = v;
}
int main(void)
{
    int values[48], *in, *out, found[2];
    for (int i = 0; i < 48; i++)
        values[i] = -1 - i;
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&out, sizeof found);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    largest<<<1, 48>>>(in, out);
    cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
    printf("%d %d\n", found[0], found[1]);
    return 0;
}
CODE
nvcc -arch=native largest.cu -o largest
for tool in memcheck racecheck initcheck synccheck; do
    status=0
    result=$(compute-sanitizer --tool $tool --error-exitcode 9 ./largest | grep -v ===) || status=$?
    echo "$tool: $result, status $status"
done >seen
cat >expected <<'TEXT'
memcheck: -1 0, status 0
racecheck: -1 0, status 0
initcheck: -1 0, status 0
synccheck: -1 0, status 0
TEXT
same seen expected
