/* Naive everywhere: step 00 on all multiprocessors, with a block of 1024 threads for each.
 *
 * Read it after step 00 and naive-coalesced. It changes the other of the ideas that step 01 changes
 * at once: there are as many blocks as multiprocessors, and each does with its part of the array
 * what step 00 does with all of it; a second launch adds up the blocks' sums. COALESCED 1 changes
 * both: thread t of a block takes elements t, t + 1024, t + 2048, … of its part. That is step 01
 * without its tree: a thread has a hundred elements at 2^24, where step 01 has a thread for each.
 *
 * Look at: sectors per request, also with COALESCED 1. Does any counter show how many
 * multiprocessors work?
 *
 * On a GPU, compare both with steps 00, 01 and 05 at 2^24. Which of step 01's ideas do you expect
 * to gain most? Does its tree gain, or does it cost?
 *
 * Either way four loads are in flight, as in step 00: nvcc unrolls all these loops four times, and
 * sm_90's machine code has four LDG before the first addition.
 *
 * In flight: 4 loads per thread. */
#include "lab.h"

#undef BLOCK
#define BLOCK     1024 /* one block for each multiprocessor, as large as a GPU allows */
#define COALESCED 0    /* 1: neighbouring threads load neighbouring elements */

__global__ void reduce_pieces(const elem_t *in, elem_t *sums, size_t n, size_t part)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t first = blockIdx.x * part; /* the block's part of the array, up to last */
    size_t last = first + part < n ? first + part : n;
    size_t piece = (part + BLOCK - 1) / BLOCK;
    size_t begin = first + (COALESCED ? tid : tid * piece);
    size_t end = COALESCED || begin + piece > last ? last : begin + piece;
    elem_t sum = 0;

    for (size_t i = begin; i < end; i += COALESCED ? BLOCK : 1)
        sum += in[i];
    s[tid] = sum;
    __syncthreads();

    if (tid == 0) {
        for (unsigned t = 1; t < BLOCK; t++)
            sum += s[t];
        sums[blockIdx.x] = sum;
    }
}

static size_t multiprocessors(void)
{
    int device, count;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return (size_t)count;
}

/* The second launch, of one block, adds the blocks' sums. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static size_t most; /* asked once, in the untimed call */
    size_t needed = (n + BLOCK - 1) / BLOCK;

    if (most == 0)
        most = multiprocessors();
    size_t blocks = needed < most ? needed : most;
    size_t part = (n + blocks - 1) / blocks;

    reduce_pieces<<<blocks, BLOCK>>>(in, blocks > 1 ? scratch : out, n, part);
    CHECK(cudaGetLastError());
    if (blocks > 1) {
        reduce_pieces<<<1, BLOCK>>>(scratch, out, blocks, blocks);
        CHECK(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
