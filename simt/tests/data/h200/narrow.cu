/* Each operation on two-byte floats, of all 65,536 patterns, of half and of bfloat16. halves.cu has
 * a * b + c by operators. */
#include "rows.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __device__ T of(unsigned pattern)
{
    unsigned short low = pattern;
    T value;
    memcpy(&value, &low, 2);
    return value;
}

template <class T2, class T> __device__ T2 pair_of(T low, T high)
{
    T both[2] = {low, high};
    T2 value;
    memcpy(&value, both, 4);
    return value;
}

/* a is pattern i; b, c and d others; f a float near half way between neighbours of a; n an int. */
#define KERNEL(H, H2, HALF, HALF2, SHIFT) \
    __global__ void HALF##_rows(ull *o) \
    { \
        unsigned r = 0, i = blockIdx.x * blockDim.x + threadIdx.x, tail = (i * 2654435761u >> 7) & 3; \
        H a = of<H>(i), b = of<H>(i * 40503u + 12345), c = of<H>(i * 30011u + 777); \
        H d = of<H>(i * 50021u + 99); \
        H2 a2 = pair_of<H2>(a, b), b2 = pair_of<H2>(c, d), c2 = pair_of<H2>(b, a); \
        unsigned near = tail ? (1u << (SHIFT - 1)) + tail - 2 : i & 1, any = i * 2654435761u; \
        float f = __uint_as_float(__float_as_uint(__##HALF##2float(a)) + (near & ((1u << SHIFT) - 1))); \
        int n = (int)any >> (i % 31); \
        P(__float_as_uint(__##HALF##2float(a))); P(__float2##HALF(f)); P(__float2##HALF##_rn(f)); \
        P(__float2##HALF##_rz(f)); P(__float2##HALF##_rd(f)); P(__float2##HALF##_ru(f)); \
        P(__float2##HALF##_rn(__uint_as_float(any))); P(__double2##HALF(f * 1.0000000001)); \
        P(__int2##HALF##_rn(n)); P(__uint2##HALF##_rn((unsigned)n)); P(__##HALF##2int_rz(a)); \
        P(__##HALF##2int_rn(a)); P(__##HALF##2uint_rz(a)); P(__##HALF##2short_rz(a)); \
        P(__hadd(a, b)); P(__hsub(a, b)); P(__hmul(a, b)); P(__hdiv(a, b)); P(__hfma(a, b, c)); \
        P(__hneg(a)); P(__habs(a)); P(__hmax(a, b)); P(__hmin(a, b)); \
        P(__hmax(of<H>(i & 0x8000), of<H>(i << 15))); \
        P(__hlt(a, b) + 2 * __hgt(a, b) + 4 * __heq(a, c) + 8 * __hne(a, c) + \
          16 * __hle(a, d) + 32 * __hge(a, d)); \
        P(__hisnan(a) + 2 * (int)__hisinf(a)); \
        P((a < b) + 2 * (a > b) + 4 * (a == c) + 8 * (a != c) + \
          16 * (a <= d) + 32 * (a >= d) + 64 * (bool)a); \
        P((H)((float)a + (float)b)); P(__##HALF2##2float2(a2).x + 2 * __##HALF2##2float2(a2).y); \
        P(__floats2##HALF2##_rn(f, (float)b)); P(__float22##HALF2##_rn(make_float2(f, (float)b))); \
        P(__float2##HALF2##_rn(f)); P(__hadd2(a2, b2)); P(__hsub2(a2, b2)); P(__hmul2(a2, b2)); \
        P(__hfma2(a2, b2, c2)); P(__hmax2(a2, b2)); P(__hmin2(a2, b2)); \
    }
KERNEL(__half, __half2, half, half2, 13)
KERNEL(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, 16)

int main()
{
    show("half", half_rows, 256, 256);
    show("bfloat16", bfloat16_rows, 256, 256);
}
