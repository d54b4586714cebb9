/* Blocks take turns with a lock: what one changed with plain accesses, the next one sees, since
 * the lock's atomics have a fence on either side. */
// expect: nothing
#include <stdio.h>

#define BLOCKS 12

__global__ void append(int *list, int *length, unsigned *lock)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            __nanosleep(50);
        __threadfence();
        list[*length] = blockIdx.x + (*length > 0 ? list[*length - 1] : 0);
        *length += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

int main()
{
    int result[BLOCKS], length = 0, *list, *d_length;
    unsigned *lock;

    cudaMalloc(&list, sizeof result);
    cudaMalloc(&d_length, sizeof(int));
    cudaMalloc(&lock, sizeof(unsigned));
    cudaMemset(d_length, 0, sizeof(int));
    cudaMemset(lock, 0, sizeof(unsigned));
    append<<<BLOCKS, 32>>>(list, d_length, lock);
    cudaMemcpy(&length, d_length, sizeof length, cudaMemcpyDeviceToHost);
    cudaMemcpy(result, list, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d entries, the last is %d\n", length, result[BLOCKS - 1]);
    return length != BLOCKS || result[BLOCKS - 1] != BLOCKS * (BLOCKS - 1) / 2;
}
