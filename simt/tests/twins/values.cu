/* Structures that functions take from memory and return to it, by value: their accesses count, and
 * what only looks like it keeps its meaning. */
#include "cases.h"

struct Vec {
    float x, y, z;
    __host__ __device__ float dot(Vec o) const
    {
        return x * o.x + y * o.y + z * o.z;
    }
};
struct Body {
    Vec at;
    float mass;
};
__device__ __noinline__ float pull(Body a, Body b)
{
    return a.at.dot(b.at) * b.mass;
}
__device__ __noinline__ float4 four(int i)
{
    return make_float4(i, 1, 2, 3);
}
__device__ __noinline__ float total(float4 v, int n)
{
    for (int i = 0; i < n; i++)
        v.x += v.y * v.z;
    return v.x + v.w;
}
__host__ __device__ __noinline__ Vec scaled(Vec v, float s)
{
    return {v.x * s, v.y * s, v.z * s};
}

__global__ void tiles(const Body *in, float *out, int n, bool wait)
{
    __shared__ Body tile[64];
    float sum = 0;
    for (int t = 0; t < n; t += 64) {
        tile[threadIdx.x] = in[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; k++)
            sum += pull(in[threadIdx.x], tile[k]);
        if (wait)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}
__global__ void take(const float4 *in, float *out)
{
    out[threadIdx.x] = total(in[threadIdx.x], 1);
}
__global__ void give(float4 *out)
{
    int i = threadIdx.x;
    out[i] = four(i);
}
static int sum(int row[2])
{
    return row[0] + row[1];
}
__global__ void either(float *a, float *b)
{
    (threadIdx.x ? a : b)[blockIdx
                              .x] = 1;
}
static const Vec *address(const Vec &v)
{
    return &v;
}

/* How many of them have another meaning than in C++. */
static int host(void)
{
    Vec v[] = {{1, 2, 3}, {4, 5, 6}};
    const Vec &kept = scaled(v[0], 2);
    int rows[2][2] = {{1, 2}, {3, 4}};
    return (kept.z != 6) + (sum(rows[1]) != 7) + (address(v[1]) != &v[1]);
}

int main(int, char **argv)
{
    Body *b = (Body *)device(256 * sizeof *b);
    float4 *f = (float4 *)device(64 * sizeof *f);
    float *out = (float *)device(4096);
    int wrong = 0;

    CASE(host, "nothing") wrong = host();
    CASE(waits, "nothing") tiles<<<1, 64>>>(b, out, 256, true);
    CASE(given_and_taken, "nothing") give<<<1, 64>>>(f), take<<<1, 64>>>(f, out);
    CASE(one_of_two, "nothing") either<<<8, 2>>>(out, out + 8);
    CASE(does_not_wait, "race in shared memory") tiles<<<1, 64>>>(b, out, 256, false);
    CASE(takes_too_much, "out of bounds in global memory") take<<<1, 65>>>(f, out);
    CASE(gives_too_much, "out of bounds in global memory") give<<<1, 65>>>(f);
    return finish(wrong);
}
