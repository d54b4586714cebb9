/* The vector types, intrinsics, the mathematical functions that C has not, complex numbers, ranges
 * for profilers. */
#include <cuComplex.h>
#include <math_constants.h>
#include <nvtx3/nvToolsExt.h>
#include <nvToolsExt.h>
#include <sm_30_intrinsics.h>
#include <vector>
#define LAYOUT(type, size, alignment) EXPECT(sizeof(type) == size && alignof(type) == alignment)
#define IS(a, b) (*bad += (a) != (b))
#define NEAR(a, b) (*bad += !(fabs((a) - (b)) <= 1e-6 * fabs(b)))

__global__ void integers(int *bad)
{
    IS(__brevll(1ull << 40 | 4), 1ull << 61 | 1ull << 23);
    IS(__byte_perm(0xf0, 0x11223344, 0x5140), 0x330044f0u);
    IS(__byte_perm(0x80, 0, 0x0008), 0x808080ffu);
    IS(__funnelshift_l(0xf0, 0xabcdef01, 8), 0xcdef0100u);
    IS(__funnelshift_r(0xf0, 0xabcdef01, 40), 0x01000000u);
    IS(__funnelshift_lc(5, 6, 99), 5u);
    IS(__funnelshift_rc(5, 6, 32), 6u);
    IS(__mul64hi(-3, 5), -1), IS(__umul64hi(~0ull, 2), 1ull);
    IS(__usad(3, 9, 1), 7u), IS(__hadd(-4, 3), -1), IS(__rhadd(3, 4), 4);
    IS(__uhadd(~0u, ~0u), ~0u), IS(__urhadd(~0u, 0), 1u << 31);
    IS(__dp4a(0x010203ff, 0x01010102, 5), 9), IS(__dp4a(0xffu, 0x02u, 1u), 511u);
    IS(umin(1, ~0u) + umax(2, 3), 4u), IS(llmin(-1, 5), -1), IS(ullmax(1, ~0ull), ~0ull);
    IS(__float2uint_rz(3.7f), 3u), IS(__double2int_rn(2.5), 2), IS(__float2int_ru(-0.5f), 0);
    IS(__float2ll_rd(-1e10f), -10000000000), IS(__double2uint_ru(1.1), 2u);
    IS(__hiloint2double(__double2hiint(0.1), __double2loint(0.1)), 0.1);
    IS(__ll2float_rn(1ll << 40), 0x1p40f), IS(__double2float_rn(0.1), 0.1f);
    long4 l = make_long4(1, 2, 3, 4);
    ulong2 u = make_ulong2(5, 6);
    IS(l.w + (long)u.y, 10), IS(sizeof l, 32u);
    __stcs(bad + 1, 7);
    IS(__ldcv(bad + 1), 7);
    IS(__float2int_rn(2.5f), 2), IS(__float2int_rd(-0.5f), -1), IS(__sad(3, 5, 1u), 3u);
}

__global__ void reals(int *bad, float f, double d)
{
    NEAR(rcbrtf(f), 0.5), NEAR(rcbrt(d), 1 / cbrt(3)), NEAR(rhypotf(f, 6), 0.1);
    NEAR(norm3df(2, 3, 6), 7), NEAR(norm4d(1, 1, 1, 1), 2), NEAR(rnorm3d(2, 3, 6), 1. / 7);
    NEAR(rnorm4df(1, 1, 1, 1), 0.5), NEAR(sinpi(0.5), 1), NEAR(cospif(7), -1);
    double s, c;
    sincospi(0.25, &s, &c);
    NEAR(s, c), NEAR(CUDART_PI_F, CUDART_PI);
    IS(min(d, f), 3), IS(max(f, d), 8), IS(rsqrtf(4), 0.5f), IS(__sinf(0), 0);
    float sine, cosine;
    __sincosf(0, &sine, &cosine);
    IS(sine, 0), IS(cosine, 1), IS(__fdividef(1, 4), 0.25f), IS(__expf(0), 1), IS(__logf(1), 0);
    IS(__powf(2, 3), 8), IS(__fsqrt_rn(16), 4), IS(__int2float_rn(3), 3);
    cuFloatComplex z = cuCfmaf(make_cuFloatComplex(1, 2), make_cuComplex(3, -1), cuConjf({0, 1}));
    IS(cuCrealf(z), 5), IS(cuCimagf(z), 4);
    cuDoubleComplex q = cuCdiv(make_cuDoubleComplex(-5, 10), make_cuDoubleComplex(3, 4));
    NEAR(q.x, 1), NEAR(q.y, 2), NEAR(cuCabs(q), sqrt(5.));
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
    nvtxEventAttributes_t event = {};
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    nvtxRangePushA("all"), nvtxRangePushEx(&event), nvtxMark("here");
    int *bad = device<int>(3);
    integers<<<1, 1>>>(bad), bits<<<1, 1>>>(bad), reals<<<1, 1>>>(bad, 8, 3);
    EXPECT(host(bad, 1)[0] == 0 && nvtxRangePop() == 0);
}
