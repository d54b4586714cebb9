/* No harness: step 03 as a whole CUDA program, in one file that needs no other.
 *
 * Idea: the lab harness does for a step what stands here, in its simplest form: memory on the GPU,
 * copies to it and back, events that measure the time, the sum on the host, and the comparison.
 * Take it home: nvcc main.cu -o sum && ./sum
 *
 * Read it after step 03.
 *
 * Look at: main, from top to bottom. Which of its calls only enqueue work for the GPU, and which
 * wait for it? And how far is this time from that of step 03? It is a single one: of the first
 * launches of the program, with an input that may lie in the cache.
 *
 * Source: the CUDA C++ Programming Guide, on device memory and on events. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 256 /* of a block */

/* Every call may fail; a launch tells its error when it is asked for. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));         \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void reduce_block(const int *in, int *sums, size_t n)
{
    __shared__ int s[THREADS];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * THREADS + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();

    for (unsigned stride = THREADS / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        sums[blockIdx.x] = s[0];
}

int main(void)
{
    size_t n = 1 << 20, bytes = n * sizeof(int);
    int *host = (int *)malloc(bytes), *device, *sums, result, expected = 0;
    cudaEvent_t start, end;
    float ms;

    for (size_t i = 0; i < n; i++) /* not all the same, or a wrong index would not show */
        expected += host[i] = rand() % 256;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMalloc(&sums, bytes)); /* those of all launches, one behind the other */
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));

    CHECK(cudaEventRecord(start));
    const int *in = device;
    int *out = sums;
    for (size_t left = n; left > 1;) { /* the sums of one launch are the input of the next */
        size_t blocks = (left + THREADS - 1) / THREADS;
        reduce_block<<<blocks, THREADS>>>(in, out, left);
        CHECK(cudaGetLastError());
        in = out;
        out += blocks;
        left = blocks;
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaMemcpy(&result, in, sizeof result, cudaMemcpyDeviceToHost)); /* waits for the GPU */
    CHECK(cudaEventElapsedTime(&ms, start, end));

    printf("sum %d, expected %d   %s\n", result, expected, result == expected ? "OK" : "WRONG");
    printf("%.4f ms, %.1f GB/s\n", ms, bytes / ms / 1e6);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(device));
    CHECK(cudaFree(sums));
    free(host);
    return result == expected ? 0 : 1;
}
