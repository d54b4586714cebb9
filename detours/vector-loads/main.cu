/* Vector loads: 16 bytes per load instead of 4.
 *
 * Read it after step 07. A thread reads four neighbouring ints with one instruction, and a warp 512
 * bytes in a row. The address must be a multiple of 16: cudaMalloc guarantees it, tiles begin at
 * multiples of 16 elements, and the sums of each launch are put at one, too. The last, partial tile
 * is read element by element, so that nothing past the end is touched.
 *
 * Look at: global load requests, sectors per request and sectors in all, beside those of step 07.
 * How many bytes has a thread in flight there, and how many here? On a GPU, what do you expect of
 * the time at 2^24 and 2^30: does the number of instructions count, or the number of bytes in
 * flight?
 *
 * Measured with: float and double, too.
 *
 * Source: NVIDIA's CUDA C++ Best Practices Guide, on coalesced access. */
#include "lab.h"

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)
#define PACK  (16 / sizeof(elem_t)) /* elements in 16 bytes */

struct __align__(16) pack
{
    elem_t elem[PACK];
};

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;

    if (tile + TILE <= n) {
        const struct pack *packs = (const struct pack *)(in + tile);
#pragma unroll
        for (unsigned i = 0; i < TILE / PACK; i += BLOCK) {
            struct pack p = packs[i + tid]; /* one load of 16 bytes */
            for (unsigned k = 0; k < PACK; k++)
                sum += p.elem[k];
        }
    } else {
        for (size_t i = tile + tid; i < n; i += BLOCK)
            sum += in[i];
    }

    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < BLOCK / 32 ? s[tid] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
    }

    if (tid == 0)
        sums[blockIdx.x] = sum;
}

/* Every launch leaves one sum per block; they are the next launch's input, until one is left. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    do {
        size_t blocks = (n + TILE - 1) / TILE;
        elem_t *sums = blocks > 1 ? scratch : out;

        reduce_block<<<blocks, BLOCK>>>(in, sums, n);
        CHECK(cudaGetLastError());
        in = sums;
        n = blocks;
        scratch += (blocks + PACK - 1) / PACK * PACK; /* stays a multiple of 16 bytes */
    } while (n > 1);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
