/* Arithmetic and its roundings; constants. (What the C library computes is in special.cu, in pairs.) */
#include "rows.h"
#include <cmath>
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
__global__ void one(ull *o) {
    int r = 0; float a = val<float>(threadIdx.x); double x = val<double>(threadIdx.x); P(rint(x));
    P(floor(x)); P(ceil(x)); P(__fsqrt_rn(a)); P(__fsqrt_rd(a)); P(__frcp_ru(a)); P(__frcp_rz(a));
    P(1.f / a); P(1. / x); P(__dsqrt_ru(x)); P(__drcp_rd(x)); P(floor(a)); P(ceil(a)); P(rint(a));
    P(std::floor(a)); P(a * .5f); P(a * .0001f); P(a / 3.f); P(x / 3.); P(a / 1e10f);
    P(sinpif(a) == 0);
}
__global__ void two(ull *o) {
    int r = 0, t = threadIdx.x;
    float a = val<float>(t / 16 * 3), b = val<float>(t % 16 * 3 + t / 16 % 3), c = val<float>(t * 7 % 51);
    double x = val<double>(t / 16 * 3), y = val<double>(t % 16 * 3 + t / 16 % 3), z = val<double>(t * 7 % 51);
    P(fmaxf(a, b)); P(fmin(x, y)); P(a / b); P(x / y); P(a * b); P(x * y); P(a + b); P(x - y);
    P(__fadd_ru(a, b)); P(__fadd_rd(a, b)); P(__fadd_rz(a, b)); P(__fsub_rz(a, b));
    P(__fmul_ru(a, b)); P(__fmul_rz(a, b)); P(__fmaf_rz(a, b, c)); P(__fmaf_ru(a, b, c));
    P(__fdiv_rz(a, b)); P(__fdiv_ru(a, b)); P(__dadd_rd(x, y)); P(__dmul_ru(x, y));
    P(__fma_rz(x, y, z)); P(__ddiv_rn(x, y)); P(__ddiv_rz(x, y)); P(__fmul_rd(a, b));
    P(__dsub_rn(x, y));
}
__global__ void constants(ull *o) {
    int r = 0; P(CUDART_INF_F); P(CUDART_NAN_F); P(CUDART_MIN_DENORM_F); P(CUDART_MAX_NORMAL_F);
    P(CUDART_NEG_ZERO_F); P(CUDART_ZERO_F); P(CUDART_ONE_F); P(CUDART_SQRT_HALF_F);
    P(CUDART_SQRT_TWO_F); P(CUDART_THIRD_F); P(CUDART_PIO4_F); P(CUDART_PIO2_F); P(CUDART_3PIO4_F);
    P(CUDART_2_OVER_PI_F); P(CUDART_PI_F); P(CUDART_L2E_F); P(CUDART_L2T_F); P(CUDART_LG2_F);
    P(CUDART_LGE_F); P(CUDART_LN2_F); P(CUDART_LNT_F); P(CUDART_LNPI_F); P(CUDART_TWO_TO_M126_F);
    P(CUDART_TWO_TO_126_F); P(CUDART_NORM_HUGE_F); P(CUDART_TWO_TO_23_F); P(CUDART_TWO_TO_24_F);
    P(CUDART_TWO_TO_31_F); P(CUDART_TWO_TO_32_F); P(CUDART_REMQUO_BITS_F); P(CUDART_REMQUO_MASK_F);
    P(CUDART_TRIG_PLOSS_F); P(CUDART_INF); P(CUDART_NAN); P(CUDART_NEG_ZERO); P(CUDART_MIN_DENORM);
    P(CUDART_ZERO); P(CUDART_ONE); P(CUDART_SQRT_TWO); P(CUDART_SQRT_HALF); P(CUDART_SQRT_HALF_HI);
    P(CUDART_SQRT_HALF_LO); P(CUDART_THIRD); P(CUDART_TWOTHIRD); P(CUDART_PIO4); P(CUDART_PIO4_HI);
    P(CUDART_PIO4_LO); P(CUDART_PIO2); P(CUDART_PIO2_HI); P(CUDART_3PIO4); P(CUDART_2_OVER_PI);
    P(CUDART_PI); P(CUDART_PI_HI); P(CUDART_PI_LO); P(CUDART_SQRT_2PI); P(CUDART_L2E);
    P(CUDART_L2T); P(CUDART_LG2); P(CUDART_LGE); P(CUDART_LN2); P(CUDART_LNT); P(CUDART_LN2_X_1024);
    P(CUDART_LG2_X_1024); P(3.4e38f * 10); P(0.1f + 0.2f); P(0.1 + 0.2); P(1 / 3.f);
    P(1e30f * 1e30f); P(1e-30f * 1e-30f);
}

int main()
{
    show("one", one, 51);
    show("two", two, 256);
    show("const", constants, 1);
}
