/* Single pass: one launch, in which the blocks bring their sums together.
 *
 * Read it after step 07, vector-loads, cluster and cooperative-groups. Their blocks leave sums, and
 * a second launch or a barrier of the grid must wait until all sums are there. What does that cost
 * where n is small, and how little would be enough?
 *
 * Idea: one trip between the multiprocessors is enough, and there are three ways to make it.
 *
 * group: a small array is the work of one block, which needs none; a larger one that of 8 or 16 in
 * a cluster, which write their sums into the first one's shared memory.
 *
 * at once: each block adds its sum to the others', and the last one to do so stores the result. Who
 * is last? A ticket tells, a number that counts the blocks that are done. An int's sum and the
 * ticket are the halves of one 64-bit word: one atomic adds to both and returns what the others
 * handed in.
 *
 * wait: a float cannot, since only integers add up in parts of a word. So each block puts its sum
 * into a word of its own, and the first block waits for all of them. It may: a cooperative launch
 * promises that all blocks run at the same time. In any other, those that it waits for might be
 * waiting for its place. (NVIDIA's sample has a fence between a sum and a ticket instead, which
 * takes four trips, one after the other.)
 *
 * Tables say which way to take, with how many threads and how many 16-byte loads in flight per
 * thread: shapes-int.h and its like, made by `make bench-shapes` as measured. All warps of a
 * single block wait at the same time, and no other block fills the gap, so each instruction counts:
 * a warp's ints are added up by one, as in warp-redux, and the number of threads is a constant,
 * which leaves one address to compute for all loads.
 *
 * Look at: atomic requests and warps at __syncthreads, with TYPE=int and with TYPE=float. How many
 * does a block need, and what for? (The CPU backend has no clusters: there, as on an older GPU,
 * another way takes over.)
 *
 * On a GPU, compare the time with those of step 07 and CUB at 2^10, 2^14, 2^20 and 2^30. At which n
 * do you expect to win most, and why not at the others? plots/measure/README.md says what each
 * way costs.
 *
 * Measured with: float and double, too.
 *
 * Source: the CUDA C++ Programming Guide, on cooperative launches and on distributed shared memory;
 * the threadFenceReduction sample of the CUDA toolkit, for the ticket. */
#include "lab.h"

#include <string.h>

/* Where the sum goes. A program of which this is a part (it defines PART) may say it otherwise. */
#ifndef DESTINATION
typedef elem_t *destination;

static __device__ void deliver(destination to, elem_t sum)
{
    *to = sum;
}
#endif

#undef BLOCK
#define BLOCK 512 /* of most shapes */

#define PACK  (16 / sizeof(elem_t)) /* elements in a load */
#define TILES 4                     /* of a block, where there are more blocks than run at once */

struct __align__(16) pack
{
    elem_t elem[PACK];
};

static __device__ elem_t pack_sum(const struct pack *pack)
{
    struct pack p = *pack; /* one load */
    elem_t sum = 0;

    for (unsigned k = 0; k < PACK; k++)
        sum += p.elem[k];
    return sum;
}

/* The sum of packs i, i + stride, … , LOADS of them, as far as there are that many. */
template <unsigned LOADS>
static __device__ elem_t last_packs(const struct pack *packs, size_t i, size_t stride, size_t count)
{
    elem_t sum = 0;

#pragma unroll
    for (unsigned k = 0; k < LOADS; k++)
        if (i + k * stride < count)
            sum += pack_sum(&packs[i + k * stride]);
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
template <unsigned THREADS> static __device__ elem_t block_sum(elem_t sum)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;

    sum = warp_sum(sum);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32)
        sum = warp_sum(tid < THREADS / 32 ? s[tid] : 0);
    return sum;
}

/* ---- group: one block or one cluster; n is at most LOADS * PACK elements per thread ---- */

/* The sum of what one of so many blocks has to add up, in thread 0. */
template <unsigned THREADS, unsigned LOADS>
static __device__ elem_t share_of(const elem_t *in, unsigned n, unsigned blocks)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x, rest = n % PACK;
    elem_t sum = last_packs<LOADS>((const struct pack *)in, i, blocks * THREADS, n / PACK);

    if (i < rest)
        sum += in[n - rest + i];
    return block_sum<THREADS>(sum);
}

template <unsigned THREADS, unsigned LOADS>
__global__ void reduce_one_block(const elem_t *in, destination to, size_t n)
{
    elem_t sum = share_of<THREADS, LOADS>(in, n, 1);

    if (threadIdx.x == 0)
        deliver(to, sum);
}

#ifndef SIMT

#include <cooperative_groups.h>

#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
#define IN_CLUSTERS(blocks) __cluster_dims__(blocks)
#else
#define IN_CLUSTERS(blocks)
#endif

/* The cluster's barrier is in two parts: by arriving a block says that it is there, and only by
 * waiting does it stop for the others. So the first one costs nothing, since the loads are on their
 * way meanwhile; and all blocks but the first may leave at the second. */
