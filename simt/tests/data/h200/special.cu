/* Minimum, maximum, comparisons and arithmetic of special values, in pairs. */
#include "rows.h"
#include <cmath>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ const unsigned special[16] = {
    0, 0x80000000u, 0x7fffffffu, 0x7f800000u, 0xff800000u, 0x00000001u, 0x80000001u, 0x3f800000u,
        0xbf800000u, 0x7f7fffffu, 0x7fc00000u, 0xffc00000u, 0x7f800001u, 0x00800000u, 0x40490fdbu,
        0x807fffffu};
__device__ const ull dspecial[16] = {
    0, 0x8000000000000000ull, 0x7fffffffffffffffull, 0x7ff0000000000000ull, 0xfff0000000000000ull,
        1, 0x8000000000000001ull, 0x3ff0000000000000ull, 0xbff0000000000000ull, 0x7fefffffffffffffull,
        0x7ff8000000000000ull, 0xfff8000000000000ull, 0x7ff0000000000001ull, 0x0010000000000000ull,
        0x400921fb54442d18ull, 0x800fffffffffffffull};
__device__ const unsigned short hspecial[16] = {
    0, 0x8000, 0x7fff, 0x7c00, 0xfc00, 1, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0x7e00, 0xfe00, 0x7c01,
        0x0400, 0x4248, 0x83ff};
__device__ const unsigned short bspecial[16] = {
    0, 0x8000, 0x7fff, 0x7f80, 0xff80, 1, 0x8001, 0x3f80, 0xbf80, 0x7f7f, 0x7fc0, 0xffc0, 0x7f81,
        0x0080, 0x4049, 0x807f};
__device__ __half hs(int i) { __half h; memcpy(&h, &hspecial[i], 2); return h; }
__device__ __nv_bfloat16 bs(int i) { __nv_bfloat16 h; memcpy(&h, &bspecial[i], 2); return h; }
__global__ void floats(ull *o) { int r = 0, t = threadIdx.x;
    float a = __uint_as_float(special[t / 16]), b = __uint_as_float(special[t % 16]);
    P(fminf(a, b)); P(fmaxf(a, b)); P(min(a, b)); P(max(a, b)); P(fmin(a, b)); P(fmax(a, b));
    P(std::fmin(a, b)); P(std::fmax(a, b)); P(a < b ? a : b); P(a > b ? a : b); P(b < a ? b : a);
    P(fdimf(a, b)); P(copysignf(a, b)); P(fabsf(a)); P(-a); P(a == b); P(a != b); P(a < b);
    P(a <= b); P(a > b); P(a >= b); P(isnan(a)); P(isinf(a)); P(isfinite(a)); P(signbit(a) != 0);
    P(!a); P(a && b); P(a + b); P(a - b); P(a * b); P(a / b); P(sqrtf(a)); P(fmodf(a, b));
    P(remainderf(a, b)); P(nextafterf(a, b)); P(fminf(a, 1.f)); P(fmaxf(0.f, a));
    P(fmaxf(-0.f, a)); P(fminf(fmaxf(a, 0.f), 1.f)); P(__saturatef(a)); P(min(a, (float)t));
    P(fmaxf(fmaxf(a, b), 1.f)); P(abs(a)); P(std::abs(b)); P(fabs(a)); P(max(max(a, b), -1.f));
    P(__fmul_rn(a, b)); P(__fadd_rz(a, b)); P(__fdiv_rn(a, b)); P(__frcp_rn(a)); P(__fsqrt_rn(b));
    P(fmaf(a, b, 1.f)); P(__fmaf_rn(a, b, a)); P(a * 0.f); P(0.f - a); P(a + 0.f); P(a - 0.f);
    P(-0.f + a); P(a * 1.f); P(a / 1.f); P(a * -1.f); }
__global__ void doubles(ull *o) { int r = 0, t = threadIdx.x;
    double a = __longlong_as_double(dspecial[t / 16]), b = __longlong_as_double(dspecial[t % 16]);
    P(fmin(a, b)); P(fmax(a, b)); P(min(a, b)); P(max(a, b)); P(std::fmin(a, b));
    P(a < b ? a : b); P(a > b ? a : b); P(fdim(a, b)); P(copysign(a, b)); P(fabs(a)); P(-a);
    P(a == b); P(a != b); P(a < b); P(a <= b); P(isnan(a)); P(isinf(a)); P(isfinite(a));
    P(signbit(a) != 0); P(a + b); P(a - b); P(a * b); P(a / b); P(sqrt(a)); P(fmod(a, b));
    P(remainder(a, b)); P(nextafter(a, b)); P((float)a); P(min(a, 1.f)); P(max(1.f, a));
    P(abs(a)); P(fma(a, b, 1.)); P(a + 0.); P(0. - a); P(a * -1.); P(__dadd_ru(a, b));
    P(__drcp_rn(a)); P(__dsqrt_rz(b)); P(__ddiv_rd(a, b)); }
