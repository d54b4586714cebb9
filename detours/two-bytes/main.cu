/* Two bytes: elements of half the size, float16 or bfloat16, and their sum as a float.
 *
 *     make two-bytes TYPE=half        (float16: 11 bits of precision, up to 65504)
 *     make two-bytes TYPE=bfloat16    (8 bits of precision, the range of a float)
 *
 * Read it after two-kernels, which it is. Where a reduction waits for the memory, its bytes say how
 * long it takes. An element of two bytes has half of an int's. Does it take half as long, at 2^30?
 * And at 2^20?
 *
 * Idea: a load of 16 bytes brings eight elements, as four pairs. One instruction turns a pair into
 * two floats, and from then on all sums are floats: a sum needs more bits than its elements. Where
 * each of n elements is exact to 8 or 11 bits, a sum of two bytes is lost soon.
 *
 * Predict, then try: let all sums be of two bytes (NARROW 1 below), for both types, with --uniform
 * (values in [0, 1)). What comes at 2^12? At 2^20, where the sum is 524,288? And at 2^20 if one
 * block does it all (MOST 1, too), so that each thread adds 4096 elements to its sum?
 *
 * Look at: the load sectors, beside those of two-kernels at the same n. How many times fewer?
 *
 * Measured with: bfloat16, too.
 *
 * Source: IEEE 754-2008, binary16; the CUDA Math API, on half and bfloat16 precision conversion. */
#include "lab.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define NARROW 0   /* 1: sums of the elements' type */
#define MOST   528 /* blocks of the first launch: four on each of an H200's multiprocessors */

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
    struct pack p = *pack; /* one load */

    for (unsigned k = 0; k < PACK / 2; k++) {
        float2 two = PAIR_TO_FLOATS(p.pairs[k]);
        sum += (number)two.x;
        sum += (number)two.y;
    }
    return sum;
}

/* Each block leaves one sum. */
template <unsigned THREADS, unsigned LOADS>
__global__ void reduce_tiles(const elem_t *in, float *sums, size_t n)
{
    const struct pack *packs = (const struct pack *)in;
    unsigned tid = threadIdx.x;
    size_t count = n / PACK, i = (size_t)blockIdx.x * (LOADS * THREADS) + tid;
    number sum = 0;

    cudaTriggerProgrammaticLaunchCompletion(); /* the second launch may take its place */
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
    if (tid == 0)
        sums[blockIdx.x] = sum;
}

#define ADDERS 1024 /* threads of the second launch, which is one block */

__global__ void add_sums(const float *sums, float *out, unsigned count)
{
    number sum = 0;

    cudaGridDependencySynchronize(); /* all sums are stored */
    for (unsigned i = threadIdx.x; i < count; i += ADDERS)
        sum += (number)sums[i];
    sum = block_sum<ADDERS>(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

#define SHAPE(most, threads, loads)                                                                \
    {                                                                                              \
        most, threads, (loads) * (threads), reduce_tiles<threads, loads>                           \
    }
/* The fastest of ten on an H200, for both types. Up to 2^15 elements one block is enough. */
static const struct {
    size_t most;             /* bytes */
    unsigned threads, packs; /* of a block; of its tile */
    void (*kernel)(const elem_t *in, float *sums, size_t n);
} shapes[] = {SHAPE(1 << 14, 512, 2), SHAPE(1 << 16, 1024, 4), SHAPE(1 << 25, 256, 2),
              SHAPE(1 << 27, 512, 2), SHAPE((size_t)-1, 1024, 4)};

static void reduce(const elem_t *in, float *out, float *scratch, size_t n)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t second = {};
    unsigned s = 0;

    while (n * sizeof *in > shapes[s].most)
        s++;
    size_t tiles = (n / PACK + shapes[s].packs - 1) / shapes[s].packs;
    unsigned blocks = tiles > MOST ? MOST : tiles > 0 ? (unsigned)tiles : 1;
    shapes[s].kernel<<<blocks, shapes[s].threads>>>(in, blocks > 1 ? scratch : out, n);
    CHECK(cudaGetLastError());
    if (blocks == 1)
        return;

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    second.gridDim = 1;
    second.blockDim = ADDERS;
    second.attrs = &early;
    second.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&second, add_sums, (const float *)scratch, out, blocks));
}

int main(int argc, char **argv)
{
    lab_requires(9, 0, "dependent launches");
    return lab_main(argc, argv, reduce);
}
