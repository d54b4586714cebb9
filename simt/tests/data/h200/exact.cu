/* Functions whose results CUDA's documentation calls exact; constants. */
#include "rows.h"
#include <cmath>
#include <cfloat>
#include <math_constants.h>
__device__ const double vals[48] = {
    0., -0., .5, -.5, 1., -1., 1.5, -1.5, 2.5, -2.5, 3.5, .49999999999999994, -.49999999999999994,
        .49999997, 8388607.5, 8388608.5, 4503599627370495.5, 4503599627370496.5, 9007199254740991.,
        1e300, -1e300, 1e-310, -1e-310, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308,
        3.4028235e38, 1.17549435e-38, 1e-40, 1.4e-45, 16777216., 16777217., 2147483647.5,
        -2147483648.5, 4294967295.5, 1e19, -1e19, 3.141592653589793, 2.718281828459045, .1, .3, 7.,
        -7., 1e10, 123456789.123, 65536., 1. / 3, -2. / 3};
template <class T> __device__ T val(int i) {
    return i < 48 ? (T)vals[i] : i == 48 ? (T)CUDART_INF : i == 49 ? (T)-CUDART_INF : (T)CUDART_NAN;
    }
__global__ void one(ull *o) { int r = 0; float a = val<float>(threadIdx.x);
    double x = val<double>(threadIdx.x); int e = 0; float fi; double di; P(rintf(a));
    P(nearbyintf(a)); P(floorf(a)); P(ceilf(a)); P(truncf(a)); P(roundf(a)); P(rint(x));
    P(nearbyint(x)); P(floor(x)); P(ceil(x)); P(trunc(x)); P(round(x)); P(frexpf(a, &e)); P(e);
    P(frexp(x, &e)); P(e); P(modff(a, &fi)); P(fi); P(modf(x, &di)); P(di); P(ilogbf(a));
    P(ilogb(x)); P(logbf(a)); P(logb(x)); P(fabsf(a)); P(fabs(x)); P(sqrtf(a)); P(sqrt(x));
    P(lrintf(a)); P(llrintf(a)); P(lrint(x)); P(llrint(x)); P(lroundf(a)); P(llroundf(a));
    P(lround(x)); P(llround(x)); P(ldexpf(a, 5)); P(ldexpf(a, -150)); P(ldexpf(a, 300));
    P(ldexp(x, -1074)); P(ldexp(x, 60)); P(scalbnf(a, -140)); P(scalbn(x, 7)); P(scalblnf(a, 9));
    P(scalbln(x, -9L)); P(isnan(a)); P(isinf(x)); P(isfinite(a)); P(signbit(x) != 0);
    P(nextafterf(a, 1.f)); P(nextafterf(a, -INFINITY)); P(nextafter(x, 2.)); P(__fsqrt_rn(a));
    P(__fsqrt_rd(a)); P(__frcp_ru(a)); P(__frcp_rz(a)); P(1.f / a); P(1. / x); P(__dsqrt_ru(x));
    P(__drcp_rd(x)); P(floor(a)); P(ceil(a)); P(round(a)); P(trunc(a)); P(rint(a)); P(sqrt(a));
    P(fabs(a)); P(std::floor(a)); P(std::round(x)); P(std::trunc(a)); P(abs(x)); P(a - floorf(a));
    P(ldexp(a, 3)); P(frexp(a, &e)); P(lround(a)); P(roundf(a * 10) / 10); P((int)roundf(a));
    P(a * .5f); P(a * .0001f); P(a / 3.f); P(x / 3.); P(a / 1e10f); P(sinpif(a) == 0);
    P(signbit(a) != 0); }
