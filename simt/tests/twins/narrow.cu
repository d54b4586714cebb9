/* Two-byte floats in memory: alone, in pairs and in atomics. */
#include "cases.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __global__ void tree(const T *in, T *out, bool right)
{
    __shared__ T s[128];
    unsigned t = threadIdx.x;

    s[t] = in[t];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] += s[t + stride]; // BUG no_barrier, no_barrier_bf
        if (right)
            __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}

int main(int, char **argv)
{
    __half *in = (__half *)device(4096), *out = (__half *)device(4096);
    __nv_bfloat16 *bin = (__nv_bfloat16 *)in, *bout = (__nv_bfloat16 *)out;
    float got = 0;

    TWINS(no_barrier, "race in shared memory")
    {
        tree<<<1, 128>>>(in, out, right);
    }
    TWINS(no_barrier_bf, "race in shared memory")
    {
        tree<<<1, 128>>>(bin, bout, right);
    }
    /* neighbours in one word are no race; one and the same is */
    TWINS(same_half, "race in global memory")
    {
        DO(64, out[right ? i : i / 33] = __half((float)i)); // BUG
    }
    TWINS(odd_pair, "misaligned access")
    {
        DO(32, ((__half2 *)out)[i] = *(__half2 *)(in + 2 * i + !right)); // BUG x32
    }
    TWINS(behind, "out of bounds in global memory")
    {
        DO(64, *(__half2 *)&out[i * 2] = __halves2half2(in[i + (right ? 0 : 2047)], in[0])); // BUG x63
    }
    CASE(sums, "nothing")
    {
        DO(64, atomicAdd(out, __half(0.5f)); atomicAdd((__half2 *)out + 1, __floats2half2_rn(1, 2));
           atomicAdd(bout + 8, __float2bfloat16(0.5f));
           atomicAdd((__nv_bfloat162 *)bout + 5, __floats2bfloat162_rn(1, 2)));
        cudaDeviceSynchronize();
        __half h[4];
        __nv_bfloat16 b[4];
        cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
        cudaMemcpy(b, bout + 8, sizeof b, cudaMemcpyDeviceToHost);
        got = (float)h[0] - 32 + __half2float(h[2]) - 64 + (float)h[3] - 128 + (float)b[0] - 32 +
              __bfloat162float(b[2]) - 64 + (float)b[3] - 128;
    }
    return finish(got != 0);
}
