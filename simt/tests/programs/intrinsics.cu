/* The vector types; intrinsics by families: the roundings of conversions against the exact
 * result, the others against values worked out by hand. (Rounded arithmetic: data/h200/exact.cu.) */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>
#include <math_functions.h>
#include <cfloat>
#include <cstdio>
#define LAYOUT(type, size, alignment) EXPECT(sizeof(type) == size && alignof(type) == alignment)
#define IS(a, b) ((a) == (b) ? 0 : printf("line %d: not so: %s\n", __LINE__, #a " == " #b))
#define HOLDS(...) IS(!(__VA_ARGS__), false)
/* down <= exact <= up, neighbours or equal; towards zero and to the nearest are one of them each.
 * is_above(r) tells how far r lies above what is exact. */
#define ROUNDED(name, type, is_above, next, ...)                                                   \
    do {                                                                                           \
        type r = name##_rd(__VA_ARGS__), up = name##_ru(__VA_ARGS__), cut = name##_rz(__VA_ARGS__);\
        HOLDS((is_above) <= 0 && (r == up || next(r, (type)INFINITY) == up));                      \
        HOLDS(cut == (r < 0 ? up : r) && (name##_rn(__VA_ARGS__) == r || name##_rn(__VA_ARGS__) == up));\
        r = up;                                                                                    \
        HOLDS((is_above) >= 0);                                                                    \
    } while (0)
#define TO_INTEGER(name, v, rn, rz, rd, ru)                                                        \
    IS(name##_rn(v), rn), IS(name##_rz(v), rz), IS(name##_rd(v), rd), IS(name##_ru(v), ru)

__global__ void roundings()
{
    unsigned long long state = threadIdx.x + 1;
    for (int i = 0; i < 40; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        double x = (double)(long long)state;
        ROUNDED(__double2float, float, r - x, nextafterf, x);
        long long s = (long long)state >> 2;
        ROUNDED(__ll2float, float, (long long)r - s, nextafterf, s);
        ROUNDED(__ll2double, double, (long long)r - s, nextafter, s);
        ROUNDED(__ull2float, float, (double)r - (double)(state >> 12), nextafterf, state >> 12);
        ROUNDED(__int2float, float, (double)r - (int)state, nextafterf, (int)state);
        ROUNDED(__uint2float, float, (double)r - (unsigned)state, nextafterf, (unsigned)state);
    }
    IS(__ull2double_ru(~0ull), 0x1p64), IS(__ull2double_rz(~0ull), 0x1.fffffffffffffp63);
    IS(__fadd_ru(FLT_MAX, 1), CUDART_INF_F), IS(__fadd_rz(FLT_MAX, FLT_MAX), FLT_MAX);
    IS(__fmul_rd(0x1p-149f, 0.5f), 0), IS(__fmul_ru(0x1p-149f, 0.5f), 0x1p-149f);
    IS(signbit(__fsub_rd(1, 1)), true), IS(signbit(__fsub_rn(1, 1)), false);
    float product = 1.1f * 1.1f, one = product; /* nothing is fused with an intrinsic */
    IS(__fadd_rn(__fmul_rn(1.1f, 1.1f), -one), 0), IS(__fmul_rn(1.1f, 1.1f) - one, 0);
    IS(__frsqrt_rn(16), 0.25f), IS(__saturatef(NAN), 0), IS(__saturatef(1.5f), 1);
}

__global__ void integers()
{
    TO_INTEGER(__float2int, 2.5f, 2, 2, 2, 3);
    TO_INTEGER(__float2uint, -0.5f, 0u, 0u, 0u, 0u);
    TO_INTEGER(__float2ll, -2.5f, -2, -2, -3, -2);
    TO_INTEGER(__float2ull, 1e30f, ~0ull, ~0ull, ~0ull, ~0ull);
    TO_INTEGER(__double2int, -1e30, INT_MIN, INT_MIN, INT_MIN, INT_MIN);
    TO_INTEGER(__double2uint, 3.5, 4u, 3u, 3u, 4u);
    TO_INTEGER(__double2ll, -3.5, -4, -3, -4, -3);
    TO_INTEGER(__double2ull, 0.5, 0ull, 0ull, 0ull, 1ull);
    IS(__int2double_rn(-3), -3), IS(__uint2double_rn(~0u), 4294967295.0);
    IS(__brevll(1), 1ull << 63), IS(__byte_perm(0x33221100, 0x77665544, 0xfb40), 0x77334400);
    IS(__funnelshift_l(0x80000001, 0x40000000, 33), 0x80000001), IS(__funnelshift_lc(5, 7, 40), 5);
    IS(__funnelshift_r(0x80000001, 3, 1), 0xc0000000), IS(__funnelshift_rc(5, 7, 32), 7);
    IS(__fns(0x29, 1, 1), 3), IS(__fns(0x29, 1, 2), 5), IS(__fns(0x29, 4, -1), 3);
    IS(__fns(0x29, 0, 4), ~0u), IS(__fns(0x29, 3, 0), 3), IS(__fns(0x29, 2, 0), ~0u);
    IS(__mul64hi(-1, 1), -1), IS(__umul64hi(~0ull, ~0ull), ~1ull), IS(__mulhi(-1, 1), -1);
    IS(__sad(INT_MIN, INT_MAX, 1), 0), IS(__usad(1, 5, 2), 6), IS(__hadd(-3, 0), -2);
    IS(__rhadd(-3, 0), -1), IS(__uhadd(~0u, ~0u), ~0u), IS(__urhadd(~0u, ~0u), ~0u);
    IS(__dp4a(0x7f80ff01, 0x02030405, 10), 127 * 2 - 128 * 3 - 4 + 5 + 10);
    IS(__dp4a(0xff000001u, 0x02000003u, 1u), 255u * 2 + 3 + 1);
    IS(__dp4a(make_char4(1, -1, 2, 0), make_char4(3, 4, 5, 6), 7), 3 - 4 + 10 + 7);
    IS(__dp2a_lo(0x0002ffff, 0x04030201, 5), -1 + 4 + 5), IS(__dp2a_hi(0x00020001, 0x04030201, 0), 11);
    IS(__hiloint2double(__double2hiint(0.1), __double2loint(0.1)), 0.1);
    IS(sizeof __shfl_sync(1, (char)1, 0), sizeof(int));
    IS(umax(1, 2), 2), IS(llmin(-1, 1), -1), IS(ullmax(1, 2), 2);
}

__global__ void packed()
{
    IS(__vadd2(0xffff0001, 0x00020003), 0x00010004), IS(__vadd4(0xff010203, 0x01010101), 0x00020304);
    IS(__vaddss2(0x7fff8000, 0x0001ffff), 0x7fff8000), IS(__vaddus4(0xff01fe80, 0x01010180), 0xff02ffff);
    IS(__vsub4(0, 0x01020304), 0xfffefdfc), IS(__vsubus2(0x00010005, 0x00020003), 2);
    IS(__vsubss4(0x80007f00, 0x0100ff00), 0x80007f00), IS(__vneg2(0x80000001), 0x8000ffff);
    IS(__vnegss2(0x80000001), 0x7fffffff), IS(__vabs4(0x80ff017f), 0x8001017f);
    IS(__vabsss4(0x80ff017f), 0x7f01017f), IS(__vavgs2(0xffff0001, 0), 0xffff0001);
    IS(__vavgu4(0xff000102, 0xff010103), 0xff010103), IS(__vhaddu4(0xff000102, 0xff010103), 0xff000102);
    IS(__vmaxs2(0x8000ffff, 0x00000001), 1), IS(__vmaxu2(0x8000ffff, 1), 0x8000ffff);
    IS(__vmins4(0x80ff0102, 0), 0x80ff0000), IS(__vminu4(0x80ff0102, 0x01010101), 0x01010101);
    IS(__vabsdiffs2(0x80000003, 0x7fff0005), 0xffff0002), IS(__vabsdiffu4(0x01ff0000, 0xff010000), 0xfefe0000);
    IS(__vsads2(0x80000003, 0x7fff0005), 0x10001), IS(__vsadu4(0x01ff0003, 0xff010000), 254 + 254 + 3);
    IS(__vsads4(0x80000000, 0x7f000000), 255), IS(__vsadu2(0x00010000, 0x00000005), 6);
    IS(__vcmpeq2(0x00010002, 0x00010003), 0xffff0000), IS(__vcmpne4(1, 2), 0xff);
    IS(__vcmpgts4(0x80000001, 0), 0xff), IS(__vcmpgtu4(0x80000001, 0), 0xff0000ff);
    IS(__vcmples2(0x80000001, 0), 0xffff0000), IS(__vsetgeu2(0x80000001, 0x00010002), 0x00010000);
    IS(__vsetlts4(0xff000000, 0x01000001), 0x01000001), IS(__vseteq4(0, 0), 0x01010101);
}

/* Sources: tables of these functions, to 17 digits. */
__global__ void functions(float *p)
{
    IS(sinpif(1.5f), -1), IS(cospif(0.5f), 0), IS(sinpi(0.25), CUDART_SQRT_HALF), IS(cospi(1e20), 1);
    IS(erfinv(0.5), 0.47693627620446987), IS(erfcinv(1e-10), 4.5728249673894853), IS(erfcxf(0), 1);
    IS(erfcx(10.0), 0.056140992743822586), IS(normcdf(-1.0), 0.15865525393145705);
    IS(normcdfinv(0.75), 0.67448975019608174), IS(rcbrtf(-8), -0.5f), IS(rhypotf(3, 4), 0.2f);
    IS(norm3df(2, 3, 6), 7), IS(norm4d(1, 1, 1, 1), 2), IS(rnorm3d(2, 3, 6), 1 / 7.0);
    IS(norm4df(1e30f, 0, 0, 0), 1e30f), IS(rnorm4df(NAN, INFINITY, 0, 0), 0), IS(erfinvf(1), INFINITY);
    p[0] = 3, p[1] = 4;
    IS(normf(2, p), 5), IS(rnormf(2, p), 0.2f);
    sincospif(0.5f, p, p + 1);
    IS(p[0], 1), IS(p[1], 0);
    IS(sizeof sinpi(0.5f) + sizeof j0(1.f) + sizeof rsqrt(4.0), 16);
    IS(min(-1l, 1ul), 1), IS(max(1ull, -1ll), ~0ull);
    p[0] = 1, p[1] = 2;
    IS(atomicAdd((float2 *)p, make_float2(2, 3)).y, 2), IS(p[0] + p[1], 8);
    __sincosf(0, p, p + 1);
    IS(p[0], 0), IS(p[1], 1), IS(min(3., 4.f), 3), IS(make_long4(1, 2, 3, 4).w + make_ulong2(5, 6).y, 10u);
    __stcs(p, 7.f);
    IS(__ldcv(p), 7);
    float most = -CUDART_INF_F;
    IS(fmaxf(most, -FLT_MAX), -FLT_MAX), IS(CUDART_NAN_F == CUDART_NAN_F, false);
    double4_32a four = make_double4_32a(1, 2, 3, 4);
    IS(four.w + alignof(double4_16a), 20);
}

/* The raw forms and constants of two-byte floats; what they compute is in data/h200. */
__global__ void halves()
{
    __half_raw raw;
    raw.x = 0x3c00;
    __half one(raw);
    __half2_raw pair = __half2(one, -one);
    IS(pair.y, 0xbc00), IS((float)__half2(pair).x, 1), IS(((__half_raw)one).x, 0x3c00);
    IS((float)__half(__nv_bfloat16(__half(1.003f))), 1);
    IS((float)(one + CUDART_ONE_FP16), 2), IS((float)CUDART_MAX_NORMAL_FP16, 65504);
    IS(CUDART_ONE_BF16 < CUDART_INF_BF16, true), IS(isnan((float)CUDART_NAN_BF16) != 0, true);
}

int main()
{
    LAYOUT(char1, 1, 1); LAYOUT(char2, 2, 2); LAYOUT(char3, 3, 1); LAYOUT(uchar4, 4, 4);
    LAYOUT(short3, 6, 2); LAYOUT(ushort4, 8, 8); LAYOUT(int1, 4, 4); LAYOUT(int2, 8, 8);
    LAYOUT(int3, 12, 4); LAYOUT(int4, 16, 16); LAYOUT(uint4, 16, 16); LAYOUT(float2, 8, 8);
    LAYOUT(float3, 12, 4); LAYOUT(float4, 16, 16); LAYOUT(double2, 16, 16);
    LAYOUT(longlong2, 16, 16); LAYOUT(dim3, 12, 4);
    roundings<<<1, 32>>>(), integers<<<1, 1>>>(), packed<<<1, 1>>>(), functions<<<1, 1>>>(device<float>(2));
    halves<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
}
