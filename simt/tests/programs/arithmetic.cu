/* The vector types, intrinsics, the mathematical functions that C has not. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
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
    IS(sizeof __shfl_sync(1, (char)1, 0), sizeof(int));
}

__global__ void reals(int *bad, float f, double d)
{
    IS(min(d, f), 3), IS(max(f, d), 8), IS(rsqrtf(4), 0.5f), IS(__sinf(0), 0);
    float sine, cosine;
    __sincosf(0, &sine, &cosine);
    IS(sine, 0), IS(cosine, 1), IS(__fdividef(1, 4), 0.25f), IS(__expf(0), 1), IS(__logf(1), 0);
    IS(__powf(2, 3), 8), IS(__fsqrt_rn(16), 4), IS(__int2float_rn(3), 3);
}

/* Casts to types that the source names. */
typedef unsigned long long word;
using narrow = unsigned short;
enum class wide : long long { MOST = 1ll << 40 };
enum level : unsigned char { HIGH = 5 };
template <class T> __device__ T by_cast(float f) { return (T)f; }
template <typename T> __device__ T by_call(float f) { return T(f * 2); }
template <typename T> __device__ T by_static_cast(float f) { return static_cast<T>(f); }
struct handle {
    int v;
    __device__ handle(int v) : v(v) {}
    handle(const handle &) = delete;
    __device__ operator int() const { return v; }
};
struct place {
    int *p;
    __device__ place(int &variable) : p(&variable) {}
};
template <class T, class X> __device__ T any(X &x) { return (T)x; }

__global__ void casts(int *bad, float f)
{
    struct { unsigned five : 5; } field = {3};
    handle own(7);
    int variable = 1;
    *place(variable).p = 9;
    IS(by_cast<int>(f), INT_MAX), IS(by_call<unsigned char>(f), 255), IS((word)-f, 0u);
    IS(by_static_cast<word>(f), 3000000000u), IS((narrow)f, 24064), IS(any<float>(f), f);
    IS((level)(int)f, 255), IS(word(-f), 0u), IS((narrow)field.five, 3), IS(variable, 9);
    IS((int)own, 7), IS(any<long>(own), 7), IS((long long)wide::MOST >> 38, 4);
}

/* The raw forms and constants of two-byte floats; what they compute is in data/h200. */
__global__ void halves(int *bad)
{
    __half_raw raw;
    raw.x = 0x3c00;
    __half one(raw);
    __half2_raw pair = __half2(one, -one);
    IS(pair.y, 0xbc00), IS((float)__half2(pair).x, 1), IS(((__half_raw)one).x, 0x3c00);
    IS((float)(one + CUDART_ONE_FP16), 2), IS((float)CUDART_MAX_NORMAL_FP16, 65504);
    IS(CUDART_ONE_BF16 < CUDART_INF_BF16, true), IS(isnan((float)CUDART_NAN_BF16) != 0, true);
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
    casts<<<1, 1>>>(bad, 3e9f), halves<<<1, 1>>>(bad);
    EXPECT(host(bad, 1)[0] == 0);
}
