#!/usr/bin/env bash
# racecheck of compute-sanitizer 2025.3.1 (CUDA 13.0's; programs by nvcc 13.5, H200) accuses right programs
# whose threads hand over shared memory by atomics: an error, not a warning. Needs a GPU and the toolkit
# that is there.
#
# Expected: no word. A store with release and a load with acquire that has seen it order the word (PTX's
# memory model, since Volta); so do atomics with __threadfence_block() on both sides.
# Seen: for cuda::atomic_ref, and for a ring of four slots with atomicAdd, "Error: Race reported between
# Read access … and Write access", and status 9. Both programs print the right number. How many hazards
# it counts is left out below.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

cat >release.cu <<'CODE'
#include <cstdio>
#include <cuda/atomic>
__global__ void hand_over(int *out)
{
    __shared__ int word;
    __shared__ unsigned ready;
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> flag(ready);
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        word = 42;
        flag.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 32) {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        *out = word;
    }
}
int main(void)
{
    int *out, value;
    cudaMalloc(&out, sizeof value);
    hand_over<<<1, 64>>>(out);
    cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
    printf("%d\n", value);
    return 0;
}
CODE
cat >ring.cu <<'CODE'
#include <cstdio>
enum { SLOTS = 4, ITEMS = 64 };
__global__ void ring(int *out)
{
    __shared__ int slot[SLOTS];
    __shared__ unsigned written, read;
    if (threadIdx.x == 0)
        written = read = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < ITEMS; i++) {
            while (i - atomicAdd(&read, 0) == SLOTS) {}
            __threadfence_block();
            slot[i % SLOTS] = 3 * i;
            __threadfence_block();
            atomicAdd(&written, 1);
        }
    } else if (threadIdx.x == 32) {
        int sum = 0;
        for (unsigned i = 0; i < ITEMS; i++) {
            while (atomicAdd(&written, 0) == i) {}
            __threadfence_block();
            sum += slot[i % SLOTS];
            __threadfence_block();
            atomicAdd(&read, 1);
        }
        *out = sum;
    }
}
int main(void)
{
    int *out, sum;
    cudaMalloc(&out, sizeof sum);
    ring<<<1, 64>>>(out);
    cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%d\n", sum);
    return 0;
}
CODE
for program in release ring; do
    nvcc -arch=native $program.cu -o $program
    for tool in memcheck racecheck; do
        status=0
        compute-sanitizer --tool $tool --error-exitcode 9 ./$program >said || status=$?
        echo "$program, $tool: $(grep -v === said), $(grep -c 'Error: Race' said || true) errors, status $status"
    done
done >seen
cat >expected <<'TEXT'
release, memcheck: 42, 0 errors, status 0
release, racecheck: 42, 1 errors, status 9
ring, memcheck: 6048, 0 errors, status 0
ring, racecheck: 6048, 1 errors, status 9
TEXT
same seen expected
