/* Two-byte floats: fused products, conversions, every form of every function. */
#include "rows.h"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class H> __device__ H pat(unsigned i) { unsigned short p = i * 40503u >> 3; H h;
    memcpy(&h, &p, 2); return h; }
template <class H> __device__ H num(int i) { return H((i * 37 % 101 - 50) * 0.37f); }
template <class H> struct vec { H x, y; __device__ H dot(vec o) const { return x * o.x + y * o.y;
    } };
template <class H> __global__ void k(ull *o) { int r = 0, t = threadIdx.x;
    H a = num<H>(t), b = num<H>(t + 7), c = num<H>(t * 3 + 1), d = num<H>(t * 5 + 2); P(a + b);
    P(a * b); P(a / b); P(a * b + c); P(a * b - c); P(c - a * b); P(-(a * b) + c);
    P(a * b + c * d); P(a * a + b * b); P((a + b) * c); P(a + b + c); H p = a * b; P(p + c);
    p += c; P(p); p = a; p *= b; p += c; P(p); p = c; p += a * b; P(p); p -= a * b; P(p);
    H s = H(0.f); for (int i = 0; i < 9; i++) s += num<H>(t + i) * num<H>(t + i * 2); P(s);
    s = H(1.f); for (int i = 0; i < 5; i++) s = s * a + b; P(s); s = 0;
    for (int i = 0; i < 40; i++) s += num<H>(t + i); P(s); float f = 0;
    for (int i = 0; i < 9; i++) f += (float)num<H>(t + i) * (float)num<H>(t + i * 2); P(f);
    P(H(f)); P(__hfma(a, b, c)); P(__hadd(__hmul(a, b), c)); P(__hmul(a, b) + c);
    P(__hadd_rn(__hmul_rn(a, b), c)); P(__hadd(a * b, c)); P(__hmul_rn(a, b) + c);
    P(a > b ? a * c : b * d); vec<H> v = {a, b} ; P(v.dot({c, d}));
    P((float)a * (float)b + (float)c); P((float)(a * b) + 1.f); P(a * H(2.f) + b); P(H(1.f) - a);
    P(a / b + c); P(a * b / c); P(-a * b); P(a - b * c); P(H(0.1f) * a); P(a * b * c + d);
    H q[3] = {a, b, c} ; P(q[0] * q[1] + q[2]); __shared__ H sh[256]; sh[t] = a * b;
    __syncthreads(); P(sh[t ^ 1] + c); P(sh[t ^ 1] * b + c); }
template <class H, class H2> __device__ void two(ull *o) { int r = 0, t = threadIdx.x;
    H2 a(num<H>(t), num<H>(t + 5)), b(num<H>(t + 7), num<H>(t + 1)), c(num<H>(t * 3 + 1), num<H>(t
        + 9));
    P(a + b); P(a * b); P(a * b + c); P(a * b - c); P(c - a * b); H2 s = c; s += a * b; P(s);
    s -= a * b; P(s); P(__hfma2(a, b, c)); P(__hadd2(__hmul2(a, b), c)); P(__hmul2(a, b) + c);
    s = a; for (int i = 0; i < 9; i++) s = s * b + c; P(s); s = a;
    for (int i = 0; i < 9; i++) s = __hfma2(a, b, s); P(s); P(s.x + s.y);
    P(__low2float(s) + __high2float(s)); P(-a); P(a / b); H2 z = a; z *= b; P(z); z.x = z.y; P(z);
    P(a * b + a * c); }
__global__ void k2h(ull *o) { two<__half, __half2>(o); } __global__ void k2b(ull *o) {
    two<__nv_bfloat16, __nv_bfloat162>(o); }
