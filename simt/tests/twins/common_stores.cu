/* Stores of several lanes to one word by one instruction: the same value is a note, different ones
 * are a race, however alike they look, and whatever is stored there before or after. */
#include "cases.h"

struct Three {
    int a[3];
};
struct Long {
    int a[300];
};

/* All bits of the value count, in every type: the last lane's differs. */
template <typename T> static void store(T *word, T one, T other, int threads = 32)
{
    DO(threads, *word = i % 32 < 31 ? one : other);
}
template <typename T> static void copy(T *to, const T *from) { DO(32, *to = from[i % 2]); }

/* The last warp alone, in a block of two dimensions. */
static void last_warp(double *words, double one, double other, dim3 block = dim3(32, 4))
{
    DO(block, words[threadIdx.y] = threadIdx.y == 3 && threadIdx.x == 7 ? other : one);
}

/* Behind it all store the same there, which alone is then in memory. */
static void overwritten(int *word, int *rest, bool same, int rounds = 2)
{
    DO(32, for (int round = 0; round < rounds; round++) {
        word[0] = round || same ? 5 : i;
        rest[i] = round;
        __syncwarp();
    });
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

    CASE(doubles, "race in global memory") store(doubles, 1.0, 1.0 + 1e-15);
    CASE(float4s, "race in global memory") copy((float4 *)data, four);
    CASE(shorts, "race in global memory") store((short *)data + 1, (short)1, (short)258);
    CASE(last_warp, "race in global memory") last_warp(doubles, 1.0, 1.0000001);
    CASE(overwritten, "race in global memory") overwritten(data, rest, false);
    CASE(three, "race in global memory") copy((Three *)data, three);
    CASE(long_ones, "note: lanes store one value to one word") /* not known to differ */
        copy((Long *)data, all);
    CASE(same_ints, "note: lanes store one value to one word") store(data, 13, 13);
    CASE(same_of_two_warps, "race in global memory") store(data, 13, 13, 64); // says Both store the same value.
    CASE(others_differ, "race in global memory") /* of those that do is told */
        DO(96, if (i % 32 == 0) *data = i < 64); // BUG: thread (64,0,0)
    CASE(by_two, "race in global memory") /* instructions; says Both store the same value. */
        run<<<1, 32>>>([=] __device__(int i) {
            if (i == 0)
                *data = 5; // BUG
            else if (i == 1)
                *data = 5; // BUG
        });
    CASE(same_in_warps, "note: lanes store one value to one word") last_warp(doubles, 1.0, 1.0);
    CASE(same_overwritten, "note: lanes store one value to one word") overwritten(data, rest, true);
    /* a thread's own atomic may change the word before anybody looks */
    CASE(counted, "note: lanes store one value to one word")
        DO(32, if (i == 0) *data = 0; __syncwarp(); *data = 4; __syncwarp(); atomicAdd(data, 1));
    CASE(each_its_own, "nothing") last_warp(doubles, 1.0, 2.0, dim3(1, 4));
    return finish(0);
}
