#!/usr/bin/env bash
# initcheck of compute-sanitizer 2025.3.1 (CUDA 13.0, H200) accuses an atomicExch that sets a word which nobody has
# written, although nobody looks at what it returns. Needs a GPU and the toolkit that is there.
#
# Expected: no word: an exchange whose result is unused is a store. (That of a lock is released so.)
# Seen: "Uninitialized __global__ memory read", status 9; a volatile store of the same value in the same
# place is not accused. Both programs print the right number.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >set.cu <<'CODE'
#include <cstdio>
__global__ void exchange(int *word, int *out)
{
    atomicExch(word, 5);
    *out = *word;
}
__global__ void store(int *word, int *out)
{
    *(volatile int *)word = 5;
    *out = *word;
}
int main(int, char **argv)
{
    int *word, *out, value;
    cudaMalloc(&word, sizeof *word);
    cudaMalloc(&out, sizeof *out);
    if (argv[1][0] == 'e')
        exchange<<<1, 1>>>(word, out);
    else
        store<<<1, 1>>>(word, out);
    cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
    printf("%d\n", value);
    return 0;
}
CODE
nvcc -arch=native set.cu -o set
for way in exchange store; do
    status=0
    compute-sanitizer --tool initcheck --error-exitcode 9 ./set $way >said || status=$?
    echo "$way: $(grep -v === said), $(grep -c 'Uninitialized __global__ memory read' said || true) told, status $status"
done >seen
cat >expected <<'TEXT'
exchange: 5, 1 told, status 9
store: 5, 0 told, status 0
TEXT
same seen expected
