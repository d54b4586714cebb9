/* Masks that do not name every lane that calls and every lane that is read. */
#include "../twins/cases.h"

/* A mask of 16 lanes, left over from code for half a warp, in a shuffle that all 32 lanes call. */
__global__ void caller_outside(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int v = in[lane];

    out[lane] = v - __shfl_sync(FIXED ? 0xffffffff : 0x0000ffff, v, 0); // BUG: caller_outside
}

/* Half a warp reduces with a mask of 16 lanes, but begins with the distance of a whole one: lane 0
 * asks lane 16, which does not take part. What it gets is undefined. */
__global__ void source_outside(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int v = in[lane];

    if (lane >= 16)
        return;
    for (int d = FIXED ? 8 : 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffff, v, d); // BUG: source_outside
    out[lane] = v;
}

int main(int, char **argv)
{
    int *in = numbers(32), *out = (int *)device(32 * sizeof *out);

    CASE(caller_outside, "warp operation with a wrong mask")
    {
        caller_outside<<<1, 32>>>(in, out);
        return differ(out, 32, [](int i) { return i; });
    }
    CASE(source_outside, "warp operation with a wrong mask")
    {
        source_outside<<<1, 32>>>(in, out);
        return differ(out, 16, [](int) { return 120; });
    }
    return 2;
}