template <class H> __device__ void halves(ull *o, H a, H b) { int r = 0; P(__hmin(a, b));
    P(__hmax(a, b)); P(__habs(a)); P(__hneg(a)); P(-a); P(+a); P(a + b); P(a - b); P(a * b);
    P(a / b); P(__hadd(a, b)); P(__hsub(a, b)); P(__hmul(a, b)); P(__hdiv(a, b));
    P(__hfma(a, b, a)); P(a == b); P(a != b); P(a < b); P(a <= b); P(a > b); P(a >= b);
    P(__heq(a, b)); P(__hne(a, b)); P(__hlt(a, b)); P(__hle(a, b)); P(__hgt(a, b));
    P(__hge(a, b)); P(__hequ(a, b)); P(__hneu(a, b)); P(__hltu(a, b)); P(__hleu(a, b));
    P(__hgtu(a, b)); P(__hgeu(a, b)); P(__hisnan(a)); P(__hisinf(a)); P((float)a); P((int)a);
    P((bool)a); P(a < b ? a : b); H c = a; c += b; P(c); c = a; c -= b; P(c); c = a; c *= b; P(c);
    c = a; c /= b; P(c); c = a; ++c; P(c); c = a; P(c++); P(c); c = b; --c; P(c); P(c--); P(c);
    P(__hmul_rn(a, b)); P(__hadd_rn(a, b)); P((float)a + (float)b); P((float)a * (float)b + 1.f);
    P(fmaxf(a, b)); P(fabsf(a)); }
__global__ void half_pairs(ull *o) { halves(o, hs(threadIdx.x / 16), hs(threadIdx.x % 16)); }
__global__ void bf16_pairs(ull *o) { halves(o, bs(threadIdx.x / 16), bs(threadIdx.x % 16)); }
template <class H2, class H> __device__ void twos(ull *o, H a, H b) { int r = 0;
    H2 p(a, b), q(b, H(1.5f)); P(p + q); P(p - q); P(p * q); P(p / q); P(__hadd2(p, q));
    P(__hsub2(p, q)); P(__hmul2(p, q)); P(__h2div(p, q)); P(__hfma2(p, q, p)); P(__hmin2(p, q));
    P(__hmax2(p, q)); P(__habs2(p)); P(__hneg2(p)); P(-p); H2 c = p; c += q; P(c); c *= p; P(c);
    c -= q; P(c); c /= q; P(c); P(__lowhigh2highlow(p)); P(p.x); P(p.y); }
__global__ void half_twos(ull *o) { twos<__half2>(o, hs(threadIdx.x / 16), hs(threadIdx.x % 16));
    }
__global__ void bf16_twos(ull *o) {
    twos<__nv_bfloat162>(o, bs(threadIdx.x / 16), bs(threadIdx.x % 16)); }
__global__ void ints(ull *o) { int r = 0, t = threadIdx.x;
    int a = (int)special[t / 16], b = (int)special[t % 16]; unsigned u = a, v = b;
    long long l = (long long)dspecial[t / 16], m = (long long)dspecial[t % 16]; ull x = l, y = m;
    P(min(a, b)); P(max(a, b)); P(min(u, v)); P(max(u, v)); P(min(a, v)); P(max(u, b));
    P(min(l, m)); P(max(l, m)); P(min(x, y)); P(max(x, y)); P(min(l, y)); P(umin(u, v));
    P(umax(u, v)); P(llmin(l, m)); P(ullmax(x, y)); P(abs(a)); P(llabs(l));
    P(min((short)a, (short)b)); P(max((unsigned char)a, (unsigned char)b));
    P(min((long)a, (long)b)); P(max((char)a, (char)b)); P(labs((long)l)); P(abs((long long)l));
    P(min(a, (short)b)); P(max(a, (int)(signed char)b)); }

int main()
{
    show("float", floats, 256);
    show("double", doubles, 256);
    show("half", half_pairs, 256);
    show("bf16", bf16_pairs, 256);
    show("half2", half_twos, 256);
    show("bf162", bf16_twos, 256);
    show("int", ints, 256);
}
