/* Each operation on two-byte floats, of all 65,536 patterns: a hash of the results' bits, of half
 * and of bfloat16. halves.cu has a * b + c by operators. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>

template <class T> __device__ unsigned bits(T value)
{
    unsigned word = 0;
    memcpy(&word, &value, sizeof value < 4 ? sizeof value : 4);
    return word;
}

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

__device__ float as_float(unsigned word)
{
    float value;
    memcpy(&value, &word, 4);
    return value;
}

/* A GPU's arithmetic gives this NaN. */
__device__ float quiet(float value)
{
    return value == value ? value : as_float(0x7fffffff);
}

/* a is pattern i; b, c and d others; f a float near half way between neighbours of a; n an int. */
#define KERNEL(KIND, T, T2, SHIFT, name, ...)                                                      \
    __global__ void KIND##_##name(unsigned *out)                                                   \
    {                                                                                              \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x, tail = (i * 2654435761u >> 7) & 3;     \
        T a = of<T>(i), b = of<T>(i * 40503u + 12345), c = of<T>(i * 30011u + 777);                \
        T d = of<T>(i * 50021u + 99);                                                              \
        T2 a2 = pair_of<T2>(a, b), b2 = pair_of<T2>(c, d), c2 = pair_of<T2>(b, a);                 \
        unsigned near = tail ? (1u << (SHIFT - 1)) + tail - 2 : i & 1;                             \
        float f = as_float(bits(__##KIND##2float(a)) + (near & ((1u << SHIFT) - 1)));              \
        int n = (int)(i * 2654435761u) >> (i % 31);                                                \
        (void)a2, (void)b2, (void)c2, (void)d, (void)f, (void)n;                                   \
        out[i] = bits(__VA_ARGS__);                                                                \
    }
/* name, the operation */
#define OPERATIONS(H, H2, HALF, HALF2) \
    OP(to_float, __##HALF##2float(a)) \
    OP(from_float, __float2##HALF(f)) \
    OP(from_float_rn, __float2##HALF##_rn(f)) \
    OP(from_float_rz, __float2##HALF##_rz(f)) \
    OP(from_float_rd, __float2##HALF##_rd(f)) \
    OP(from_float_ru, __float2##HALF##_ru(f)) \
    OP(from_any_float, __float2##HALF##_rn(as_float(i * 2654435761u))) \
    OP(from_double, __double2##HALF(f * 1.0000000001)) \
    OP(from_int, __int2##HALF##_rn(n)) \
    OP(from_unsigned, __uint2##HALF##_rn((unsigned)n)) \
    OP(to_int, __##HALF##2int_rz(a)) \
    OP(to_int_rn, __##HALF##2int_rn(a)) \
    OP(to_unsigned, __##HALF##2uint_rz(a)) \
    OP(to_short, __##HALF##2short_rz(a)) \
    OP(add, __hadd(a, b)) \
    OP(sub, __hsub(a, b)) \
    OP(mul, __hmul(a, b)) \
    OP(div, __hdiv(a, b)) \
    OP(fma, __hfma(a, b, c)) \
    OP(neg, __hneg(a)) \
    OP(abs, __habs(a)) \
    OP(max, __hmax(a, b)) \
    OP(min, __hmin(a, b)) \
    OP(max_of_zeros, __hmax(of<H>(i & 0x8000), of<H>(i << 15))) \
    OP(less, __hlt(a, b) + 2 * __hgt(a, b) + 4 * __heq(a, c) + 8 * __hne(a, c) + \
       16 * __hle(a, d) + 32 * __hge(a, d)) \
    OP(not_numbers, __hisnan(a) + 2 * (int)__hisinf(a)) \
    OP(compared, (a < b) + 2 * (a > b) + 4 * (a == c) + 8 * (a != c) + \
       16 * (a <= d) + 32 * (a >= d) + 64 * (bool)a) \
    OP(float_and_back, (H)((float)a + (float)b)) \
    OP(two_to_floats, quiet(__##HALF2##2float2(a2).x + 2 * __##HALF2##2float2(a2).y)) \
    OP(two_from_floats, __floats2##HALF2##_rn(f, (float)b)) \
    OP(two_from_float2, __float22##HALF2##_rn(make_float2(f, (float)b))) \
    OP(two_from_float, __float2##HALF2##_rn(f)) \
    OP(add2, __hadd2(a2, b2)) \
    OP(sub2, __hsub2(a2, b2)) \
    OP(mul2, __hmul2(a2, b2)) \
    OP(fma2, __hfma2(a2, b2, c2)) \
    OP(max2, __hmax2(a2, b2)) \
    OP(min2, __hmin2(a2, b2))

#define OP(name, ...) KERNEL(half, __half, __half2, 13, name, __VA_ARGS__)
OPERATIONS(__half, __half2, half, half2)
#undef OP
#define OP(name, ...) KERNEL(bfloat16, __nv_bfloat16, __nv_bfloat162, 16, name, __VA_ARGS__)
OPERATIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
#undef OP

static const struct {
    const char *name;
    void (*kernel)(unsigned *out);
} operations[] = {
#define OP(name, ...) {"half_" #name, half_##name},
    OPERATIONS(__half, __half2, half, half2)
#undef OP
#define OP(name, ...) {"bfloat16_" #name, bfloat16_##name},
    OPERATIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
};

int main()
{
    unsigned *out;
    static unsigned got[65536];

    cudaMallocManaged(&out, sizeof got);
    for (auto &each : operations) {
        unsigned long long hash = 14695981039346656037ull;

        each.kernel<<<256, 256>>>(out);
        cudaDeviceSynchronize();
        for (int i = 0; i < 65536; i++)
            hash = (hash ^ out[i]) * 1099511628211ull;
        printf("%s %016llx\n", each.name, hash);
    }
}
