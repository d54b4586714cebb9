/* Functions by pointer, and virtual ones: whose code they are. Kernels that cannot go on: whatever they
 * crash by is told, at its line; and functions that return nothing. */
#include "cases.h"

typedef int (*operation)(int, int);
__host__ __device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ operation on_device = multiply;
__device__ operation table[2];
__constant__ operation constants[2] = {add, multiply};

struct Functor {
    int scale;
    operation f;
    __device__ int operator()(int a, int b) const { return scale * f(a, b); } // BUG functor
};
struct Shape {
    int side;
    __host__ __device__ explicit Shape(int side) : side(side) {}
    __host__ __device__ virtual int area() const { return side; }
    __host__ __device__ virtual ~Shape() {}
};
struct Square : Shape {
    __host__ __device__ explicit Square(int side) : Shape(side) {}
    __host__ __device__ int area() const override { return side * side; }
};
__global__ void combine(int *out, operation f) { *out = f(20, threadIdx.x + 1); } // BUG passed
template <class F> __global__ void apply(int *out, F f) { *out = f(20, threadIdx.x + 1); }
template <operation f> __global__ void fixed(int *out) { *out = f(20, threadIdx.x + 1); }
__global__ void unused(int *out, operation f) { *out = f == on_device; }
__global__ void areas(int *out, Shape *shape) { *out = shape->area(); } // BUG copied_object, managed_object
__global__ void make(Square *square) { new (square) Square(5); }

typedef int (*function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ function none[2], set = twice;
__device__ int numbers[64];
struct shape { virtual __device__ int area() { return 4; } };

#ifndef SIMT_INLINE
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
    int *out = (int *)device(4);
    operation f = add, pair[2] = {add, multiply};
    int *p = (int *)device(4096);
    void *wild = (void *)0x5eed5eed5eed5eed;

    TWINS(passed, "code of the host in a kernel") /* says The host took the address of add(int, int) */
    {
        if (right)
            cudaMemcpyFromSymbol(&f, on_device, sizeof f);
        combine<<<1, 1>>>(out, f);
        return right ? differ(out, 1, [](int) { return 20; }) : finish(0);
    }
    TWINS(functor, "code of the host in a kernel")
    {
        if (right)
            cudaMemcpyFromSymbol(&f, on_device, sizeof f);
        apply<<<1, 1>>>(out, Functor{3, f});
    }
    TWINS(captured, "code of the host in a kernel")
    {
        operation g = right ? NULL : f;
        DO(1, *out = (g ? g : constants[0])(1, 2)); // BUG
    }
    TWINS(in_table, "code of the host in a kernel")
    {
        right ? (DO(1, table[0] = add, table[1] = multiply), cudaSuccess)
              : cudaMemcpyToSymbol(table, pair, sizeof pair);
        DO(1, *out = table[1](3, 4)); // BUG
    }
    TWINS(in_array, "code of the host in a kernel")
    {
        operation *all = raw<operation>(2);
        if (right) {
            DO(1, all[0] = add, all[1] = multiply);
            cudaMemcpy(pair, all, sizeof pair, cudaMemcpyDeviceToHost);
        }
        cudaMemcpy(all, pair, sizeof pair, cudaMemcpyHostToDevice);
        DO(1, *out = all[1](3, 4)); // BUG
    }
    TWINS(copied_object, "code of the host in a kernel") /* says The object was made by the host */
    {
        Square square(4), *there = raw<Square>(1);
        make<<<1, 1>>>(there);
        right ? cudaMemcpy((void *)&square, there, sizeof square, cudaMemcpyDeviceToHost) : cudaSuccess;
        cudaMemcpyAsync((void *)there, &square, sizeof square, cudaMemcpyDefault, 0);
        areas<<<1, 1>>>(out, there);
        return right ? differ(out, 1, [](int) { return 25; }) : finish(0);
    }
    TWINS(managed_object, "code of the host in a kernel") /* says The object was made by the host */
    {
        Square *there;
        cudaMallocManaged(&there, sizeof *there);
        new (there) Square(4);
        DO(1, *out = there->side);
        right ? make<<<1, 1>>>(there) : (void)0;
        int host = (cudaDeviceSynchronize(), right ? 5 : there->area());
        areas<<<1, 1>>>(out, there);
        areas<<<1, 1>>>(out, there);
        return right ? differ(out, 1, [](int) { return 25; }) : finish(host != 16);
    }
    CASE(by_itself, "nothing")
    {
        Square square(4), back(1), *there = raw<Square>(1);
        long long many[99] = {(long long)add}, *numbers = raw<long long>(99), next = (long long)add + 1;
        cudaMemcpy(numbers, many, sizeof many, cudaMemcpyHostToDevice); /* an address by chance */
        cudaMemcpy(there, &square, sizeof square, cudaMemcpyHostToDevice);
        DO(1, there->side += i + (numbers[0] + 1 == next));
        cudaMemcpy(&back, there, sizeof back, cudaMemcpyDeviceToHost);
        Shape *shape = &back;
        unused<<<1, 1>>>(out, add), fixed<multiply><<<1, 1>>>(out);
        apply<<<1, 1>>>(out, [] __device__(int a, int b) { return add(a, b); });
        return finish(shape->area() != 25 || f(1, 2) != 3);
    }

    /* ---- crashes ---- */
    CASE(null_function, "access to no memory at all")
        DO(2, p[i] = none[i](i)); // BUG: called by a null pointer
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