__global__ void two(ull *o) { int r = 0, t = threadIdx.x;
    float a = val<float>(t / 16 * 3), b = val<float>(t % 16 * 3 + t / 16 % 3), c = val<float>(t *
        7 % 51);
    double x = val<double>(t / 16 * 3), y = val<double>(t % 16 * 3 + t / 16 % 3), z =
        val<double>(t * 7 % 51);
    int q = 0; P(fmodf(a, b)); P(fmod(x, y)); P(remainderf(a, b)); P(remainder(x, y));
    P(remquof(a, b, &q)); P(q & 7); P(remquo(x, y, &q)); P(q & 7); P(copysignf(a, b));
    P(copysign(x, y)); P(nextafterf(a, b)); P(nextafter(x, y)); P(fdimf(a, b)); P(fdim(x, y));
    P(fmaxf(a, b)); P(fmin(x, y)); P(fmaf(a, b, c)); P(fma(x, y, z)); P(a / b); P(x / y);
    P(a * b); P(x * y); P(a + b); P(x - y); P(__fadd_ru(a, b)); P(__fadd_rd(a, b));
    P(__fadd_rz(a, b)); P(__fsub_rz(a, b)); P(__fmul_ru(a, b)); P(__fmul_rz(a, b));
    P(__fmaf_rz(a, b, c)); P(__fmaf_ru(a, b, c)); P(__fdiv_rz(a, b)); P(__fdiv_ru(a, b));
    P(__dadd_rd(x, y)); P(__dmul_ru(x, y)); P(__fma_rz(x, y, z)); P(__ddiv_rn(x, y));
    P(__ddiv_rz(x, y)); P(__fmul_rd(a, b)); P(__dsub_rn(x, y)); P(fmod(a, b)); P(std::fmod(x, y));
    P(std::copysign(a, b)); P(hypotf(a, 0.f)); P(fmodf(a, 1.f)); P(fmodf(a, .1f));
    P(a - b * truncf(a / b)); P(ldexpf(a, t - 128)); P(ldexp(x, t * 9 - 1100));
    P(scalbnf(b, 128 - t)); }
__global__ void constants(ull *o) { int r = 0; P(CUDART_INF_F); P(CUDART_NAN_F);
    P(CUDART_MIN_DENORM_F); P(CUDART_MAX_NORMAL_F); P(CUDART_NEG_ZERO_F); P(CUDART_ZERO_F);
    P(CUDART_ONE_F); P(CUDART_SQRT_HALF_F); P(CUDART_SQRT_TWO_F); P(CUDART_THIRD_F);
    P(CUDART_PIO4_F); P(CUDART_PIO2_F); P(CUDART_3PIO4_F); P(CUDART_2_OVER_PI_F); P(CUDART_PI_F);
    P(CUDART_L2E_F); P(CUDART_L2T_F); P(CUDART_LG2_F); P(CUDART_LGE_F); P(CUDART_LN2_F);
    P(CUDART_LNT_F); P(CUDART_LNPI_F); P(CUDART_TWO_TO_M126_F); P(CUDART_TWO_TO_126_F);
    P(CUDART_NORM_HUGE_F); P(CUDART_TWO_TO_23_F); P(CUDART_TWO_TO_24_F); P(CUDART_TWO_TO_31_F);
    P(CUDART_TWO_TO_32_F); P(CUDART_REMQUO_BITS_F); P(CUDART_REMQUO_MASK_F);
    P(CUDART_TRIG_PLOSS_F); P(CUDART_INF); P(CUDART_NAN); P(CUDART_NEG_ZERO);
    P(CUDART_MIN_DENORM); P(CUDART_ZERO); P(CUDART_ONE); P(CUDART_SQRT_TWO); P(CUDART_SQRT_HALF);
    P(CUDART_SQRT_HALF_HI); P(CUDART_SQRT_HALF_LO); P(CUDART_THIRD); P(CUDART_TWOTHIRD);
    P(CUDART_PIO4); P(CUDART_PIO4_HI); P(CUDART_PIO4_LO); P(CUDART_PIO2); P(CUDART_PIO2_HI);
    P(CUDART_3PIO4); P(CUDART_2_OVER_PI); P(CUDART_PI); P(CUDART_PI_HI); P(CUDART_PI_LO);
    P(CUDART_SQRT_2PI); P(CUDART_L2E); P(CUDART_L2T); P(CUDART_LG2); P(CUDART_LGE); P(CUDART_LN2);
    P(CUDART_LNT); P(CUDART_LN2_X_1024); P(CUDART_LG2_X_1024); P(INFINITY); P(NAN); P(FLT_MAX);
    P(DBL_MAX); P(FLT_EPSILON); P(FLT_MIN); P(M_PI); P((float)M_PI); P(HUGE_VAL); P(FLT_DIG);
    P(nanf("")); P(nan("0")); P(1e-45f); P(3.4e38f * 10); P(0.1f + 0.2f); P(0.1 + 0.2);
    P(1 / 3.f); P(sqrtf(2.f)); P(floorf(-.5f)); P(fmodf(5.5f, -2)); P(1e30f * 1e30f);
    P(1e-30f * 1e-30f); P((int)3.99f); P(-7 / 2); P(-7 % 3); P(0x1p-149f); P(0x1.8p3);
    P(1'000'000); P(0b1011); P('a'); P(u8"x"[0]); P(sizeof(L'a')); P(-1 > 0u); P(~0); P(1 << 31);
    }

int main()
{
    show("one", one, 51);
    show("two", two, 256);
    show("const", constants, 1);
}
