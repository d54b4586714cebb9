/* What a function returns, stored without a hook: reads of it are not accused, atomics of what
 * nobody wrote are. Of the types one alone is enough for that: test_findings.py has others. */
#include "cases.h"

typedef struct {
    int v[12];
} Twelve;
struct Holder {
    Twelve twelve;
    __device__ Holder(int i);
};
__device__ __noinline__ Twelve make_twelve(int i)
{
    Twelve l;
    for (int k = 0; k < 12; k++)
        l.v[k] = i;
    return l;
}
__device__ Holder::Holder(int i) : twelve(make_twelve(i))
{
}

__global__ void build(Twelve *a, Holder *h, int *out)
{
    __shared__ Twelve s[32];
    int i = threadIdx.x;
    a[i] = make_twelve(i);
    new (h + i) Holder(i);
    s[i] = make_twelve(i);
    __syncthreads();
    out[i] = a[i].v[3] + h[i].twelve.v[11] + s[31 - i].v[2];
}
__global__ void count(int *total)
{
    atomicAdd(total, 1);
}
__global__ void count_in_block(int *out)
{
    __shared__ int total;
    atomicAdd(&total, 1);
    __syncthreads();
    *out = total;
}

int main(int, char **argv)
{
    int *out = (int *)device(4096);

    CASE(built, "nothing") build<<<1, 32>>>(raw<Twelve>(32), raw<Holder>(32), out);
    CASE(counter, "uninitialised global memory") count<<<1, 32>>>(raw<int>(1));
    CASE(counter_of_a_block, "uninitialised shared memory") count_in_block<<<1, 1>>>(out);
    return finish(0);
}
