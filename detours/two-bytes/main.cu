/* Two bytes: elements of half the size, float16 or bfloat16, and their sum as a float.
 *
 *     make two-bytes TYPE=half        (float16: 11 bits of precision, up to 65504)
 *     make two-bytes TYPE=bfloat16    (8 bits of precision, the range of a float)
 *
 * Read it after single-pass. Where a reduction waits for the memory, its bytes say how long it
 * takes. An element of two bytes has half of an int's. Does it take half as long, at 2^30? And at
 * 2^20?
 *
 * Idea: a load of 16 bytes brings eight elements, as four pairs. One instruction turns a pair into
 * two floats, and from then on all sums are floats: a sum needs more bits than its elements. Where
 * each of n elements is exact to 8 or 11 bits, a sum of two bytes is lost soon.
 *
 * The blocks' sums come together in one launch, by single-pass's ticket and mailboxes at once. Each
 * block posts its sum, then takes a ticket; the last one collects. It may find a mailbox empty
 * still, but never waits for a block that has not begun, so any number of blocks may be launched.
 *
 * Predict, then try: let all sums be of two bytes (NARROW 1 below), for both types, with --uniform
 * (values in [0, 1)). What comes at 2^12? At 2^20, where the sum is 524,288? And at 2^20 if one
 * block does it all (MOST 1, too), so that each thread adds 2048 elements to its sum?
 *
 * Look at: the load sectors, beside those of single-pass at the same n. How many times fewer?
 *
 * Measured with: bfloat16, too.
 *
 * Source: IEEE 754-2008, binary16; the CUDA Math API, on half and bfloat16 precision conversion. */
#include "lab.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <string.h>

#define NARROW 0    /* 1: sums of the elements' type */
#define MOST   4096 /* blocks of a launch */

#if ELEM_IS_HALF
typedef __half narrow;
typedef __half2 pair;
#define PAIR_TO_FLOATS __half22float2
#else
typedef __nv_bfloat16 narrow;
typedef __nv_bfloat162 pair;
#define PAIR_TO_FLOATS __bfloat1622float2
#endif

#if NARROW
typedef narrow number;
#else
typedef float number;
#endif

#define PACK 8 /* elements in a load */

struct __align__(16) pack
{
    pair pairs[PACK / 2];
};

/* The sum over all threads of the block, in thread 0. */
template <unsigned THREADS> __device__ number block_sum(number sum)
{
    __shared__ number s[32];
    unsigned tid = threadIdx.x;

    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < THREADS / 32 ? s[tid] : (number)0;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
    }
    return sum;
}

static __device__ number add_pack(number sum, const struct pack *pack)
{
    int4 bits = *(const int4 *)pack; /* one load; of a struct of pairs nvcc makes four */
    struct pack p;

    memcpy(&p, &bits, sizeof p);
    for (unsigned k = 0; k < PACK / 2; k++) {
        float2 two = PAIR_TO_FLOATS(p.pairs[k]);
        sum += (number)two.x;
        sum += (number)two.y;
    }
    return sum;
}

/* A block's mailbox holds the bits of its sum, below a 1 that says that it is there; or 0. One word
 * is both, so no fence is needed (see single-pass). */
#define FULL (1ull << 32)
static __device__ unsigned long long mailbox[MOST]; /* 0 between launches */
static __device__ unsigned tickets;                 /* likewise */

/* Is the block the last one to post its sum? By thread 0. */
static __device__ bool post(number sum)
{
    unsigned bits = 0;

    memcpy(&bits, &sum, sizeof sum);
    atomicAdd(&mailbox[blockIdx.x], FULL | bits);
    return atomicAdd(&tickets, 1) == gridDim.x - 1;
}

/* A block's sum, which was posted, but may still be on its way. Its mailbox is empty then. */
static __device__ number collect(unsigned block)
{
    unsigned long long word;
    number sum;

    do
        word = atomicExch(&mailbox[block], 0);
    while (word == 0);
    memcpy(&sum, &word, sizeof sum);
    return sum;
}

template <unsigned THREADS, unsigned LOADS>
__global__ void reduce_tiles(const elem_t *in, float *out, size_t n)
{
    const struct pack *packs = (const struct pack *)in;
    unsigned tid = threadIdx.x;
    size_t count = n / PACK, i = (size_t)blockIdx.x * (LOADS * THREADS) + tid;
    number sum = 0;

    for (; i + (LOADS - 1) * THREADS < count; i += (size_t)gridDim.x * (LOADS * THREADS)) {
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++)
            sum = add_pack(sum, &packs[i + k * THREADS]);
    }
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++) /* of the last tile, which need not be whole */
        if (i + k * THREADS < count)
            sum = add_pack(sum, &packs[i + k * THREADS]);
    if (blockIdx.x == 0 && tid < n % PACK)
        sum += (number)((const narrow *)in)[n - n % PACK + tid];
    sum = block_sum<THREADS>(sum);

    if (gridDim.x > 1) {
        if (!__syncthreads_or(tid == 0 && post(sum)))
            return;
        sum = 0;
        for (unsigned block = tid; block < gridDim.x; block += THREADS)
            sum += collect(block);
        sum = block_sum<THREADS>(sum);
        if (tid == 0)
            atomicExch(&tickets, 0); /* as the next launch wants it */
    }
    if (tid == 0)
        *out = sum;
}

#define SHAPE(most, blocks, threads, loads)                                                        \
    {                                                                                              \
        most, blocks, threads, (loads) * (threads), reduce_tiles<threads, loads>                   \
    }
/* The fastest on an H200, for both types: first one block, then a small tile for each of as many
 * blocks as there are multiprocessors or a few times more. From 2^28 elements on, many more blocks
 * than run at once: a multiprocessor that is faster than others then takes more of them. */
static const struct shape {
    size_t most;                     /* bytes */
    unsigned blocks, threads, packs; /* at most; of a block; of its tile */
    void (*kernel)(const elem_t *in, float *out, size_t n);
} shapes[] = {
    SHAPE(1 << 14, 1, 512, 4),     SHAPE(1 << 16, 1, 1024, 4),       SHAPE(1 << 18, 132, 256, 1),
    SHAPE(1 << 20, 132, 512, 1),   SHAPE(1 << 21, 264, 512, 1),      SHAPE(1 << 22, 528, 512, 1),
    SHAPE(1 << 24, 264, 1024, 2),  SHAPE(1 << 27, 264, 512, 4),      SHAPE(1 << 28, 528, 1024, 4),
    SHAPE(1 << 30, 2112, 1024, 4), SHAPE((size_t)-1, 4096, 1024, 4),
};

static unsigned min_of(size_t a, unsigned b)
{
    return a < b ? (unsigned)a : b;
}

static void reduce(const elem_t *in, float *out, float *scratch, size_t n)
{
    unsigned s = 0;

    (void)scratch;
    while (n * sizeof *in > shapes[s].most)
        s++;
    size_t tiles = (n / PACK + shapes[s].packs - 1) / shapes[s].packs;
    unsigned blocks = min_of(tiles > 0 ? tiles : 1, min_of(shapes[s].blocks, MOST));
    shapes[s].kernel<<<blocks, shapes[s].threads>>>(in, out, n);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
