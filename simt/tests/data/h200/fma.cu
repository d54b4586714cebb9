// Random expressions of one multiplication and one addition and more: bits with nvcc's default.
#include <cstdio>
#include <cstdlib>
__device__ unsigned rnd(unsigned &s) { s = s * 1664525u + 1013904223u; return s; }
__global__ void k(unsigned *o) { unsigned s = 12345 + threadIdx.x; auto F = [&]() { return (float)(int)(rnd(s) >> 8) / 65536.f - 100.f; }; auto G = [&]() { return (double)(int)rnd(s) / 7.0; };
  unsigned h = 0; int r = 0; auto P = [&](float x) { o[threadIdx.x * 32 + r++] = __float_as_uint(x); }; auto Q = [&](double x) { o[threadIdx.x * 32 + r++] = (unsigned)__double2loint(x); };
  float a = F(), b = F(), c = F(), d = F(); double x = G(), y = G(), z = G();
  P(a * b + c); P(a * b - c); P(c - a * b); P(-(a * b) + c); P(a * b + c * d); P(a * b - c * d); P(a * a + b * b); P((a + b) * c); P(a * b + c + d); P(a * b * c + d); P(a + b * c * d); P((a * b) + (c * d + a)); P(a / b + c); P(a * b + 1.f); P(1.f - a * b); P(2.f * a + b);
  Q(x * y + z); Q(x * y - z); Q(z - x * y); Q(x * y + z * x); float acc = 0; for (int i = 0; i < 10; i++) acc += a * (b + i); P(acc); acc = 1; for (int i = 0; i < 5; i++) acc = acc * a + b; P(acc); float p = a * b; p += c; P(p); p = a; p *= b; p -= c; P(p); P(a * b + (double)c); P((double)a * b + c); (void)h; }
int main() { unsigned *d, h[64 * 32] = {}; cudaMalloc(&d, sizeof h); cudaMemset(d, 0, sizeof h); k<<<1, 8>>>(d); cudaDeviceSynchronize(); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); for (int i = 0; i < 8 * 32; i++) if (i % 32 < 26) printf("F%d.%d %08x\n", i / 32, i % 32, h[i]); }
