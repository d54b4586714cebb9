/* Out of bounds in global memory. */
#include "../twins/cases.h"

enum { N = 1000, BLOCK = 128 };

/* The difference to the left neighbour: thread 0 has none and reads in[-1]. In front of an array
 * there is mostly another one, so that only one result of many is wrong. */
__global__ void before(const int *in, int *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int left = !FIXED || i > 0 ? in[i - 1] : 0; // BUG: before
    out[i] = in[i] - left;
}

/* 16 bytes per thread, and n is no multiple of four: the last access begins within the array and
 * ends two ints behind it. */
__global__ void int4_tail(const int *in, int *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, v = 0;

    if (4 * i + (FIXED ? 3 : 0) < n) {
        int4 four = ((const int4 *)in)[i]; // BUG: int4_tail
        v = four.x + four.y + four.z + four.w;
    } else {
        for (int k = 4 * i; k < n; k++)
            v += in[k];
    }
    atomicAdd(out, v);
}

/* Room for the characters of a text, not for the 0 behind them: one byte is written past the end.
 * An allocation is rounded up, so that it does no harm until the length is a multiple of 256. */
__global__ void one_byte(char *out, int length)
{
    int i = threadIdx.x;

    if (i < length)
        out[i] = 'a' + i;
    if (i == 0)
        out[length] = 0; // BUG: one_byte
}

/* A buffer is freed and then read by a second launch. Freed device memory mostly stays mapped and
 * keeps its values until somebody else gets it. */
__global__ void copy_reversed(const int *in, int *out)
{
    out[threadIdx.x] = in[BLOCK - 1 - threadIdx.x]; // BUG: after_free
}

int main(int, char **argv)
{
    int *in = numbers(N), *out = (int *)device(N * sizeof *out);

    CASE(before, "out of bounds in global memory")
    {
        before<<<2, BLOCK>>>(in, out);
        return differ(out, 2 * BLOCK, [](int i) { return i > 0; });
    }
    CASE(int4_tail, "out of bounds in global memory")
    {
        int4_tail<<<2, BLOCK>>>(numbers(N + 2), out, N + 2);
        return differ(out, 1, [](int) { return 1002 * 1001 / 2; });
    }
    CASE(one_byte, "out of bounds in global memory")
    {
        char *text = (char *)device(20 + FIXED);
        one_byte<<<1, 32>>>(text, 20);
        return differ(text, 20 + FIXED, [](int i) { return i < 20 ? 'a' + i : 0; });
    }
    CASE(after_free, "out of bounds in global memory")
    {
        int *between = (int *)device(N);
        copy_reversed<<<1, BLOCK>>>(in, between);
        if (!FIXED)
            cudaFree(between);
        copy_reversed<<<1, BLOCK>>>(between, out);
        return differ(out, BLOCK, [](int i) { return i; });
    }
    return 2;
}
