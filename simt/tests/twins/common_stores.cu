/* What lanes store to one word by one instruction: the same value is a note, different ones a race,
 * however alike they look, and whatever is stored there before or after. */
#include "cases.h"

struct Three {
    int a[3];
};
struct Long {
    int a[300];
};

/* All bits of the value count, in every type. */
template <typename T> __global__ void store(T *word, T one, T other)
{
    *word = threadIdx.x % 32 < 31 ? one : other;
}

/* The last warp alone, in a block of two dimensions. */
__global__ void last_warp(double *words, double one, double other)
{
    words[threadIdx.y] = threadIdx.y == 3 && threadIdx.x == 7 ? other : one;
}

/* Behind it all store the same there, which alone is then in memory. */
__global__ void overwritten(int *word, int *rest, bool same)
{
    for (int round = 0; round < 2; round++) {
        word[0] = round || same ? 5 : threadIdx.x;
        rest[threadIdx.x] = round;
        __syncwarp();
    }
}

template <typename T> __global__ void copy(T *to, const T *from, unsigned several)
{
    *to = from[threadIdx.x % several];
}

/* A thread's own atomic may change the word before anybody looks. */
__global__ void counted(int *word)
{
    if (threadIdx.x % 32 == 0)
        *word = 0;
    __syncwarp();
    *word = 4;
    __syncwarp();
    atomicAdd(word, 1);
}

/* By two instructions. */
__global__ void stored_twice(int *word)
{
    if (threadIdx.x == 0)
        *word = 5; // BUG by_two
    else if (threadIdx.x == 1)
        *word = 5; // BUG by_two
}

int main(int, char **argv)
{
    int *data = (int *)device(1 << 16), *rest = (int *)device(1 << 12);
    double *doubles = (double *)data;
    const Three *three = (const Three *)data + 64;
    const Long *all = (const Long *)data + 2;
    const float4 *four = (const float4 *)data + 8;
    int tail = 7; /* the second of either differs from the first in its last word */
    cudaMemcpy((void *)&three[1].a[2], &tail, 4, cudaMemcpyHostToDevice);
    cudaMemcpy((void *)&four[1].w, &tail, 4, cudaMemcpyHostToDevice);
    cudaMemcpy((void *)&all[1].a[299], &tail, 4, cudaMemcpyHostToDevice);

    CASE(doubles, "race in global memory") store<<<1, 32>>>(doubles, 1.0, 1.0 + 1e-15);
    CASE(float4s, "race in global memory") copy<<<1, 32>>>((float4 *)data, four, 2);
    CASE(shorts, "race in global memory") store<<<1, 32>>>((short *)data + 1, (short)1, (short)258);
    CASE(last_warp, "race in global memory") last_warp<<<1, dim3(32, 4)>>>(doubles, 1.0, 1.0000001);
    CASE(overwritten, "race in global memory") overwritten<<<1, 32>>>(data, rest, false);
    CASE(three, "race in global memory") copy<<<1, 32>>>((Three *)data, three, 2);
    CASE(long_ones, "note: lanes store one value to one word") /* not known to differ */
    copy<<<1, 32>>>((Long *)data, all, 2);

    CASE(same_ints, "note: lanes store one value to one word") store<<<1, 32>>>(data, 13, 13);
    CASE(same_of_two_warps, "race in global memory") store<<<1, 64>>>(data, 13, 13);
    CASE(by_two, "race in global memory") stored_twice<<<1, 32>>>(data);
    CASE(same_in_warps, "note: lanes store one value to one word")
    last_warp<<<1, dim3(32, 4)>>>(doubles, 1.0, 1.0);
    CASE(same_overwritten, "note: lanes store one value to one word")
    overwritten<<<1, 32>>>(data, rest, true);
    CASE(counted, "note: lanes store one value to one word") counted<<<1, 32>>>(data);
    CASE(each_its_own, "nothing") last_warp<<<1, dim3(1, 4)>>>(doubles, 1.0, 2.0);
    return finish(0);
}
