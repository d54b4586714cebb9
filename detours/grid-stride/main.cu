/* Grid-stride loop: as many blocks as the GPU runs at once; each thread strides through the array.
 *
 * Read it after step 06, which starts a block for every tile. Here the grid is fixed by the GPU and
 * not by n: thread t of all the T threads adds elements t, t + T, t + 2 T, … So any grid is right
 * for any n, two launches are enough for any n, and no block takes the place of one that is done.
 *
 * Look at: warps at __syncthreads with -n 2^18 and with -n 2^20. How many trees are there? Then the
 * load in the loop, with its sectors per request: which elements do neighbouring threads read in
 * the same round?
 *
 * On a GPU, compare the time with that of step 06 at 2^20, 2^24 and 2^30. nvcc does not unroll this
 * loop: what must happen before a thread sends its next load? Do full multiprocessors
 * make up for that? (See single-pass for a grid-stride loop with four loads in flight.)
 *
 * In flight: 1 load per thread.
 *
 * Source: write-ups 2 (solution 0.5) and 4 (reduce1, reduce2). */
#include "lab.h"

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    elem_t sum = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n; i += stride)
        sum += in[i];
    s[tid] = sum;
    __syncthreads();

    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            s[tid] += s[tid + half];
        __syncthreads();
    }

    if (tid == 0)
        sums[blockIdx.x] = s[0];
}

/* The blocks that the whole GPU runs at the same time. */
static size_t resident_blocks(void)
{
    int device, processors, blocks;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reduce_block, BLOCK, 0));
    return (size_t)blocks * processors;
}

/* The second launch, of one block, adds the blocks' sums. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static size_t most; /* asked once, in the untimed call */
    size_t needed = (n + BLOCK - 1) / BLOCK;

    if (most == 0)
        most = resident_blocks();
    size_t blocks = needed < most ? needed : most;

    reduce_block<<<blocks, BLOCK>>>(in, blocks > 1 ? scratch : out, n);
    CHECK(cudaGetLastError());
    if (blocks > 1) {
        reduce_block<<<1, BLOCK>>>(scratch, out, blocks);
        CHECK(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