__global__ void conv(ull *o) {
    int r = 0, t = threadIdx.x; __half h = pat<__half>(t * 97);
    __nv_bfloat16 b = pat<__nv_bfloat16>(t * 89); float f = __uint_as_float(t * 16777259u + t);
    double d = __longlong_as_double((long long)t * 72057594037927941ll); int n = t * 8388617;
    long long l = (long long)n * 1000003; P(__short2half_rn((short)n));
    P(__ushort2half_rn((unsigned short)n)); P(__short2bfloat16_rn((short)n));
    P(__ushort2bfloat16_rn((unsigned short)n)); P(__half2int_ru(h)); P(__half2int_rd(h));
    P(__half2uint_rn(h)); P(__half2short_rn(h)); P(__half2ushort_ru(h)); P(__half2ushort_rd(h));
    P(__bfloat162int_ru(b)); P(__bfloat162uint_rd(b)); P(__bfloat162short_rn(b));
    P(__bfloat162ushort_rz(b)); P(__half_as_ushort(h)); P(__half_as_short(h));
    P(__ushort_as_half((unsigned short)n)); P(__bfloat16_as_ushort(b));
    P(__short_as_bfloat16((short)n)); float2 f2 = __half22float2(__floats2half2_rn(f, 1.f));
    P(f2.x); P(f2.y); f2 = __bfloat1622float2(__floats2bfloat162_rn(f, 2.f)); P(f2.x);
    P(__half2half2(h)); P(__lows2half2(__half2half2(h), __float2half2_rn(2.f)));
    P(__highs2half2(__half2half2(h), __float2half2_rn(2.f))); P(__halves2half2(h, h));
    P(__low2half(__float2half2_rn(f))); P(__high2half2(__floats2half2_rn(f, 3.f)));
    P(__bfloat162bfloat162(b)); P(make_bfloat162(b, b)); P(__half(n)); P(__half(l)); P(__half(d));
    P(__nv_bfloat16(d)); P(__nv_bfloat16(n)); P(__nv_bfloat16(l)); P(half(f)); P(nv_bfloat16(f));
    half2 hh = half2(h, h); P(hh); nv_bfloat162 bb(b, b); P(bb);
}
__device__ __half table_h[4]; __constant__ __nv_bfloat16 table_b[3];
__global__ void stored(ull *o) { int r = 0, t = threadIdx.x; P(table_h[t & 3]); P(table_b[t % 3]);
    __shared__ __half2 s[32]; s[t] = __floats2half2_rn(t * .3f, -t); __syncthreads(); P(s[t ^ 1]);
    P(s[31 - t].y); P(__shfl_xor_sync(~0u, s[t], 3)); P(__shfl_down_sync(~0u, table_h[t & 3], 1));
    __half w = t; for (int i = 16; i; i /= 2) w += __shfl_xor_sync(~0u, w, i); P(w);
    __nv_bfloat16 v = t * .7f; for (int i = 16; i; i /= 2) v = v + __shfl_down_sync(~0u, v, i);
    P(v); P(sizeof(half2)); P(alignof(__half)); P(__ldg(&table_h[t & 3])); half big = 60000.f;
    P(big + big); P(big * big); P(-big - big); P(half(1e-7f) / half(2.f));
    P(half(6.1e-5f) * half(.5f)); }
__device__ const unsigned short hspecial[16] = {
    0, 0x8000, 0x7fff, 0x7c00, 0xfc00, 1, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0x7e00, 0x3801, 0x3555,
        0x0400, 0x4248, 0xc8ff};
__device__ const unsigned short bspecial[16] = {
    0, 0x8000, 0x7fff, 0x7f80, 0xff80, 1, 0x8001, 0x3f80, 0xbf80, 0x7f7f, 0x7fc0, 0x3f01, 0x3eaa,
        0x0080, 0x4049, 0xc319};
__device__ __half hs(int i) { __half h; memcpy(&h, &hspecial[i], 2); return h; }
__device__ __nv_bfloat16 bs(int i) { __nv_bfloat16 h; memcpy(&h, &bspecial[i], 2); return h; }
template <class H, class H2> __device__ void forms(ull *o, H a, H b, H c) { int r = 0;
    H2 p(a, b), q(b, c), s(c, c); P(__hadd_sat(a, b)); P(__hsub_sat(a, b)); P(__hmul_sat(a, b));
    P(__hfma_sat(a, b, c)); P(__hfma_relu(a, b, c)); P(__hmax_nan(a, b)); P(__hmin_nan(a, b));
    P(__hadd2_sat(p, q)); P(__hsub2_sat(p, q)); P(__hmul2_sat(p, q)); P(__hfma2_sat(p, q, s));
    P(__hfma2_relu(p, q, s)); P(__hmax2_nan(p, q)); P(__hmin2_nan(p, q)); P(__hadd2_rn(p, q));
    P(__hsub2_rn(p, q)); P(__hmul2_rn(p, q)); P(__heq2(p, q)); P(__hne2(p, q)); P(__hlt2(p, q));
    P(__hle2(p, q)); P(__hgt2(p, q)); P(__hge2(p, q)); P(__hequ2(p, q)); P(__hneu2(p, q));
    P(__hltu2(p, q)); P(__hleu2(p, q)); P(__hgtu2(p, q)); P(__hgeu2(p, q)); P(__hbeq2(p, q));
    P(__hbne2(p, q)); P(__hblt2(p, q)); P(__hble2(p, q)); P(__hbgt2(p, q)); P(__hbge2(p, q));
    P(__hbequ2(p, q)); P(__hbneu2(p, q)); P(__hbltu2(p, q)); P(__hbleu2(p, q)); P(__hbgtu2(p, q));
    P(__hbgeu2(p, q)); P(__heq2_mask(p, q)); P(__hlt2_mask(p, q)); P(__hneu2_mask(p, q));
    P(__hisnan2(p)); P(p == q); P(p != q); P(p < q); P(p <= q); P(p > q); P(p >= q); P(htrunc(a));
    P(hceil(a)); P(hfloor(a)); P(hrint(a)); P(hsqrt(a)); P(hrcp(a)); P(hrsqrt(a)); P(h2sqrt(p));
    P(h2trunc(p)); P(h2floor(p)); P(h2ceil(p)); P(h2rint(p)); P(h2rcp(p)); P(hexp(a));
    P(hexp2(a)); P(hlog(a)); P(hlog2(a)); P(hsin(a)); P(hcos(a)); P(hexp10(a)); P(hlog10(a));
    P(hsqrt(c)); }
