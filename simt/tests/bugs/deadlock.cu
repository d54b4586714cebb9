/* Lanes that wait for each other for ever. Some GPUs let some of them pass, and hand out anything.
 */
// gpu: hangs
#include "../twins/cases.h"

/* Two halves of a warp with a mask each, and each mask names one lane of the other half: lane 15
 * waits with the lower half for lane 16, which waits with the upper half for lane 15. */
__global__ void masks(const int *in, int *out)
{
    __shared__ int s[32];
    unsigned lane = threadIdx.x;

    s[lane] = in[lane];
    if (lane < 16)
        __syncwarp(FIXED ? 0x0000ffff : 0x0001ffff); // BUG: masks
    else
        __syncwarp(FIXED ? 0xffff0000 : 0xffff8000); // BUG: masks
    out[lane] = s[lane ^ 15];
}

/* A shuffle with the full mask in a branch of 16 lanes: it waits for the other 16, which wait at
 * the barrier behind the branch. All lanes must shuffle, and the branch decides which of them use
 * it. */
__global__ void shuffle(const int *in, int *out)
{
    __shared__ int s[16];
    unsigned lane = threadIdx.x;
    int v = in[lane];

    if (lane < 16 || FIXED)
        v += __shfl_down_sync(0xffffffff, v, 16); // BUG: shuffle
    if (lane < 16)
        s[lane] = v;
    __syncthreads(); // BUG: shuffle
    out[lane] = s[lane % 16];
}

int main(int, char **argv)
{
    int *in = numbers(32), *out = (int *)device(32 * sizeof *out);

    CASE(masks, "deadlock")
    {
        masks<<<1, 32>>>(in, out);
        return differ(out, 32, [](int i) { return i ^ 15; });
    }
    CASE(shuffle, "deadlock")
    {
        shuffle<<<1, 32>>>(in, out);
        return differ(out, 32, [](int i) { return 2 * (i % 16) + 16; });
    }
    return 2;
}