template <unsigned BLOCKS, unsigned THREADS, unsigned LOADS>
__global__ void IN_CLUSTERS(BLOCKS) reduce_cluster(const elem_t *in, destination to, size_t n)
{
#if __CUDA_ARCH__ >= 900
    __shared__ elem_t sums[BLOCKS];
    auto cluster = cooperative_groups::this_cluster();
    unsigned tid = threadIdx.x;

    cluster.barrier_arrive();
    elem_t sum = share_of<THREADS, LOADS>(in, n, BLOCKS);
    cluster.barrier_wait(); /* the first block has begun, so it has its shared memory */
    if (tid == 0)
        *cluster.map_shared_rank(&sums[blockIdx.x], 0) = sum;
    cluster.barrier_arrive();
    if (blockIdx.x > 0)
        return;
    cluster.barrier_wait(); /* all sums are there */

    if (tid < 32) {
        sum = warp_sum(tid < BLOCKS ? sums[tid] : 0);
        if (tid == 0)
            deliver(to, sum);
    }
#else
    __trap(); /* reduce passes it over */
#endif
}

#endif

/* ---- tiles: as many blocks as n needs ---- */

/* The sum of the block's tiles, in thread 0. */
template <unsigned THREADS, unsigned LOADS>
static __device__ elem_t tiles_of(const elem_t *in, size_t n)
{
    const struct pack *packs = (const struct pack *)in;
    unsigned tid = threadIdx.x, rest = n % PACK;
    size_t count = n / PACK, i = (size_t)blockIdx.x * (LOADS * THREADS) + tid;
    elem_t sum = 0;

    for (; i + (LOADS - 1) * THREADS < count; i += (size_t)gridDim.x * (LOADS * THREADS)) {
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++)
            sum += pack_sum(&packs[i + k * THREADS]);
    }
    sum += last_packs<LOADS>(packs, i, THREADS, count);
    if (blockIdx.x == 0 && tid < rest)
        sum += in[n - rest + tid];
    return block_sum<THREADS>(sum);
}

static __device__ unsigned long long handed_in; /* blocks that are done; above, their sum */

/* int, thread 0 of each block: sum and ticket by one atomic. */
[[maybe_unused]] static __device__ void hand_in(unsigned sum, destination to)
{
    unsigned long long mine = (unsigned long long)sum << 32 | 1;
    unsigned long long all = atomicAdd(&handed_in, mine) + mine;

    if ((unsigned)all == gridDim.x) {
        atomicExch(&handed_in, 0); /* as the next launch wants it */
        deliver(to, (elem_t)(all >> 32));
    }
}

template <unsigned THREADS, unsigned LOADS>
__global__ void reduce_ticket(const elem_t *in, destination to, size_t n)
{
    elem_t sum = tiles_of<THREADS, LOADS>(in, n);

    if (threadIdx.x == 0)
        hand_in((unsigned)sum, to);
}

/* A block's mailbox holds the bits of its sum, or 0: there is none yet. So that no sum is 0, one
 * pattern changes places with it: that of a signalling NaN, which no addition returns (IEEE 754: a
 * NaN that it returns is quiet). No fence: the word that says that the sum is there is the sum. An
 * addition to 0 puts it there, since that needs no answer; the exchange takes it and leaves 0. */
#define MAILBOXES 2048
#define NO_SUM    0x7ff4000000000000
static __device__ unsigned long long mailbox[MAILBOXES]; /* 0 between launches */

[[maybe_unused]] static __device__ unsigned long long word_of(elem_t sum)
{
    unsigned long long bits = 0;

    memcpy(&bits, &sum, sizeof sum);
    return bits ^ NO_SUM;
}

[[maybe_unused]] static __device__ elem_t sum_of(unsigned long long word)
{
    elem_t sum;

    word ^= NO_SUM;
    memcpy(&sum, &word, sizeof sum);
    return sum;
}

[[maybe_unused]] static __device__ void post(unsigned block, elem_t sum)
{
    atomicAdd(&mailbox[block], word_of(sum));
}

/* Waits for a block's sum. */
[[maybe_unused]] static __device__ elem_t collect(unsigned block)
{
    unsigned long long word;

    do
        word = atomicExch(&mailbox[block], 0);
    while (word == 0);
    return sum_of(word);
}

/* For a cooperative launch, of at most MAILBOXES blocks. */
template <unsigned THREADS, unsigned LOADS>
__global__ void reduce_wait(const elem_t *in, destination to, size_t n)
{
    unsigned tid = threadIdx.x;
    elem_t sum = tiles_of<THREADS, LOADS>(in, n);

    if (tid == 0)
        post(blockIdx.x, sum);
    if (blockIdx.x > 0)
        return;

    sum = 0;
    for (unsigned i = tid; i < gridDim.x; i += THREADS)
        sum += collect(i);
    __syncthreads(); /* block_sum's shared memory is used again */
    sum = block_sum<THREADS>(sum);
    if (tid == 0)
        deliver(to, sum);
}

/* ---- which shape for which n: reduce_to() ---- */

#include "launch.h"

#ifndef PART

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    reduce_to(out, in, n);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}

#endif
