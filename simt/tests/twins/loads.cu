/* Compiled with --strict. Races that hide behind loads which the optimiser removes are told; by
 * default they cannot be. And barriers behind code that is not where it is called. */
#include "cases.h"

enum { N = 96 };

/* The condition decides nothing. */
__global__ void dead(int *out, bool waits)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    s[t] = t; // BUG dead
    if (waits)
        __syncthreads();
    if (s[(t + 1) % N] > N) { // BUG dead
    }
    out[t] = t;
}

/* The first value is overwritten. */
__global__ void overwritten(double *out, bool waits)
{
    __shared__ double s[N];
    int t = threadIdx.x;
    s[t] = t; // BUG overwritten
    if (waits)
        __syncthreads();
    double x = s[N - 1 - t]; // BUG overwritten
    __syncthreads();
    x = s[N - 1 - t];
    out[t] = x;
}

/* No bit of it is left. */
__global__ void masked(int *ints, bool waits)
{
    int t = threadIdx.x;
    ints[t] = t; // BUG masked
    if (waits)
        __syncthreads();
    int x = ints[(t + 32) % N]; // BUG masked
    x &= 0;
    if (waits)
        __syncthreads();
    ints[t] += x; // BUG masked
}

/* The functions lie behind the kernel, and so does the rare case. */
template <int n> __device__ int times(int x) { return n * x; }
__global__ void elsewhere(int *out)
{
    int t = threadIdx.x, v;
    switch (t % 4) {
    case 0: v = times<1>(t); break;
    case 1: v = times<2>(t); break;
    case 2: goto rare;
    default: v = 0;
    }
back:
    __syncthreads();
    out[t] = v;
    return;
rare:
    v = 100;
    goto back;
}

int main(int, char **argv)
{
    int *p = (int *)device(8 * N);
    CASE(dead, "race in shared memory") dead<<<1, N>>>(p, false);
    CASE(overwritten, "race in shared memory") overwritten<<<1, N>>>((double *)p, false);
    CASE(masked, "race in global memory") masked<<<1, N>>>(p, false);
    CASE(all_wait, "nothing")
    {
        dead<<<1, N>>>(p, true), overwritten<<<1, N>>>((double *)p, true);
        masked<<<1, N>>>(p, true);
    }
    CASE(elsewhere, "nothing") elsewhere<<<1, N>>>(p);
    return finish(0);
}
