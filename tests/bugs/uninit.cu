/* Shared memory that nobody has written: neither CUDA nor the launch clears it. */
#include "../twins/cases.h"

enum { N = 128 };

/* A flag is set when a negative element is found, and read in any case. If there is none, nobody
 * has ever written it; tests with a negative element never see that. */
__global__ void any_negative(const int *in, int *out)
{
    __shared__ int found;
    unsigned tid = threadIdx.x;

    if (tid == 0 && FIXED)
        found = 0;
    __syncthreads();
    if (in[tid] < 0)
        atomicExch(&found, 1);
    __syncthreads();
    if (tid == 0)
        *out = found; // BUG: flag
}

/* Block 0 stores the factor, all blocks use it: but each block has a shared memory of its own. A
 * block that follows on the same multiprocessor even finds the value there. */
__global__ void other_block(const int *in, int *out)
{
    __shared__ int factor;
    unsigned i = blockIdx.x * N + threadIdx.x;

    if (threadIdx.x == 0 && (blockIdx.x == 0 || FIXED))
        factor = in[3];
    __syncthreads();
    out[i] = factor * in[i]; // BUG: other_block
}

/* Only n of the block's threads load an element, but the tree adds all of them. Shared memory often
 * holds 0, or the sums of the kernel before. */
__global__ void tail(const int *in, int *out, unsigned n)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    if (tid < n || FIXED)
        s[tid] = tid < n ? in[tid] : 0;
    for (unsigned d = N / 2; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d)
            s[tid] += s[tid + d]; // BUG: tail
    }
    if (tid == 0)
        *out = s[0];
}

int main(int, char **argv)
{
    int *in = numbers(1000), *out = (int *)device(1000 * sizeof *out);

    CASE(flag, "uninitialised shared memory")
    {
        any_negative<<<1, N>>>(in, out);
        return differ(out, 1, [](int) { return 0; });
    }
    CASE(other_block, "uninitialised shared memory")
    {
        other_block<<<4, N>>>(in, out);
        return differ(out, 4 * N, [](int i) { return 3 * i; });
    }
    CASE(tail, "uninitialised shared memory")
    {
        tail<<<1, N>>>(in, out, 100);
        return differ(out, 1, [](int) { return 4950; });
    }
    return 2;
}
