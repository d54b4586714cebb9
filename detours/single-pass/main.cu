/* Single pass: one launch; the last block to finish adds the blocks' sums.
 *
 * Read it after step 07, grid-stride and vector-loads. The second launch of those costs more than
 * two microseconds, which is most of the time where n is small.
 *
 * Idea: each block leaves its sum in memory and takes a ticket, a number that counts the blocks
 * that are done. The one with the last number knows that all other sums are there. __threadfence
 * between sum and ticket keeps their order: without it another block could see the ticket before
 * the sum. The rest is shape: a small array is the work of one block, which needs no ticket; a
 * large one that of as many blocks as the GPU runs at once, each thread with four 16-byte loads
 * under way.
 *
 * Look at: one launch, two barriers a block; one atomic a block.
 *
 * Expect: MEASURED
 *
 * Source: the threadFenceReduction sample of the CUDA toolkit and the example of __threadfence in
 * the CUDA C++ Programming Guide, for fence and ticket. */
#include "lab.h"

#undef BLOCK
#define BLOCK 512 /* threads of a block, where there are many blocks */

#define LOADS 4                     /* that a thread has under way */
#define PACK  (16 / sizeof(elem_t)) /* elements in a load */

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

/* The sum over all threads of the block, in thread 0. */
static __device__ elem_t block_sum(elem_t sum)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;

    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < blockDim.x / 32 ? s[tid] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
    }
    return sum;
}

/* volatile: sums is written by other blocks while this one runs, so it must be read from memory. */
__global__ void reduce_all(const elem_t *in, elem_t *out, volatile elem_t *sums, size_t n)
{
    __shared__ bool last;
    const struct pack *packs = (const struct pack *)in;
    unsigned tid = threadIdx.x, width = blockDim.x;
    size_t count = n / PACK;
    size_t i = (size_t)blockIdx.x * width * LOADS + tid;
    elem_t sum = 0;

    for (; i + (LOADS - 1) * width < count; i += (size_t)gridDim.x * width * LOADS) {
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++)
            sum += pack_sum(packs[i + k * width]);
    }
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++)
        if (i + k * width < count)
            sum += pack_sum(packs[i + k * width]);
    if (blockIdx.x == 0 && tid < n % PACK)
        sum += in[count * PACK + tid];
    sum = block_sum(sum);

    if (gridDim.x > 1) {
        if (tid == 0) {
            sums[blockIdx.x] = sum;
            __threadfence();
            last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1; /* and back to 0 */
        }
        __syncthreads();
        if (!last)
            return;
        sum = 0;
        for (unsigned block = tid; block < gridDim.x; block += width)
            sum += sums[block];
        sum = block_sum(sum);
    }
    if (tid == 0)
        *out = sum;
}

/* The blocks that the whole GPU runs at the same time. */
static size_t resident_blocks(void)
{
    int device, processors, blocks;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reduce_all, BLOCK, 0));
    return (size_t)blocks * processors;
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static size_t most; /* asked once, in the untimed call */

    if (most == 0)
        most = resident_blocks();
    size_t blocks = (n + 8 * BLOCK - 1) / (8 * BLOCK), threads = BLOCK;
    if (blocks > most)
        blocks = most;
    if (n <= 16 * 1024) { /* 16 elements a thread */
        blocks = 1;
        threads = n <= 16 * 256 ? 256 : 1024;
    }
    reduce_all<<<blocks, threads>>>(in, out, scratch, n);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
