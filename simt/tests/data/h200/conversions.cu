// More values: conversions of every pair, shifts of every type, min/max of zeros, NaN, atomics, contraction.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <climits>
struct out { long long i[400]; double d[100]; int n, m; };
__device__ volatile float fv[] = {0.f, -0.f, 1.5f, -1.5f, 127.9f, 128.f, 255.9f, 256.f, -129.f, 32768.f, 65536.f, 2147483648.f, -2147483648.f, 4294967296.f, 9.3e18f, -9.3e18f, 1.9e19f, 1e30f, -1e30f, 1e-40f};
__device__ volatile int cnt[] = {0, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, -1, 255};
__device__ float fa; __device__ double da; __device__ volatile float zero = 0.f, mzero = -0.f;
__global__ void k(out *o) {
  int t = 0, u = 0; auto I = [&](long long v) { o->i[t++] = v; }; auto D = [&](double v) { o->d[u++] = v; };
  for (int j = 0; j < 22; j++) { float f = j < 20 ? fv[j] : __int_as_float(j == 20 ? 0x7fc00000 : 0x7f800000); double d = f;
    I((int)f); I((unsigned)f); I((long long)f); I((unsigned long long)f); I((int)d); I((unsigned)d); I((long long)d); I((unsigned long long)d); I((short)f); I((unsigned char)f); I((signed char)d); I((bool)f); I(__float2int_rn(f)); I(__double2int_rd(d)); }
  for (int j = 0; j < 13; j++) { int c = cnt[j]; long long L = 0x123456789abcdef0ll; I(0x12345678 << c); I(0x92345678u >> c); I((int)0x92345678 >> c); I(L << c); I((unsigned long long)L >> c); I(-L >> c); }
  float a = fv[0], b = fv[1]; for (int j = 0; j < 4; j++) { float x = j & 1 ? a : b, y = j & 2 ? a : b; D(1 / fmaxf(x, y)); D(1 / fminf(x, y)); D(1 / max(x, y)); D(1 / fmin((double)x, (double)y)); D(1 / fmax((double)x, (double)y)); }
  float s = fv[19]; fa = 0.f; atomicAdd(&fa, s); I(__float_as_int(fa)); fa = s; atomicAdd(&fa, s); I(__float_as_int(fa)); fa = 1.5e-38f; atomicAdd(&fa, -1.2e-38f); I(__float_as_int(fa)); fa = -s; atomicAdd(&fa, 0.f); I(__float_as_int(fa)); fa = -0.f; atomicAdd(&fa, -0.f); I(__float_as_int(fa)); fa = 2e-38f; atomicAdd(&fa, s); I(__float_as_int(fa)); fa = 1.17549435e-38f; atomicAdd(&fa, -1e-45f); I(__float_as_int(fa)); fa = s; I(__float_as_int(atomicAdd(&fa, 1.f))); da = 1e-310; atomicAdd(&da, 1e-310); D(da); fa = 0.f; atomicExch(&fa, s); I(__float_as_int(fa));
  __shared__ float sa; sa = 0.f; atomicAdd(&sa, s); I(__float_as_int(sa)); sa = 1.5e-38f; atomicAdd(&sa, -1.2e-38f); I(__float_as_int(sa)); 
  o->n = t; o->m = u; }
int main() { out *d, *h = (out *)calloc(1, sizeof(out)); cudaMalloc(&d, sizeof *d); cudaMemset(d, 0, sizeof *d); k<<<1, 1>>>(d); cudaError_t e = cudaDeviceSynchronize(); if (e) { printf("%s\n", cudaGetErrorString(e)); return 3; } cudaMemcpy(h, d, sizeof *h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < h->n; i++) printf("I%d %lld\n", i, h->i[i]); for (int i = 0; i < h->m; i++) printf("D%d %.17g\n", i, h->d[i]); }
