/* Reads of global memory that nobody wrote, and what looks like them. */
#include "cases.h"

struct Padded {
    char tag;
    double value;
    int unset[3];
};

__global__ void count(int *total) { atomicAdd(total, 1); }
__global__ void copy(const int *in, int *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
__global__ void copy_strided(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 33 < n)
        out[i] = in[i * 33];
}
__global__ void copy_wide(const float4 *in, float *out, int n)
{
    int i = threadIdx.x;
    if (4 * i < n) {
        float4 v = in[i];
        out[i] = v.x + (4 * i + 1 < n ? v.y : 0);
    }
}
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
__global__ void set_flag(int *flag) { atomicExch(flag, 1); }
__global__ void behind(int *a, int *out)
{
    int i = threadIdx.x;
    out[i] = a[blockDim.x - 1 - i];
    __syncthreads();
    a[i] = i;
}
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
__global__ void neighbour(int *a, int *out)
{
    unsigned i = blockIdx.x;
    if (threadIdx.x == 0)
        a[i] = 1, out[i] = a[(i + 1) % gridDim.x];
}
__global__ void bits(int *a, int *out)
{
    memset(a + 4 * threadIdx.x, 0, 16);
    out[threadIdx.x] = a[4 * threadIdx.x + 3];
}

struct Bits {
    unsigned long long low : 5, high : 40;
};
__global__ void set_bits(Bits *a, int *out)
{
    a[threadIdx.x].low = 3;
    a[threadIdx.x].high = 9;
    out[threadIdx.x] = a[threadIdx.x].high;
}

/* Of an object with virtual functions the constructor stores which they are. */
struct Shape {
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    __device__ Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
__global__ void construct(Shape **shape, Square *square)
{
    shape[threadIdx.x] = new (&square[threadIdx.x]) Square(threadIdx.x);
}
__global__ void call(Shape **shape, int *out) { out[threadIdx.x] = shape[threadIdx.x]->area(); }

int main(int, char **argv)
{
    enum { N = 1000 };
    static int host[N];
    int wrong = 0, *a = raw<int>(N), *out = raw<int>(16384);

    CASE(forgotten_memset, "uninitialised global memory") count<<<3, 64>>>(a);
    CASE(memset_done, "nothing") cudaMemset(a, 0, 4), count<<<3, 64>>>(a);
    CASE(bytes, "nothing") cudaMemset(a, 0, N * sizeof(int)), copy<<<4, 128>>>(a, out, N);
    CASE(copied_all_but_last, "uninitialised global memory")
    {
        cudaMemcpyAsync(a, host, N * sizeof(int) - 4, cudaMemcpyHostToDevice, 0);
        increase<<<10, 100>>>(a);
    }
    CASE(copied_all, "nothing")
        cudaMemcpy(a, host, N * sizeof(int), cudaMemcpyDefault), increase<<<10, 100>>>(a);
    CASE(filled_by_kernel, "nothing")
    {
        fill<<<8, 128>>>(a, N), copy<<<4, 128>>>(a, out, N), increase<<<5, 200>>>(a);
        copy_strided<<<1, 32>>>(a, out, N);
    }
    CASE(tail_not_filled, "uninitialised global memory")
        fill<<<8, 128>>>(a, N - 1), copy<<<4, 128>>>(a, out, N);
    CASE(padded_tail, "nothing")
        cudaMemset(a, 0, 13 * 4), copy_wide<<<1, 32>>>((float4 *)a, (float *)out, 13);
    CASE(wide_behind_tail, "uninitialised global memory")
    {
        cudaMemset(a, 0, 12 * 4), copy_wide<<<1, 32>>>((float4 *)a, (float *)out, 13);
    }
    CASE(freed_and_given_again, "uninitialised global memory")
    {
        enum { LARGE = 4 << 20 };
        int *first = raw<int>(LARGE), *second;
        fill<<<LARGE / 256, 256>>>(first, LARGE), cudaFree(first);
        wrong += (second = raw<int>(LARGE)) != first;
        copy<<<1, 32>>>(second + LARGE / 2, out, 32);
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
    CASE(exchange, "nothing") set_flag<<<2, 32>>>(a), copy<<<1, 1>>>(a, out, 1);
    CASE(behind, "uninitialised global memory") behind<<<1, 128>>>(a, out);
    CASE(published, "nothing") published<true><<<4, 1>>>(raw<int>(1), (int *)device(4));
    CASE(published_without_fence, "uninitialised global memory")
        published<false><<<4, 1>>>(raw<int>(1), (int *)device(4));
    CASE(race, "race in global memory") neighbour<<<64, 32>>>(a, out);
    CASE(objects, "nothing")
    {
        Shape **shape = raw<Shape *>(64);
        construct<<<1, 64>>>(shape, raw<Square>(64)), call<<<1, 64>>>(shape, out);
    }
    CASE(memset_in_kernel, "nothing") bits<<<1, 32>>>(a, out);
    CASE(managed, "nothing")
    {
        int *m, *pinned;
        wrong += cudaMallocManaged(&m, 400) || cudaMallocHost(&pinned, 400);
        copy<<<1, 128>>>(m, out, 100), increase<<<1, 100>>>(pinned);
        cudaDeviceSynchronize(), cudaFree(m), cudaFreeHost(pinned);
    }
    CASE(managed_then_device, "uninitialised global memory")
    {
        enum { LARGE = 2 << 20 };
        int *m, *d;
        wrong += cudaMallocManaged(&m, LARGE) != cudaSuccess;
        copy<<<1, 128>>>(m, out, 100);
        cudaDeviceSynchronize(), cudaFree(m);
        wrong += cudaMalloc(&d, LARGE) || d != m;
        copy<<<1, 128>>>(d, out, 100);
    }
    CASE(between_rows, "uninitialised global memory")
    {
        wrong += cudaMemset2D(a, 40, 0, 32, 25) != cudaSuccess;
        copy<<<1, 32>>>(a + 10, out, 9);
    }
    CASE(bit_fields, "nothing") set_bits<<<1, 32>>>(raw<Bits>(32), out);
    return finish(wrong);
}
