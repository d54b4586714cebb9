/* Wide accesses whose address is no multiple of their size, and shuffles with a wrong width. */
#include "cases.h"

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

template <class T> __device__ void copy(int i, const void *in, void *out)
{
    ((T *)out)[i] = ((const T *)in)[i];
}
__global__ void in_shared(double *out, int floats)
{
    extern __shared__ float s[];
    double *d = (double *)(s + floats);
    d[threadIdx.x] = threadIdx.x; // BUG of_shared
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x ^ 1]; // BUG of_shared
}
__device__ int shuffles(int v, int by, int width)
{
    return __shfl_up_sync(0xffffffff, v, by, width) + __shfl_down_sync(0xffffffff, v, by, width) +
           __shfl_xor_sync(0xffffffff, v, by % 32, width);
}

int main(int, char **argv)
{
    char *a = (char *)device(4096);
    int *out = (int *)device(4096);

    CASE(aligned, "nothing")
    {
        DO(32, copy<float4>(i, a, out)), DO(32, copy<double>(i, a + 8, out));
        DO(32, copy<short>(i, a + 2, out)), DO(32, copy<Pair>(i, a + 4, out + 1));
        DO(32, copy<float3>(i, a + 4, out + 1)), DO(32, copy<Packed>(i, a + 1, out));
        DO(32, ((Packed *)a)[i].weight = ((Packed *)a)[i].value = 1);
        DO(32, memcpy(a + 1 + 8 * i, a + 512 + 8 * i, 7)), DO(7, copy<float4>(i, a + 32 * i, out));
        in_shared<<<1, 32, 34 * 4 + 256>>>((double *)out, 34);
    }
    CASE(of_double, "misaligned access")
        DO(32, copy<double>(i, a + 4, out)); // says The address is 4 bytes past a multiple of 8.
    CASE(of_float4, "misaligned access") DO(32, copy<float4>(i, a + 4, out));
    CASE(of_int, "misaligned access") DO(32, copy<int>(i, a + 2, out));
    CASE(one_lane, "misaligned access") DO(2, copy<float4>(i, a + 36 * i, out));
    CASE(of_shared, "misaligned access") in_shared<<<1, 32, 33 * 4 + 256>>>((double *)out, 33);
    CASE(of_atomic, "misaligned access") DO(32, atomicAdd((int *)(a + 6), 1)); // BUG x32
    CASE(null_offset, "access to no memory at all") DO(32, copy<int>(i, (int *)NULL + 2000, out));

    CASE(widths, "nothing")
        for (int width = 1; width <= 32; width *= 2) {
            DO(32, out[i] = __shfl_sync(~0u, i, 40, width) + __shfl_sync(~0u, i, -1, width));
            DO(32, out[i] = shuffles(i, 1, width) + shuffles(i, 31, width));
        }
    CASE(width_24, "shuffle with a wrong width") DO(32, out[i] = __shfl_sync(~0u, i, 0, 24)); // BUG
    CASE(width_0, "shuffle with a wrong width") DO(32, out[i] = __shfl_sync(~0u, i, 0, 0)); // BUG
    CASE(width_64, "shuffle with a wrong width") DO(32, out[i] = shuffles(i, 1, 64));
    CASE(width_negative, "shuffle with a wrong width")
        DO(32, out[i] = shuffles(i, 1, -32)); // says passes the width -32.
    return finish(0);
}
