/* A local array of 600 KiB a thread, where a thread has 512 KiB of local memory at most.
 * Fix: scratch memory for the threads that there are. */
// expect: stack overflow
#include <stdio.h>

#define RANGE   (600 * 1024)
#define N       50
#define THREADS 4

__global__ void count_distinct(const int *in, unsigned char *scratch, int *out) // BUG
{                                                                               // BUG
    int tid = threadIdx.x, distinct = 0;                                        // BUG
#ifdef FIXED
    unsigned char *seen = scratch + tid * RANGE;
#else
    unsigned char seen[RANGE]; // BUG
    (void)scratch;
#endif
    for (int v = 0; v < RANGE; v++) // BUG
        seen[v] = 0;                // BUG
    for (int i = 0; i < N; i++) {   // BUG
        int v = in[tid * N + i];    // BUG
        distinct += !seen[v];       // BUG
        seen[v] = 1;                // BUG
    }
    out[tid] = distinct; // BUG
}

int main()
{
    int host[THREADS * N], result[THREADS], wrong = 0, *in, *out;
    unsigned char *scratch;

    for (int i = 0; i < THREADS * N; i++)
        host[i] = i % 20 * 5000;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMalloc(&scratch, THREADS * RANGE);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    count_distinct<<<1, THREADS>>>(in, scratch, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < THREADS; i++)
        wrong += result[i] != 20;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
