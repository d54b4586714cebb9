#!/usr/bin/env bash
# cudaMemcpy of CUDA 13.0 (driver 580.159.04, H200) copies in the right direction whatever direction it is told,
# unless malloc's memory is said to be the device's. Needs a GPU and the toolkit that is there.
#
# Expected: an error where the direction does not match the two pointers. The Runtime API calls that undefined
# ("dst and src pointers that do not match the direction of the copy"); courses say that it fails.
# Seen: only malloc's memory in the device's place gives cudaErrorInvalidValue. From cudaMalloc's memory to
# malloc's "HostToHost" copies, and between two arrays of cudaMalloc, or one of them and pinned memory, all four
# directions do. So a wrong direction goes unnoticed exactly where the arrays are the runtime's own.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >copies.cu <<'CODE'
#include <cstdio>
#include <cstdlib>
static const char *kinds[] = {"HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice"};
static void copies(const char *what, void *to, const void *from)
{
    printf("%s:", what);
    for (int kind = 0; kind < 4; kind++) {
        int got = 0;
        cudaMemcpy((void *)from, "\7\7\7\7", 4, cudaMemcpyDefault);
        cudaMemcpy(to, "\0\0\0\0", 4, cudaMemcpyDefault);
        bool refused = cudaMemcpy(to, from, 4, (cudaMemcpyKind)kind) == cudaErrorInvalidValue;
        cudaMemcpy(&got, to, 4, cudaMemcpyDefault);
        if (!refused && got == 0x07070707)
            printf(" %s", kinds[kind]);
    }
    printf("\n");
}
int main(void)
{
    void *host = malloc(4), *pinned, *a, *b;
    cudaMallocHost(&pinned, 4);
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    copies("from cudaMalloc to malloc", host, a);
    copies("from malloc to cudaMalloc", a, host);
    copies("from cudaMalloc to cudaMallocHost", pinned, a);
    copies("from cudaMalloc to cudaMalloc", b, a);
    return 0;
}
CODE
nvcc -arch=native copies.cu -o copies
./copies >seen
cat >expected <<'TEXT'
from cudaMalloc to malloc: HostToHost DeviceToHost
from malloc to cudaMalloc: HostToHost HostToDevice
from cudaMalloc to cudaMallocHost: HostToHost HostToDevice DeviceToHost DeviceToDevice
from cudaMalloc to cudaMalloc: HostToHost HostToDevice DeviceToHost DeviceToDevice
TEXT
same seen expected
