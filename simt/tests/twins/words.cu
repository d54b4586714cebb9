/* The words of findings: the advice is the one that helps, and says where an index leads that leads far
 * away from its array: in front of it, or where a number that overflowed leads. A GPU finds no memory
 * there, and neither is it the host's. */
#include "cases.h"

__device__ int variable[32];
namespace far { const int constants[10] = {1}; }
__global__ void fill(int *a) { a[threadIdx.x] = threadIdx.x; }
__global__ void use(const int *a, int *out) { out[threadIdx.x] = a[threadIdx.x]; } // BUG refused: launch 2, 

/* A loop that compares the values, not their bits, comes to no end: NaN equals nothing. */
template <class T, class Bits> static void until_equal(T *value, bool by_bits)
{
    DO(1, *value = NAN);
    run<<<1, 32>>>([=] __device__(int) {
        Bits *word = (Bits *)value, old = *word, had;
        do {
            had = old;
            old = atomicCAS(word, had, had); // BUG equals_nothing, double_equals_nothing
        } while (by_bits ? old != had : *(T *)&old != *(T *)&had);
    });
}

int main(int, char **argv)
{
    const int width = 100000;
    int *rows = (int *)device(64 * width * sizeof(double)); /* nothing lies in front of it */
    double *doubles = (double *)rows;
    int *a = raw<int>(4096), *out = (int *)device(8192);
    float *f = (float *)device(4);
    double *d = (double *)device(8);

    CASE(all_add, "race in shared memory") /* says a barrier between them is no help */
    run<<<1, 64>>>([=] __device__(int i) {
        __shared__ int sum;
        if (i == 0)
            sum = 0;
        __syncthreads();
        for (int k = 0; k < 2; k++) // BUG: does not use the word, its loop does
            sum = sum + i;
        __syncthreads();
        if (i == 0)
            *out = sum;
    });
    CASE(blocks_add, "race in global memory") /* says an atomicAdd or the like */
        run<<<4, 32>>>([=] __device__(int i) { if (i == 0) *out += 1; }); // BUG: called at
    CASE(first_to_all, "race in global memory") /* says Between blocks use atomics */
        run<<<2, 64>>>([=] __device__(int i) { out[i + 64 * blockIdx.x] += out[0]; }); // BUG
    CASE(quads_and_tail, "race in global memory") /* says Between blocks use atomics */
        run<<<2, 64>>>([=] __device__(int i) {
            for (int k = 0; k < 2; k++) ((int4 *)out)[i] = make_int4(1, 2, 3, 4), out[250 + i] = 5; // BUG: overlap here? Two
        });
    CASE(tree, "race in shared memory") /* says __syncthreads() between them (__syncwarp() within a warp) */
    run<<<1, 64>>>([=] __device__(int i) {
        __shared__ int s[128];
        s[i] = s[i + 64] = i;
        __syncthreads();
        for (int k = 32; k > 0; k /= 2)
            s[i] = s[i] + s[i + k]; // BUG
        out[i] = s[127 - i];
    });
    TWINS(two_arrays, "race in shared memory") /* says If two arrays share these bytes no barrier helps */
    run<<<1, 64, 64 * 12>>>([=] __device__(int i) {
        extern __shared__ double s[];
        int *t = (int *)(s + (right ? 64 : 32));
        s[i] = i; // BUG
        t[i] = i; // BUG
        __syncthreads();
        out[i] = (int)s[i] + t[i];
    });
    TWINS(within_warp, "race in global memory") /* says within a warp __syncwarp() */
    run<<<1, 32>>>([=] __device__(int i) {
        out[i] = i; // BUG
        if (right)
            __syncwarp();
        out[i + 100] = out[31 - i]; // BUG
    });
    CASE(lock_alone, "race in global memory") /* says orders nothing without a __threadfence() behind taking it */
    run<<<4, 32>>>([=] __device__(int i) {
        if (i == 0) {
            while (atomicCAS(out + 1, 0, 1) != 0)
                ;
            *out += 1; // BUG
            atomicExch(out + 1, 0);
        }
    });
    CASE(refused, "error nobody looked at and uninitialised global memory")
        fill<<<1, 2048>>>(a), cudaGetLastError(), use<<<1, 64>>>(a, out), cudaGetLastError() && finish(1); // BUG
    TWINS(equals_nothing, "deadlock") until_equal<float, unsigned>(f, right);                  // says It holds NaN
    CASE(double_equals_nothing, "deadlock") until_equal<double, unsigned long long>(d, false); // says It holds NaN

    /* ---- far away ---- */
    TWINS(row_before, "out of bounds in global memory")
        DO(64, if (i == 0 || !right) rows[(i - !right) * width] = i); // BUG: It lies 400000 bytes before an allocation of
    TWINS(far_before, "out of bounds in global memory")
        DO(1, rows[(right ? 0L : -2000000) + i] = 1); // BUG: It lies 8000000 bytes before
    TWINS(int_overflows, "out of bounds in global memory")
        DO(2, if (i) rows[(right ? 0 : i) * 46341 * 46341] = 1); // BUG: has an int overflowed
    TWINS(of_doubles, "out of bounds in global memory")
        DO(2, if (i) doubles[(right ? 0 : i * 70000) * 50000 / 2] = 1); // BUG: has an int overflowed
    TWINS(unsigned_row, "out of bounds in global memory")
        DO(64, if (i == 0 || !right) rows[((unsigned)i - !right) * width] = i); // BUG: an unsigned index gone below 0
    TWINS(shared_below, "out of bounds in shared memory")
        DO(32, __shared__ int s[32]; s[i] = 0; __syncthreads(); rows[i] = s[right ? i : i - 1u]); // BUG: unsigned index has gone below 0
    TWINS(variable_below, "out of bounds in global memory")
        DO(32, rows[i] = variable[right ? i : i - 1u]); // BUG: unsigned index has gone below 0
    CASE(of_host, "host pointer in a kernel")
    {
        static int host[10] = {1};
        const int *h = host, *c = far::constants, *large = (int *)malloc(1 << 26);
        DO(1, rows[0] = h[i]); // BUG of_host: It lies in host, a host variable.
        DO(1, rows[0] = c[i] + large[1 << 20]); // BUG of_host
    }
    CASE(of_other, "host pointer in a kernel")
        DO(9, __shared__ int *p; if (i == 0) p = &i; __syncthreads(); rows[i] = *p); // BUG: another thread's local variable
    return finish(0);
}
