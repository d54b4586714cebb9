/* Compiled with --strict. Races that hide behind loads which the optimiser removes are told; by
 * default they cannot be. And barriers behind code that is not where it is called. */
#include "cases.h"

enum { N = 96 };

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
    double *d = (double *)p;

    TWINS(dead, "race in shared memory") /* the condition decides nothing */
    run<<<1, N>>>([=] __device__(int t) {
        __shared__ int s[N];
        s[t] = t; // BUG
        if (right)
            __syncthreads();
        if (s[(t + 1) % N] > N) { // BUG
        }
        p[t] = t;
    });
    TWINS(overwritten, "race in shared memory") /* the first value is */
    run<<<1, N>>>([=] __device__(int t) {
        __shared__ double s[N];
        s[t] = t; // BUG
        if (right)
            __syncthreads();
        double x = s[N - 1 - t]; // BUG
        __syncthreads();
        x = s[N - 1 - t];
        d[t] = x;
    });
    TWINS(masked, "race in global memory") /* no bit of it is left */
    run<<<1, N>>>([=] __device__(int t) {
        p[t] = t; // BUG
        if (right)
            __syncthreads();
        int x = p[(t + 32) % N]; // BUG
        x &= 0;
        if (right)
            __syncthreads();
        p[t] += x; // BUG
    });
    CASE(elsewhere, "nothing") elsewhere<<<1, N>>>(p);
    return finish(0);
}