__global__ void forms_h(ull *o) {
    forms<__half, __half2>(o, hs(threadIdx.x / 16), hs(threadIdx.x % 16), hs(threadIdx.x * 7 % 16));
    }
__global__ void forms_b(ull *o) {
    forms<__nv_bfloat16, __nv_bfloat162>(o, bs(threadIdx.x / 16), bs(threadIdx.x % 16),
        bs(threadIdx.x * 7 % 16));
    }

__global__ void more(ull *o) { int r = 0, t = threadIdx.x; __half a, b;
    memcpy(&a, &hspecial[t / 16], 2); memcpy(&b, &hspecial[t % 16], 2); __nv_bfloat16 c;
    memcpy(&c, &hspecial[t / 16], 2); long long l = t * 123456789ll - 9999999999ll;
    P(__half2ll_rz(a)); P(__half2ull_rz(a)); P(__half2ll_rn(a)); P(__half2char_rz(a));
    P(__half2uchar_rz(a)); P(__ll2half_rn(l)); P(__ull2half_rn(l)); P(__int2half_rz(t * 8388617));
    P(__int2half_ru(t * 8388617)); P(__int2half_rd(t * 8388617)); P(__bfloat162ll_rz(c));
    P(__ll2bfloat16_rn(l)); P(__uint2bfloat16_rz(t * 8388617u));
    P(__hcmadd(__half2(a, a), __half2(a, b), __half2(a, a))); }
template <class H> __device__ H half_of(int i) { unsigned short p = i * 257 + (i >> 3); H h;
    memcpy(&h, &p, 2); return h; }
template <class H> __global__ void from_half(ull *o) { int r = 0, i = threadIdx.x;
    H h = half_of<H>(i); P((int)h); P((unsigned)h); P((short)h); P((unsigned short)h);
    P((long long)h); P((unsigned long long)h); P((signed char)h); P((unsigned char)h); P((bool)h);
    P((float)h); P((double)(float)h); P(int(h)); P(static_cast<int>(h)); P((char)h); P((long)h);
    P((unsigned long)h); float f = h; P(f); int n = h; P(n); short s = h; P(s); unsigned u = h;
    P(u); long long l = h; P(l); ull m = h; P(m); bool b = h; P(b); if (h) P(1); else P(0); P(!h);
    unsigned char c = h; P(c); H g; g = 3; P(g); g = 2.7f; P(g); g = -1e9; P(g);
    g = (unsigned short)65535; P(g); g = -7ll; P(g); g = 4294967295u; P(g); g = 1.0e-8; P(g);
    g = (short)-5; P(g); H k(12345678ull); P(k); H j = H(0.1); P(j); H e = 0.1f; P(e);
    P(H((int)i * 1001 - 100000)); P(H(i * 1e-9f)); P(static_cast<H>(i * 300.0)); P((H)(i * 257u));
    }

int main()
{
    __half h[4] = {1.5, -2, 0.1f, 65504};
    __nv_bfloat16 b[3] = {1, -2.5f, 0.3};
    cudaMemcpyToSymbol(table_h, h, sizeof h);
    cudaMemcpyToSymbol(table_b, b, sizeof b);
    show("half", k<__half>, 256);
    show("bf16", k<__nv_bfloat16>, 256);
    show("half2", k2h, 256);
    show("bf162", k2b, 256);
    show("conv", conv, 256);
    show("stored", stored, 32);
    show("h", forms_h, 256);
    show("b", forms_b, 256);
    show("more", more, 256);
    show("from_h", from_half<__half>, 256);
    show("from_b", from_half<__nv_bfloat16>, 256);
}
