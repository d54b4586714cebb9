/* Numbers of which C++ leaves open what becomes of them, and a GPU does not; two-byte floats in memory:
 * alone, in pairs and in atomics; a kernel's printf. */
#include "cases.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>

__device__ int narrow(float f) { return f; } // BUG returned: 3e+09 becomes 'int'

/* As a kernel's printf sees a name of the standard library's. */
__device__ void say(const char *text, double v) { std::printf("%-4s|%*.2f|%5.1e %%\n", text, 8, v, v); }

template <class T> __global__ void tree(const T *in, T *out, bool right)
{
    __shared__ T s[128];
    unsigned t = threadIdx.x;

    s[t] = in[t];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] += s[t + stride]; // BUG no_barrier, no_barrier_bf
        if (right)
            __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}

int main(int, char **argv)
{
    int *a = (int *)device(4096);
    float *f = (float *)device(4096), got = 0;
    __half *in = (__half *)device(4096), *out = (__half *)device(4096);
    __nv_bfloat16 *bin = (__nv_bfloat16 *)in, *bout = (__nv_bfloat16 *)out;

    TWINS(mask, "note: shift by the width or more")
        DO(64, a[i] = 1u << (right ? i % 32 : i)); // BUG mask x32: A number of 32 bits is shifted by
    TWINS(negative, "note: shift by the width or more")
        DO(32, a[i] = 256 >> (right ? i : i - 1)); // BUG negative x1: A number of 32 bits is shifted by -1
    TWINS(compound, "note: shift by the width or more")
        DO(32, a[i] = 1; a[i] <<= i + (right ? 0 : 8)); // BUG compound x8
    TWINS(wide, "note: shift by the width or more")
        DO(64, a[i] = (right ? 1ll : 1) << i != 0; int n = right ? i % 32 : i; a[i] = 1 << n); // BUG wide x32
    TWINS(behind_less, "note: shift by the width or more") /* that begins no template arguments, or whose > is there */
        DO(64, int n = right ? i % 32 : i; a[i] = (i < 64 >> n) | (static_cast<unsigned>(i) >> n)); // BUG x64
    CASE(widths, "nothing")
        DO(64, short b = 9; a[i] = (unsigned)(1ull << i) + (b << i % 28) + (1 << 31) + ((char)i >> 7));
    TWINS(initial, "note: number that does not fit an integer")
        DO(1, float v = f[i] + 3e9f; int n = right ? v * .5f : v; a[i] = n); // BUG initial x1
    TWINS(assigned, "note: number that does not fit an integer")
        DO(1, double v = f[i] - 1.; a[i] = 1; unsigned u = 3; u = right ? v + 1 : v; a[i] += u); // BUG assigned
    CASE(returned, "note: number that does not fit an integer")
        DO(1, a[i] = narrow(f[i] + 3e9f));
    CASE(nan, "note: number that does not fit an integer")
        DO(1, float v = f[i] / f[i]; a[i] = v); // BUG nan: nan becomes 'int'
    CASE(cast, "nothing")
        DO(1, float v = f[i] + 3e9f; a[i] = (int)v + int(-v) + static_cast<int>(v) + (unsigned)-v + (short)v);
    TWINS(size_t_printed, "note: printf with other output on a GPU")
        DO(2, right ? printf("%llu %hd\n", 7ull, (short)i) : i ? printf("%zu\n", sizeof f) : printf("%hhd %d\n", (char)i, i)); // BUG x2
    CASE(at_the_end, "note: printf with other output on a GPU") { DO(1, printf("%d\n", i)); return 0; } // says ends without waiting
    TWINS(precision, "note: printf with other output on a GPU")
        DO(1, right ? printf("%*.2f\n", 8, 1.5) : printf("%.*f\n", 2, 1.5)); // BUG precision
    CASE(formats, "nothing") DO(1, say("pi", 3.14159));

    /* ---- two-byte floats ---- */
    TWINS(no_barrier, "race in shared memory")
        tree<<<1, 128>>>(in, out, right);
    TWINS(no_barrier_bf, "race in shared memory")
        tree<<<1, 128>>>(bin, bout, right);
    /* neighbours in one word are no race; one and the same is */
    TWINS(same_half, "race in global memory")
        DO(64, out[right ? i : i / 33] = __half((float)i)); // BUG
    TWINS(odd_pair, "misaligned access")
        DO(32, ((__half2 *)out)[i] = *(__half2 *)(in + 2 * i + !right)); // BUG x32
    TWINS(behind, "out of bounds in global memory")
        DO(64, *(__half2 *)&out[i * 2] = __halves2half2(in[i + (right ? 0 : 2047)], in[0])); // BUG x63
    CASE(sums, "nothing")
    {
        DO(64, atomicAdd(out, __half(0.5f)); atomicAdd((__half2 *)out + 1, __floats2half2_rn(1, 2));
           atomicAdd(bout + 8, __float2bfloat16(0.5f));
           atomicAdd((__nv_bfloat162 *)bout + 5, __floats2bfloat162_rn(1, 2)));
        cudaDeviceSynchronize();
        __half h[4];
        __nv_bfloat16 b[4];
        cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
        cudaMemcpy(b, bout + 8, sizeof b, cudaMemcpyDeviceToHost);
        got = (float)h[0] - 32 + __half2float(h[2]) - 64 + (float)h[3] - 128 + (float)b[0] - 32 +
              __bfloat162float(b[2]) - 64 + (float)b[3] - 128;
    }
    return finish(got != 0);
}
