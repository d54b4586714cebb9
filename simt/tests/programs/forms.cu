/* Casts and shifts in all their forms, which the rewriter has go another way (compile/values.c),
 * and what only looks like one. */
#include <climits>
#include <cstdint>
#include <type_traits>
template <class F> __device__ int call(F f, int a) { return f(a); }
struct S {
    int v;
    __device__ S(int x) : v(int(x * 1.5f)) {}
    __device__ int get() const { return int(v) << int(1); }
    __device__ explicit operator int() const { return v; }
    __device__ explicit operator unsigned() const { return unsigned(v); }
};
template <class T, int N = int(2.7)> struct Q {
    T a[N];
    static constexpr int size = int(N) << 1;
};
__device__ int two(int (*p)[2], int (&q)[2], float (*f)(float))
{
    return p[0][1] + q[0] + int(f(2.9f));
}
__device__ float half_of(float x) { return x / 2; }
template <class T> __device__ T conv(float x) { return (T)x; }
template <class T> __device__ int sh(T v)
{
    if constexpr (std::is_integral<T>::value && (int)sizeof(T) >> 2 == 1)
        return v << 3;
    return int(v);
}
#define ROUND(x) ((int)((x) + .5f))
#define MASK(n)  ((1u << (n)) - 1)
__global__ void k(int *o, const float *f, int n)
{
    o += 32 * (int)threadIdx.x;
    int i = (int)threadIdx.x + (int)blockIdx.x * (int)blockDim.x;
    size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int t[2] = {1, (int)f[0]}, u[1][2] = {{(int)1.f, int(2)}};
    auto lam = [&](int(*p)[2], int) -> int { return (*p)[0] << (int)n; };
    o[0] = two(u, t, half_of) + lam(&t, 3) + call([](int a) { return a >> 1; }, (int)j);
    o[1] = ROUND(f[1]) + MASK(i & 31);
    o[2] = S(3).get() + int(S(4)) + (int)S(5) + static_cast<int>(S(6)) + (int)conv<float>(2.5f);
    unsigned char *c = (unsigned char *)o + 64;
    c[0] = (unsigned char)(f[0] * 255);
    c[1] = (unsigned char)f[1] >> 1;
    int (*fp)(int(*)[2], int(&)[2], float (*)(float)) = two;
    o[3] = fp(u, t, half_of);
    uint64_t h = 1469598103934665603ull;
    h ^= (uint64_t)n << 7 ^ h >> 13;
    h *= 0x9e3779b97f4a7c15ull;
    o[4] = (int)(h >> 32) & (int)0xff;
    o[5] = sh(3) + sh(2.5f) + Q<int>::size;
    const int W = 1 << 3, V = (int)sizeof(int) * W;
    __shared__ float s[V >> 1][W];
    s[(int)threadIdx.x >> 3 & 7][i & 7] = f[i];
    __syncthreads();
    o[6] = (int)s[0][0] + (s[1][1] > (float)(int)s[0][1] ? (int)s[0][2] : -(int)s[0][3]);
    switch (n & 3) {
    case (int)sizeof(char): o[7] = 1; break;
    case 1 << 1: o[7] = 2; break;
    default: o[7] = (int)'a';
    }
    if (n < (int)4 && i > (int)2)
        o[8] = n;
    o[9] = n < 3 ? (int)f[1] : n > (int)f[2] ? 1 : 0;
    bool b = (int)f[0] && !(int)f[1];
    o[10] = b;
    goto end;
end:
    o[11] = (int)(double)(float)f[2];
    o[12] = ((int)f[1]);
    do o[13] = (int)f[2]; while ((int)f[0] > 9);
    for (unsigned d = (unsigned)warpSize >> 1; d; d >>= 1)
        o[14] += __shfl_xor_sync(~0u, (int)d, (int)d);
    o[15] = 1 << __popc(__ballot_sync(0xffffffff, (int)f[i] > 2) & MASK(3));
    o[16] = (short)n * (short)3 + (long long)n % 2 + (unsigned)-1 / 2u;
    enum { A = 1 << 4, B = (int)2.5 };
    o[17] = A + B;
    int *q = &o[18];
    *q++ = (int)f[1];
    (*q)++;
    q[(int)0] += (int)f[1] << (int)B;
    volatile int vv = (int)f[2];
    vv <<= (int)1;
    o[20] = (int)vv;
    o[21] = int{3} + int();

    o[22] = alignof(int) << n;
    o[23] = noexcept((int)f[0]);
    float g = f[1] + .5f;
    o[24] = (int)g < g && n > (1) ? 1 : (int)g < n ? n > (1) : 2;
    o[25] = (int)Q<float>{f[1], f[2]}.a[0];
    if ((int)f[0] < n)
        o[26] = n > (1);
    int Call = n + 5, N = 9;
    o[27] = (Call) & 3;
    o[28] = (Call) - 1 + (N) * 2;
    int T = n + 5; /* above it is a template's parameter */
    o[29] = (T) & 3;
    o[30] = (T) - 1 + conv<unsigned>(f[0] - 10);
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

__global__ void casts(float f)
{
    struct { unsigned five : 5; } field = {3};
    handle own(7);
    int variable = 1;
    *place(variable).p = 9;
    EXPECT(by_cast<int>(f) == INT_MAX && by_call<unsigned char>(f) == 255 && (word)-f == 0);
    EXPECT(by_static_cast<word>(f) == 3000000000u && (narrow)f == 24064 && any<float>(f) == f);
    EXPECT((level)(int)f == 255 && word(-f) == 0 && (narrow)field.five == 3 && variable == 9);
    EXPECT((int)own == 7 && any<long>(own) == 7 && (long long)wide::MOST >> 38 == 4);
}

int main()
{
    float h[64];
    for (int i = 0; i < 64; i++)
        h[i] = (int)(i + .75f);
    int *o = device<int>(1024);
    float *f = device<float>(64);
    OK(cudaMemcpy(f, h, sizeof h, cudaMemcpyHostToDevice));
    k<<<1, 32>>>(o, f, 2), casts<<<1, 1>>>(3e9f);
    const int expected[] = {8, 1, 32, 4, 19,          30, 2, 2, 0, 1, 0,  2,
                            1, 2, 31, 1, -2147483643, 18, 1, 5, 4, 3, 16, 1, 1, 1, 1, 3, 24, 3, 6};
    int *r = host(o, 31);
    for (int i = 0; i < 31; i++)
        EXPECT(r[i] == expected[i]);
}
