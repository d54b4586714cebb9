/* Single pass: one launch; the last block to finish adds the blocks' sums.
 *
 * Read it after step 07, grid-stride and vector-loads. Their second launch costs two microseconds
 * or more, which is a third of the time up to 2^20 elements.
 *
 * Idea: each block leaves its sum in memory and takes a ticket, a number that counts the blocks
 * that are done. The one with the last number knows that all other sums are there. __threadfence
 * between sum and ticket keeps their order: without it another block could see the ticket before
 * the sum. The rest is shape: a small array is the work of one block, which needs no ticket; a
 * large one that of as many blocks as the GPU runs at once, each thread with four 16-byte loads
 * under way.
 *
 * Look at: one launch; an atomic and two barriers a block, and a third barrier in the last.
 *
 * Expect: faster than every step and than CUB up to 2^28: up to 1.6 times at 2^14, a tenth at 2^24;
 * at 2^30 all wait for the memory, and the steps are a percent ahead. Only atomic-finish beats it,
 * from 2^16 to 2^22 by up to a tenth; but its float sum changes from run to run. Why it does is not
 * settled: fence, ticket and last block cost something, and up to 2^22 half of the blocks here find
 * nothing to load.
 *
 * Source: the threadFenceReduction sample of the CUDA toolkit and the example of __threadfence in
 * the CUDA C++ Programming Guide, for fence and ticket. */
#include "lab.h"

#undef BLOCK
#define BLOCK 512                   /* threads of a block, where there are many */
#define PACK  (16 / sizeof(elem_t)) /* elements in a load */
#define LOADS 4                     /* that a thread has under way */

struct __align__(16) pack
{
    elem_t elem[PACK];
};

static __device__ unsigned ticket; /* blocks that are done; 0 between launches */

static __device__ elem_t pack_sum(struct pack p)
{
    elem_t sum = 0;

    for (unsigned k = 0; k < PACK; k++)
        sum += p.elem[k];
    return sum;
}

/* The sum of packs i, i + stride, … , LOADS of them, as far as there are that many. */
static __device__ elem_t last_packs(const struct pack *packs, size_t i, size_t stride, size_t count)
{
    elem_t sum = 0;

#pragma unroll
    for (unsigned k = 0; k < LOADS; k++)
        if (i + k * stride < count)
            sum += pack_sum(packs[i + k * stride]);
    return sum;
}

/* The sum over all threads of the block, in thread 0. */
static __device__ elem_t block_sum(elem_t sum, unsigned threads)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;

    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < threads / 32 ? s[tid] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
    }
    return sum;
}

/* One block for all: n is at most LOADS * PACK elements a thread. */
__global__ void reduce_small(const elem_t *in, elem_t *out, unsigned n)
{
    unsigned tid = threadIdx.x, rest = n % PACK;
    elem_t sum = last_packs((const struct pack *)in, tid, blockDim.x, n / PACK);

    if (tid < rest)
        sum += in[n - rest + tid];
    sum = block_sum(sum, blockDim.x);
    if (tid == 0)
        *out = sum;
}

/* volatile: other blocks write sums while this one runs, so it must be read from memory. */
__global__ void reduce_large(const elem_t *in, elem_t *out, volatile elem_t *sums, size_t n)
{
    __shared__ bool last;
    const struct pack *packs = (const struct pack *)in;
    unsigned tid = threadIdx.x, rest = n % PACK;
    size_t count = n / PACK, i = (size_t)blockIdx.x * (LOADS * BLOCK) + tid;
    elem_t sum = 0;

    for (; i + (LOADS - 1) * BLOCK < count; i += (size_t)gridDim.x * (LOADS * BLOCK)) {
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++)
            sum += pack_sum(packs[i + k * BLOCK]);
    }
    sum += last_packs(packs, i, BLOCK, count);
    if (blockIdx.x == 0 && tid < rest)
        sum += in[n - rest + tid];
    sum = block_sum(sum, BLOCK);

    if (tid == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1; /* which also sets it to 0 */
    }
    __syncthreads();
    if (!last)
        return;

    sum = tid < gridDim.x ? sums[tid] : 0;
    sum = block_sum(sum, BLOCK);
    if (tid == 0)
        *out = sum;
}

/* The blocks that the whole GPU runs at the same time. */
static size_t resident_blocks(void)
{
    int device, processors, blocks;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reduce_large, BLOCK, 0));
    return (size_t)blocks * processors;
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static size_t most; /* asked once, in the untimed call */

    if (most == 0) {
        most = resident_blocks();
        if (most > BLOCK) /* a thread for each block's sum */
            most = BLOCK;
    }
    if (n <= 1024 * LOADS * PACK) {
        reduce_small<<<1, n <= 256 * LOADS * PACK ? 256 : 1024>>>(in, out, n);
    } else {
        size_t blocks = (n + 8 * BLOCK - 1) / (8 * BLOCK);
        if (blocks > most)
            blocks = most;
        reduce_large<<<blocks, BLOCK>>>(in, out, scratch, n);
    }
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
