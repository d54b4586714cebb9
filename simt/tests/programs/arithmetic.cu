/* The vector types, intrinsics, the mathematical functions that C has not. */
#include <math_functions.h>
#include <vector>
#define LAYOUT(type, size, alignment) EXPECT(sizeof(type) == size && alignof(type) == alignment)
#define IS(a, b) (*bad += (a) != (b))

__global__ void integers(int *bad)
{
    IS(__float2uint_rz(3.7f), 3u), IS(__double2int_rn(2.5), 2), IS(__float2int_ru(-0.5f), 0);
    IS(__hiloint2double(__double2hiint(0.1), __double2loint(0.1)), 0.1);
    IS(__double2float_rn(0.1), 0.1f);
    long4 l = make_long4(1, 2, 3, 4);
    ulong2 u = make_ulong2(5, 6);
    IS(l.w + (long)u.y, 10), IS(sizeof l, 32u);
    __stcs(bad + 1, 7);
    IS(__ldcv(bad + 1), 7);
    IS(__float2int_rn(2.5f), 2), IS(__float2int_rd(-0.5f), -1);
}

__global__ void reals(int *bad, float f, double d)
{
    IS(min(d, f), 3), IS(max(f, d), 8), IS(rsqrtf(4), 0.5f), IS(__sinf(0), 0);
    float sine, cosine;
    __sincosf(0, &sine, &cosine);
    IS(sine, 0), IS(cosine, 1), IS(__fdividef(1, 4), 0.25f), IS(__expf(0), 1), IS(__logf(1), 0);
    IS(__powf(2, 3), 8), IS(__fsqrt_rn(16), 4), IS(__int2float_rn(3), 3);
}

__global__ void bits(int *bad)
{
    *bad += !(__popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32 &&
              __ffs(8) == 4 && __ffs(0) == 0 && __brev(1u) == 0x80000000u &&
              __umulhi(1u << 31, 6u) == 3u && __float_as_int(1.0f) == 0x3f800000 &&
              __int_as_float(0x40000000) == 2.0f && min(-1, 2) == -1 && max(1u, 2u) == 2u &&
              min(1.5f, 2.5f) == 1.5f && warpSize == 32 && __ldg(bad + 2) == 0);
}

int main()
{
    LAYOUT(char1, 1, 1); LAYOUT(char2, 2, 2); LAYOUT(char3, 3, 1); LAYOUT(uchar4, 4, 4);
    LAYOUT(short3, 6, 2); LAYOUT(ushort4, 8, 8); LAYOUT(int1, 4, 4); LAYOUT(int2, 8, 8);
    LAYOUT(int3, 12, 4); LAYOUT(int4, 16, 16); LAYOUT(uint4, 16, 16); LAYOUT(float2, 8, 8);
    LAYOUT(float3, 12, 4); LAYOUT(float4, 16, 16); LAYOUT(double2, 16, 16);
    LAYOUT(longlong2, 16, 16); LAYOUT(dim3, 12, 4);
    int *bad = device<int>(3);
    integers<<<1, 1>>>(bad), bits<<<1, 1>>>(bad), reals<<<1, 1>>>(bad, 8, 3);
    EXPECT(host(bad, 1)[0] == 0);
}
