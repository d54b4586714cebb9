/* Wide accesses whose address is no multiple of their size, and shuffles with a wrong width. */
#include "cases.h"
#include <cstdio>

struct Pair {
    int a, b;
};
#pragma pack(push, 1)
struct Packed {
    char tag;
    int value;
    double weight;
};
#pragma pack(pop)

template <class T> __global__ void copy(const T *in, T *out) { out[threadIdx.x] = in[threadIdx.x]; }
template <class T> __global__ void get(const char *in, int from, int *out)
{
    T v = *(const T *)(in + from + 16 * threadIdx.x);
    out[threadIdx.x] = (int)*(char *)&v;
}
__global__ void in_shared(double *out, int floats)
{
    extern __shared__ float s[];
    double *d = (double *)(s + floats);
    d[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x ^ 1];
}
__global__ void last_row(float *a, int columns, float4 *out)
{
    int y = threadIdx.y;
    out[y] = *(float4 *)(a + y * columns);
}
__global__ void bytes(char *a)
{
    memcpy(a + 1 + 8 * threadIdx.x, a + 512 + 8 * threadIdx.x, 7);
}
__global__ void packed(Packed *a)
{
    a[threadIdx.x].value = 1;
    a[threadIdx.x].weight = 2;
}
__global__ void add(char *a, int from) { atomicAdd((int *)(a + from), 1); }
__global__ void shuffle(int *out, int from, int width)
{
    int v = threadIdx.x;
    out[v] = __shfl_sync(0xffffffff, v, from, width);
}
__global__ void shuffle_others(int *out, int by, int width)
{
    int v = threadIdx.x;
    out[v] = __shfl_up_sync(0xffffffff, v, by, width) +
             __shfl_down_sync(0xffffffff, v, by, width) +
             __shfl_xor_sync(0xffffffff, v, by % 32, width);
}

int main(int, char **argv)
{
    char *a = (char *)device(4096);
    int *out = (int *)device(4096);

    CASE(aligned, "nothing")
    {
        copy<<<1, 32>>>((float4 *)a, (float4 *)out), copy<<<1, 32>>>((double *)a + 1, (double *)out);
        copy<<<1, 32>>>((short *)a + 1, (short *)out + 3);
        copy<<<1, 32>>>((Pair *)(a + 4), (Pair *)(out + 1));
        copy<<<1, 32>>>((float3 *)(a + 4), (float3 *)(out + 1));
        copy<<<1, 32>>>((Packed *)(a + 1), (Packed *)out);
        packed<<<1, 32>>>((Packed *)a), bytes<<<1, 32>>>(a);
        in_shared<<<1, 32, 34 * 4 + 256>>>((double *)out, 34);
        last_row<<<1, dim3(1, 7)>>>((float *)a, 12, (float4 *)out);
        add<<<1, 32>>>(a, 8);
    }
    CASE(of_double, "misaligned access") copy<<<1, 32>>>((double *)(a + 4), (double *)out);
    CASE(of_float4, "misaligned access") get<float4><<<1, 32>>>(a, 4, out);
    CASE(of_int, "misaligned access") get<int><<<1, 32>>>(a, 2, out);
    CASE(one_lane, "misaligned access") last_row<<<1, dim3(1, 2)>>>((float *)a, 13, (float4 *)out);
    CASE(of_shared, "misaligned access") in_shared<<<1, 32, 33 * 4 + 256>>>((double *)out, 33);
    CASE(of_atomic, "misaligned access") add<<<1, 32>>>(a, 6);
    CASE(null_offset, "access to no memory at all") copy<<<1, 32>>>((int *)NULL + 2000, out);
    CASE(widths, "nothing")
    {
        for (int width = 1; width <= 32; width *= 2) {
            shuffle<<<1, 32>>>(out, 40, width), shuffle<<<1, 32>>>(out, -1, width);
            shuffle_others<<<1, 32>>>(out, 1, width), shuffle_others<<<1, 32>>>(out, 31, width);
        }
    }
    CASE(width_24, "shuffle with a wrong width") shuffle<<<1, 32>>>(out, 0, 24);
    CASE(width_0, "shuffle with a wrong width") shuffle<<<1, 32>>>(out, 0, 0);
    CASE(width_64, "shuffle with a wrong width") shuffle_others<<<1, 32>>>(out, 1, 64);
    CASE(width_negative, "shuffle with a wrong width") shuffle_others<<<1, 32>>>(out, 1, -32);
    return finish(0);
}
