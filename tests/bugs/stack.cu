/* Threads that need more stack than they have. */
#include "../twins/cases.h"

enum { RANGE = 600 * 1024, PER_THREAD = 50, THREADS = 4, N = 32768 };

/* A local array of 600 KiB per thread, where a thread has 512 KiB of local memory at most. Scratch
 * memory for the threads that there are is enough. */
__global__ void count_distinct(const int *in, unsigned char *scratch, int *out) // BUG: local_array
{                                                                               // BUG: local_array
    int tid = threadIdx.x, distinct = 0;                                        // BUG: local_array
    unsigned char local[FIXED ? 1 : RANGE];                                     // BUG: local_array
    unsigned char *seen = FIXED ? scratch + tid * RANGE : local;                // BUG: local_array

    for (int v = 0; v < RANGE; v++)                 // BUG: local_array
        seen[v] = 0;                                // BUG: local_array
    for (int i = 0; i < PER_THREAD; i++) {          // BUG: local_array
        int v = in[tid * PER_THREAD + i] % 20 * 99; // BUG: local_array
        distinct += !seen[v];                       // BUG: local_array
        seen[v] = 1;                                // BUG: local_array
    }
    out[tid] = distinct; // BUG: local_array
}

/* A recursive sum that splits off one element at a time: 32768 calls deep, where a thread's stack
 * has room for some dozens on a GPU. Split in the middle it is 15 calls deep. */
__device__ __noinline__ int sum_of(const int *in, int begin, int end) // BUG: recursion
{                                                                     // BUG: recursion
    if (end - begin == 1)                                             // BUG: recursion
        return in[begin] % 7;                                         // BUG: recursion
    int middle = FIXED ? (begin + end) / 2 : end - 1;                 // BUG: recursion
    return sum_of(in, begin, middle) + sum_of(in, middle, end);       // BUG: recursion
} // BUG: recursion
__global__ void recursion(const int *in, int *out)
{
    out[threadIdx.x] = sum_of(in, 0, N);
}

int main(int, char **argv)
{
    int *in = numbers(N), *out = (int *)device(THREADS * sizeof *out);

    CASE(local_array, "stack overflow")
    {
        count_distinct<<<1, THREADS>>>(in, (unsigned char *)device(THREADS * RANGE), out);
        return differ(out, THREADS, [](int) { return 20; });
    }
    CASE(recursion, "stack overflow")
    {
        recursion<<<1, 2>>>(in, out);
        return differ(out, 2, [](int) { return N / 7 * 21; });
    }
    return 2;
}
