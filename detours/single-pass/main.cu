/* Single pass: one launch; a ticket tells the last block to finish that all sums are in.
 *
 * Read it after step 07, grid-stride and vector-loads. Their second launch costs two microseconds
 * or more, which is a third of the time up to 2^20 elements.
 *
 * Idea: each block hands in its sum and takes a ticket, a number that counts the blocks that are
 * done. The one with the last number knows that all other sums are there. For that, the sum must be
 * there before the ticket is taken: __threadfence between them keeps their order; without it,
 * another block could see the ticket before the sum. An int can do without: sum and ticket are the
 * halves of one 64-bit word, one atomic adds to both at once and returns what the others handed in,
 * so the last block need not read their sums back. No float fits, since only integers add up in
 * parts of a word.
 *
 * The rest is shape: a small array is the work of one block, which needs no ticket; a larger one
 * that of a block a tile, each thread with four 16-byte loads in flight, until there are more tiles
 * than the GPU runs blocks at once; from then on a block takes several. All warps of a single block
 * wait at the same time, and no other block fills the gap, so each instruction counts: a warp's
 * ints are added up by one, as in warp-redux, and the number of threads is a constant, which leaves
 * one address to compute for four loads.
 *
 * Look at: one launch. With TYPE=float a barrier more a block, and another in the last one, which
 * reads all sums back.
 *
 * Expect: with ints, the fastest program here at every n; only at 2^12 warp-redux is as fast.
 * Against CUB: by a fifth at 2^10, some percent at 2^12, 1.7 times as fast at 2^14, where one block
 * does what takes CUB two launches, by a third at 2^22, a seventh at 2^24, a percent at 2^30, where
 * all wait for the memory. The fence, and what is behind it, costs half a microsecond to one up to
 * 2^26 (FENCE 1 shows it), and makes floats at 2^30 two percent slower than ints.
 *
 * Source: the threadFenceReduction sample of the CUDA toolkit and the example of __threadfence in
 * the CUDA C++ Programming Guide, for fence and ticket. */
#include "lab.h"

#define PACK  (16 / sizeof(elem_t)) /* elements in a load */
#define LOADS 4                     /* that a thread has in flight */
#define TILE  (LOADS * PACK * BLOCK)
#define TILES 4            /* of a block, where there are many */
#define FENCE !ELEM_IS_INT /* between sum and ticket */

struct __align__(16) pack
{
    elem_t elem[PACK];
};

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

/* The sum over all lanes of the warp, in lane 0. */
static __device__ elem_t warp_sum(elem_t sum)
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    if (ELEM_IS_INT)
        sum = __reduce_add_sync(0xffffffff, (int)sum); /* one instruction: see warp-redux */
    else
#endif
        for (unsigned delta = 16; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
    return sum;
}

/* The sum over all threads of the block, in thread 0. */
static __device__ elem_t block_sum(elem_t sum, unsigned threads)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;

    sum = warp_sum(sum);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32)
        sum = warp_sum(tid < threads / 32 ? s[tid] : 0);
    return sum;
}

/* One block for all: n is at most LOADS * PACK elements per thread. */
static __device__ void one_block(const elem_t *in, elem_t *out, unsigned n, unsigned threads)
{
    unsigned tid = threadIdx.x, rest = n % PACK;
    elem_t sum = last_packs((const struct pack *)in, tid, threads, n / PACK);

    if (tid < rest)
        sum += in[n - rest + tid];
    sum = block_sum(sum, threads);
    if (tid == 0)
        *out = sum;
}

__global__ void reduce_by_256(const elem_t *in, elem_t *out, unsigned n)
{
    one_block(in, out, n, 256);
}

__global__ void reduce_by_1024(const elem_t *in, elem_t *out, unsigned n)
{
    one_block(in, out, n, 1024);
}

static __device__ unsigned long long handed_in; /* blocks that are done; above, their sum */
static __device__ unsigned ticket;              /* blocks that are done; both 0 between launches */

/* int, thread 0 of each block: sum and ticket by one atomic. */
static __device__ void hand_in_at_once(unsigned sum, elem_t *out)
{
    unsigned long long mine = (unsigned long long)sum << 32 | 1;
    unsigned long long all = atomicAdd(&handed_in, mine) + mine;

    if ((unsigned)all == gridDim.x) {
        *out = (elem_t)(all >> 32);
        atomicExch(&handed_in, 0);
    }
}

/* Any type, all threads: the sum, which only thread 0 has, and then the ticket. volatile: other
 * blocks write sums while this one runs, so it must be read from memory. */
static __device__ void hand_in_behind_fence(elem_t sum, elem_t *out, volatile elem_t *sums)
{
    __shared__ bool last;
    unsigned tid = threadIdx.x;

    if (tid == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1; /* which also sets it to 0 */
    }
    __syncthreads();
    if (!last)
        return;

    sum = 0;
    for (unsigned i = tid; i < gridDim.x; i += BLOCK)
        sum += sums[i];
    sum = block_sum(sum, BLOCK);
    if (tid == 0)
        *out = sum;
}

__global__ void reduce_large(const elem_t *in, elem_t *out, elem_t *sums, size_t n)
{
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

    if (FENCE)
        hand_in_behind_fence(sum, out, sums);
    else if (tid == 0)
        hand_in_at_once((unsigned)sum, out);
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

/* One for each tile, as long as the GPU runs them all at the same time. Then as many as it runs or,
 * where no sums must be read back, one for TILES of them, if that is more: a multiprocessor that is
 * faster than others then takes more of them. */
static size_t blocks_for(size_t n)
{
    static size_t resident; /* asked once, in the untimed call */
    size_t tiles = (n + TILE - 1) / TILE, most;

    if (resident == 0)
        resident = resident_blocks();
    most = !FENCE && tiles / TILES > resident ? tiles / TILES : resident;
    return tiles < most ? tiles : most;
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    if (n <= 256 * LOADS * PACK) {
        reduce_by_256<<<1, 256>>>(in, out, n);
    } else if (n <= 1024 * LOADS * PACK) {
        reduce_by_1024<<<1, 1024>>>(in, out, n);
    } else {
        reduce_large<<<blocks_for(n), BLOCK>>>(in, out, scratch, n);
    }
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
