/* Reads of global memory that nobody wrote, and what looks like them. */
#include "cases.h"

struct Padded {
    char tag;
    double value;
    int unset[3];
};

__global__ void count(int *total) { atomicAdd(total, 1); }
__global__ void count_double(double *total) { atomicAdd(total + threadIdx.y, 1.0); }
__global__ void copy(const int *in, int *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
__global__ void copy_wide(const float4 *in, float *out, int n)
{
    int i = threadIdx.x;
    if (4 * i < n) {
        float4 v = in[i];
        out[i] = v.x + (4 * i + 1 < n ? v.y : 0);
    }
}
__global__ void copy_bytes(const char *in, char *out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void increase(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void fill(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
}
__global__ void set_members(Padded *a)
{
    a[threadIdx.x].tag = 1;
    a[threadIdx.x].value = 2;
}
__global__ void copy_structures(const Padded *in, Padded *out) { out[threadIdx.x] = in[threadIdx.x]; }
/* One block hands a flag's first write on by another word. */
template <bool fence> __global__ void published(int *flag, int *ready)
{
    if (blockIdx.x == 0) {
        atomicExch(flag, 0);
        if (fence)
            __threadfence();
        atomicExch(ready, 1);
    } else {
        while (atomicAdd(ready, 0) == 0)
            ;
        atomicAdd(flag, 1);
    }
}
__global__ void wait_for_byte(volatile char *flag, int *data)
{
    if (blockIdx.x == 0) {
        *data = 7;
        __threadfence();
        flag[2] = 1;
    } else {
        while (flag[2] == 0)
            ;
        __threadfence();
        *data = 8;
    }
}
__global__ void neighbour(int *a, int *out)
{
    unsigned i = blockIdx.x;
    if (threadIdx.x == 0)
        a[i] = 1, out[i] = a[(i + 1) % gridDim.x];
}
/* Of an object with virtual functions the constructor stores which they are. */
struct Shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    __device__ Square(int side, bool forgets)
    {
        if (!forgets)
            this->side = side;
    }
    __device__ int area() const override { return side * side; }
};
__global__ void construct(Shape **shape, Square *square, bool forgets)
{
    unsigned i = threadIdx.x;
    shape[i] = new (&square[64 + i]) Square(i, forgets && i == 40);
    new (&square[i]) Square(i, false);
}
__global__ void call(Shape **shape, Square *square, int *out)
{
    unsigned i = threadIdx.x;
    out[i] = shape[i]->area() + square[i].area();
    shape[i]->~Shape();
}

static void construct_and_call(bool forgets, int *out)
{
    Shape **shape = raw<Shape *>(64);
    Square *square = raw<Square>(128);
    construct<<<1, 64>>>(shape, square, forgets), call<<<1, 64>>>(shape, square, out);
}

int main(int, char **argv)
{
    enum { N = 1000 };
    static int host[N];
    int wrong = 0, *a = raw<int>(N), *out = raw<int>(16384);

    CASE(forgotten_memset, "uninitialised global memory") count<<<3, 64>>>(a);
    CASE(memset_done, "nothing") cudaMemset(a, 0, 4), count<<<3, 64>>>(a);
    CASE(one_lane, "uninitialised global memory") count_double<<<2, dim3(1, 33)>>>(raw<double>(40));
    CASE(elements_not_bytes, "uninitialised global memory")
        cudaMemset(a, 0, N), copy<<<4, 128>>>(a, out, N);
    CASE(bytes, "nothing") cudaMemset(a, 0, N * sizeof(int)), copy<<<4, 128>>>(a, out, N);
    CASE(copied_all_but_last, "uninitialised global memory")
        cudaMemcpy(a, host, N * sizeof(int) - 4, cudaMemcpyDefault), increase<<<10, 100>>>(a);
    CASE(copied_all, "nothing")
        cudaMemcpy(a, host, N * sizeof(int), cudaMemcpyDefault), increase<<<10, 100>>>(a);
    CASE(filled_by_kernel, "nothing")
        fill<<<8, 128>>>(a, N), copy<<<4, 128>>>(a, out, N), increase<<<5, 200>>>(a);
    CASE(padded_tail, "nothing")
        cudaMemset(a, 0, 13 * 4), copy_wide<<<1, 32>>>((float4 *)a, (float *)out, 13);
    CASE(wide_behind_tail, "uninitialised global memory")
        cudaMemset(a, 0, 12 * 4), copy_wide<<<1, 32>>>((float4 *)a, (float *)out, 13);
    CASE(single_bytes, "uninitialised global memory")
        cudaMemset(a, 0, 30), copy_bytes<<<1, 32>>>((char *)a, (char *)out);
    CASE(freed_and_given_again, "uninitialised global memory")
    {
        int *first = raw<int>(32), *again;
        for (fill<<<1, 64>>>(first, 32), cudaFree(first); (again = raw<int>(32)) != first;)
            cudaFree(again);
        copy<<<1, 32>>>(again, out, 32);
    }
    CASE(structures, "nothing")
    {
        Padded *p = raw<Padded>(32);
        set_members<<<1, 32>>>(p), copy_structures<<<1, 32>>>(p, raw<Padded>(32));
    }
    CASE(structures_unset, "uninitialised global memory")
    {
        Padded *p = raw<Padded>(32);
        set_members<<<1, 31>>>(p), copy_structures<<<1, 32>>>(p, raw<Padded>(32));
    }
    CASE(published, "nothing") published<true><<<4, 1>>>(raw<int>(1), (int *)device(4));
    CASE(published_without_fence, "uninitialised global memory")
        published<false><<<4, 1>>>(raw<int>(1), (int *)device(4));
    CASE(byte, "note: volatile flag") wait_for_byte<<<2, 1>>>((char *)device(4), out);
    CASE(byte_unset, "uninitialised global memory") wait_for_byte<<<2, 1>>>(raw<char>(4), out);
    CASE(race, "race in global memory") neighbour<<<64, 32>>>(a, out);
    CASE(objects, "nothing") construct_and_call(false, out);
    CASE(objects_unset, "uninitialised global memory") construct_and_call(true, out);
    CASE(managed, "nothing")
    {
        int *m, *pinned;
        wrong += cudaMallocManaged(&m, 400) || cudaMallocHost(&pinned, 400);
        copy<<<1, 128>>>(m, out, 100), increase<<<1, 100>>>(pinned);
        cudaDeviceSynchronize(), cudaFree(m), cudaFreeHost(pinned);
    }
    CASE(rows, "nothing")
    {
        wrong += cudaMemset2D(a, 40, 0, 32, 25) != cudaSuccess;
        copy<<<1, 8>>>(a + 10, out, 8);
    }
    CASE(between_rows, "uninitialised global memory")
    {
        wrong += cudaMemset2D(a, 40, 0, 32, 25) != cudaSuccess;
        copy<<<1, 32>>>(a + 10, out, 9);
    }
    return finish(wrong);
}
