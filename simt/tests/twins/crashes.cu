/* Kernels that cannot go on: whatever they crash by is told, at its line; and functions that return nothing. */
#include "cases.h"

typedef int (*function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ function table[2], set = twice;
__device__ int numbers[64];
struct shape { virtual __device__ int area() { return 4; } };

#ifdef __NVCC__
#pragma nv_diag_suppress 940
#endif
#pragma GCC diagnostic ignored "-Wreturn-type"
__device__ int sign(int x) // BUG no_return
{
    if (x > 0) return 1;
    if (x < 0) return -1;
}
template <class T> __device__ __forceinline__ T
larger(T, T) {} // BUG stub
enum side { LEFT, RIGHT };
__device__ int opposite(side s) { switch (s) { case LEFT: return RIGHT; case RIGHT: return LEFT; } }

int main(int, char **argv)
{
    int *p = (int *)device(4096);
    void *wild = (void *)0x5eed5eed5eed5eed;

    CASE(null_function, "access to no memory at all")
        DO(2, p[i] = table[i](i)); // BUG: called by a null pointer
    CASE(data_function, "access to no memory at all")
        DO(2, function f = (function)(void *)numbers; p[i] = f(i)); // BUG: there is no code.
    CASE(heap_function, "access to no memory at all")
        DO(2, function f = (function)(void *)p; p[i] = f(i)); // BUG: there is no code.
    CASE(small_function, "access to no memory at all")
        DO(2, function f = (function)(void *)0x1234; p[i] = f(i)); // BUG: pointer, 0x1234, at
    CASE(wild_function, "access to no memory at all")
        DO(2, function f = (function)wild; p[i] = f(i)); // BUG: No memory can have such
    CASE(no_object, "access to no memory at all")
        DO(2, shape *s = (shape *)p; p[i] = s->area()); // BUG: null pointer plus
    CASE(wild_string, "access to no memory at all")
        DO(2, printf("%d: %s\n", i, (const char *)wild)); // BUG
    CASE(small_string, "access to no memory at all")
        DO(2, printf("%d: %.3s\n", i, (const char *)8)); // BUG
    CASE(by_library, "access to no memory at all")
        DO(2, memset(p[512] ? p : (int *)64, 1, 64)); // BUG
    CASE(no_return, "function that returns no value")
        run<<<1, 2>>>([=] __device__(int i) { p[i] = sign(i); });
    CASE(stub, "function that returns no value")
        run<<<1, 2>>>([=] __device__(int i) { p[i] = larger(i, p[i]); });
    CASE(returns, "nothing")
        run<<<1, 2>>>([=] __device__(int i) { p[i] = opposite((side)i) + sign(i + 1) - sign(-i - 1); });
    CASE(called, "nothing")
        DO(2, p[i] = set(i); printf("%s\n", "text"));
    return finish(0);
}
