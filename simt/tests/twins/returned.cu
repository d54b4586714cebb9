/* The result of a function counts as written where it is stored: a call that is not inlined has no
 * hook to say so. Atomics of what nobody wrote are accused all the same. By default the type is one
 * of the program's own; TYPE is a library's. */
#include "cases.h"
#include <complex>

#ifdef TYPE
typedef TYPE T;
#else
struct T {
    int v[12];
};
struct Holder {
    T t;
    __device__ Holder(int i);
};
#endif
__device__ __noinline__ T of(int i) { T t; memset((void *)&t, i, sizeof t); return t; }
__device__ T (*by_pointer)(int) = of;
__device__ T recursive(int i) { return i > 3 ? recursive(i - 2) : of(i); }
__device__ T operator*(T a, int i) { memset((void *)&a, i, sizeof a); return a; }

__global__ void fill(T *a, int *out)
{
    __shared__ T s[4][32];
    int i = threadIdx.x;
    a[i] = of(1);
    s[0][i] = of(2), s[1][i] = recursive(2 * i % 4 + 2);
    s[2][i] = a[i] * 2;
    s[3][i] = by_pointer(2);
    __syncthreads();
    for (int k = 0; k < 4; k++)
        out[i] += *(int *)&s[k][31 - i] == 0x02020202;
}
__global__ void read(const T *a, int *out) { out[threadIdx.x] += *(const int *)&a[threadIdx.x]; }
#ifndef TYPE
__device__ Holder::Holder(int i) : t(of(i)) {}
#endif

int main(int, char **argv)
{
    int *out = (int *)device(4096), *total = raw<int>(1);

    CASE(built, "nothing")
    {
        T *a = raw<T>(32), *b = a;
        fill<<<1, 32>>>(a, out), read<<<1, 32>>>(a, out);
#ifndef TYPE
        b = raw<T>(32);
        DO(32, new ((Holder *)b + i) Holder(1));
#endif
        read<<<1, 32>>>(b, out);
        return differ(out, 32, [](int) { return 4 + 2 * 0x01010101; });
    }
    CASE(counter, "uninitialised global memory") DO(32, atomicAdd(total, 1)); // BUG
    CASE(counter_of_a_block, "uninitialised shared memory")
        DO(1, __shared__ int own; atomicAdd(&own, 1); __syncthreads(); out[i] = own); // BUG
    return finish(0);
}
