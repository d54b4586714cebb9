/* Two kernels: the first leaves a sum per block, the second, which begins early, adds them up.
 *
 * Read it after vector-loads and dependent-launch, whose ideas it puts together: 16 bytes per load,
 * and a second launch that is there when the first one ends. What then remains of the lead of
 * single-pass, which brings the sums together in three ways?
 *
 * Idea: each block adds up one tile of THREADS * LOADS loads. The second launch is one block of the
 * same kernel. So that it has few sums to add, a block of the first launch takes several tiles
 * where n is large. An array that one block can hold at once needs no second launch.
 * A tile of few loads gives a small array enough blocks, one of many keeps the memory busy: a table
 * has the shape for each n, as measured.
 *
 * The sums are added up in an order that depends on n alone, so floats are the same bits in every
 * run and on every GPU.
 *
 * Look at: the lines of this program and of single-pass, and the times of both at 2^10, 2^14, 2^18,
 * 2^22 and 2^30. Where do you expect the second launch to cost most, and where nothing?
 *
 * Measured with: float and double, too.
 *
 * Source: CUDA C++ Programming Guide, programmatic dependent launch. */
#include "lab.h"

#define PACK (16 / sizeof(elem_t)) /* elements in a load */
#define MOST 4096                  /* blocks of the first launch */

struct __align__(16) pack
{
    elem_t elem[PACK];
};

/* The sum over all threads of the block, in thread 0. */
template <unsigned THREADS> __device__ elem_t block_sum(elem_t sum)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;

    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < THREADS / 32 ? s[tid] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
    }
    return sum;
}

/* Each block leaves one sum. */
template <unsigned THREADS, unsigned LOADS>
__global__ void reduce_tiles(const elem_t *in, elem_t *sums, size_t n)
{
    const struct pack *packs = (const struct pack *)in;
    size_t count = n / PACK, tile = THREADS * LOADS;
    elem_t sum = 0;

    cudaTriggerProgrammaticLaunchCompletion(); /* the second launch may take its place */
    cudaGridDependencySynchronize();           /* and there waits until all sums are stored */
    for (size_t i = blockIdx.x * tile + threadIdx.x; i < count; i += gridDim.x * tile) {
        struct pack p[LOADS] = {};

#pragma unroll
        for (unsigned k = 0; k < LOADS; k++)
            if (i + k * THREADS < count)
                p[k] = packs[i + k * THREADS];
        for (unsigned k = 0; k < LOADS; k++)
            for (unsigned e = 0; e < PACK; e++)
                sum += p[k].elem[e];
    }
    if (blockIdx.x == 0 && threadIdx.x < n % PACK)
        sum += in[n - n % PACK + threadIdx.x];

    sum = block_sum<THREADS>(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

#define SHAPE(most, threads, loads)                                                                \
    {                                                                                              \
        most, threads, (loads) * (threads), reduce_tiles<threads, loads>                           \
    }
static const struct {
    size_t most;             /* bytes */
    unsigned threads, packs; /* of a block; of its tile */
    void (*kernel)(const elem_t *in, elem_t *sums, size_t n);
} shapes[] = {SHAPE(1 << 16, 1024, 4), SHAPE(1 << 20, 512, 1), SHAPE(1 << 24, 512, 2),
              SHAPE((size_t)-1, 1024, 4)};

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
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
    second.blockDim = shapes[s].threads;
    second.attrs = &early;
    second.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&second, shapes[s].kernel, (const elem_t *)scratch, out,
                             (size_t)blocks));
}

int main(int argc, char **argv)
{
    lab_requires(9, 0, "dependent launches");
    return lab_main(argc, argv, reduce);
}
