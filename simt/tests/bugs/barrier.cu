/* Barriers that not all threads of a block reach together. The hardware counts arrivals, not
 * places, so that mostly nobody hangs. */
#include "../twins/cases.h"

enum { N = 64 };

/* A __syncthreads() that only the lower half of the warp reaches, while the upper half waits at the
 * next one. */
__global__ void branch(const int *in, int *out)
{
    __shared__ int s[32];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
    if (FIXED)
        __syncthreads();
    if (tid < 16) {
        if (!FIXED)
            __syncthreads(); // BUG: branch
        s[tid] += s[tid + 16];
    }
    __syncthreads(); // BUG: branch
    if (tid < 16)
        out[tid] = s[tid];
}

/* A barrier in a loop that some threads go through once more than others, n being no multiple of
 * the block. The sums are each thread's own, so the loop needs no barrier. */
__global__ void loop(const int *in, int *out, unsigned n)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = 0;
    for (unsigned i = tid; i < n; i += N) {
        s[tid] += in[i];
        if (!FIXED)
            __syncthreads(); // BUG: loop
    }
    __syncthreads(); // BUG: loop
    if (tid == 0) {
        int v = 0;
        for (unsigned i = 0; i < N; i++)
            v += s[i];
        *out = v;
    }
}

int main(int, char **argv)
{
    int *in = numbers(144), *out = (int *)device(N * sizeof *out);

    CASE(branch, "divergent barrier")
    {
        branch<<<1, 32>>>(in, out);
        return differ(out, 16, [](int i) { return 2 * i + 16; });
    }
    // gpu: hangs
    CASE(loop, "divergent barrier")
    {
        loop<<<1, N>>>(in, out, 144);
        return differ(out, 1, [](int) { return 144 * 143 / 2; });
    }
    return 2;
}
