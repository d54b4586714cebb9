/* Naive coalesced: step 00, but neighbouring threads load neighbouring elements.
 *
 * Read it after step 00. It changes one of the ideas that step 01 changes at once: thread t takes
 * elements t, t + 1024, t + 2048, … instead of a contiguous piece. It is still one block, on one
 * multiprocessor, and thread 0 still adds up the 1024 sums. See naive-everywhere for the other
 * idea, and for both.
 *
 * Look at: sectors per request, beside those of step 00, and the requests. On a GPU, look at the
 * time at 2^24, too: in step 00 a warp's words come from few banks of its L1 cache, which deliver
 * them one by one. What is left to wait for when they come at once? How much do you expect to gain,
 * with one multiprocessor at work?
 *
 * A thread has four loads in flight, as in step 00: nvcc unrolls both loops four times, and sm_90's
 * machine code has four LDG before the first addition.
 *
 * In flight: 4 loads per thread.
 *
 * Source: write-up 2, solution 0.5. */
#include "lab.h"

#undef BLOCK
#define BLOCK 1024 /* one block, as large as a GPU allows */

__global__ void reduce_strided(const elem_t *in, elem_t *out, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    elem_t sum = 0;

    for (size_t i = tid; i < n; i += BLOCK)
        sum += in[i];
    s[tid] = sum;
    __syncthreads();

    if (tid == 0) {
        for (unsigned t = 1; t < BLOCK; t++)
            sum += s[t];
        *out = sum;
    }
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    reduce_strided<<<1, BLOCK>>>(in, out, n);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
