/* Masks that do not name every lane that calls and every lane that is read. */
#include "../twins/cases.h"

/* A mask of 16 lanes, left over from code for half a warp, in a shuffle that all 32 lanes call. */
__global__ void caller_outside(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int v = in[lane];

    out[lane] = v - __shfl_sync(FIXED ? 0xffffffff : 0x0000ffff, v, 0); // BUG: caller_outside
}

/* The lanes with an odd element share what their leader knows, and take lane 0 for the leader; lane
 * 0 has an even element and is elsewhere. Data with an odd first element hides it. */
__global__ void leader_outside(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int v = in[lane];
    unsigned odd = __ballot_sync(0xffffffff, v % 2 == 1);
    int leader = FIXED ? __ffs(odd) - 1 : 0;

    if (v % 2 == 1)
        out[lane] = __shfl_sync(odd, v, leader); // BUG: leader_outside
}

/* The mask is made from the number of lanes in the branch, as if they were the lowest ones. It is
 * right for the first n lanes, wrong for every other lane. The ballot itself is the mask. */
__global__ void mask_by_count(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int v = in[lane];
    unsigned odd = __ballot_sync(0xffffffff, v % 2 == 1);
    unsigned mask = FIXED ? odd : (1u << __popc(odd)) - 1;

    if (v % 2 == 1)
        out[lane] = __reduce_add_sync(mask, v); // BUG: mask_by_count
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
    CASE(leader_outside, "warp operation with a wrong mask")
    {
        leader_outside<<<1, 32>>>(in, out);
        return differ(out, 32, [](int i) { return i % 2; });
    }
    CASE(mask_by_count, "warp operation with a wrong mask")
    {
        mask_by_count<<<1, 32>>>(in, out);
        return differ(out, 32, [](int i) { return i % 2 * 256; });
    }
    CASE(source_outside, "warp operation with a wrong mask")
    {
        source_outside<<<1, 32>>>(in, out);
        return differ(out, 16, [](int) { return 120; });
    }
    return 2;
}
