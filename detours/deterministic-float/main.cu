/* Deterministic float: the same sum to the last bit, whatever the block and the GPU.
 *
 * Read it after atomic-finish and two-kernels. Every float addition rounds, so the sum depends on
 * the order. In the steps the order depends on BLOCK, in atomic-finish on which block finishes
 * first. Run that a dozen times with TYPE=float and --uniform (without a GPU: with --order 1, 2, 3,
 * …). How many different sums do you see?
 *
 * Idea: tie the order to the elements' numbers and to nothing else. n says how many warps there
 * are, and warp w adds up tiles w, w + warps, … of the array, lane l packs l, l + 32, … of each.
 * Five shuffles add the lanes, always the same pairs, and one block of 1024 threads adds the warps'
 * sums in the same way. How many warps share a block, or run at a time, changes nothing. The bits
 * are the same on every GPU, and on the CPU backend, too.
 *
 * Look at: the sums with --uniform, for one BLOCK and another, and on the CPU backend with --order
 * 1, 2, 3. Then shared requests and warps at __syncthreads: which launch needs them?
 *
 * On a GPU, compare the time with those of step 07 (TYPE=float) and of cub-reproducible at 2^12,
 * 2^20 and 2^30. What does a fixed order cost? And how many additions does an element go
 * through, here and in a plain loop: what does that do to the error?
 *
 * Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, ch. 4, on orders of
 * summation; write-up 0, on the order being free for whole numbers. */
#include "lab.h"

#define PACK  (16 / sizeof(elem_t)) /* elements in a load */
#define WARPS 4096                  /* that keep a GPU busy; another number gives other bits */
#define TURNS 16                    /* tiles that a warp adds up, where there are more */

struct __align__(16) pack
{
    elem_t elem[PACK];
};

/* The sum over all lanes of the warp, in lane 0. */
__device__ elem_t warp_sum(elem_t sum)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    return sum;
}

/* The sum of the warp's tiles, in lane 0: a tile is LOADS packs for each lane. */
template <unsigned LOADS>
__device__ elem_t tiles_of(const elem_t *in, size_t n, unsigned warp, unsigned warps)
{
    const struct pack *packs = (const struct pack *)in;
    unsigned lane = threadIdx.x % 32;
    size_t count = n / PACK, tile = 32 * LOADS;
    elem_t sum = 0;

    for (size_t i = warp * tile + lane; i < count; i += warps * tile) {
        struct pack p[LOADS] = {};

#pragma unroll
        for (unsigned k = 0; k < LOADS; k++)
            if (i + k * 32 < count)
                p[k] = packs[i + k * 32];
        for (unsigned k = 0; k < LOADS; k++)
            for (unsigned e = 0; e < PACK; e++)
                sum += p[k].elem[e];
    }
    if (warp == 0 && lane < n % PACK)
        sum += in[n - n % PACK + lane];
    return warp_sum(sum);
}

/* Each warp leaves one sum. */
template <unsigned LOADS>
__global__ void reduce_warps(const elem_t *in, elem_t *sums, size_t n, unsigned warps)
{
    unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;

    cudaTriggerProgrammaticLaunchCompletion(); /* the second launch may take its place */
    if (warp >= warps)                         /* the whole warp: no lane of it is waited for */
        return;
    elem_t sum = tiles_of<LOADS>(in, n, warp, warps);
    if (threadIdx.x % 32 == 0)
        sums[warp] = sum;
}

/* One block. */
template <unsigned THREADS, unsigned LOADS>
__global__ void reduce_alone(const elem_t *in, elem_t *out, size_t n)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;

    cudaGridDependencySynchronize(); /* all sums are there */
    elem_t sum = tiles_of<LOADS>(in, n, tid / 32, THREADS / 32);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = warp_sum(tid < THREADS / 32 ? s[tid] : 0);
        if (tid == 0)
            *out = sum;
    }
}

/* Can a launch begin while the one before it still runs? Where not, it begins behind it. */
static bool has_dependent_launches(void)
{
    int device, major;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return major >= 9;
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t second = {};

    if (n <= 16384) {
        auto alone = n <= 4096 ? reduce_alone<512, 2> : reduce_alone<1024, 4>;
        alone<<<1, n <= 4096 ? 512 : 1024>>>(in, out, n);
        CHECK(cudaGetLastError());
        return;
    }

    unsigned loads = n <= 1 << 19 ? 1 : n <= 1 << 21 ? 2 : 8;
    size_t tile = loads * 32 * PACK, tiles = (n + tile - 1) / tile;
    unsigned warps = tiles / TURNS > WARPS ? tiles / TURNS : tiles < WARPS ? tiles : WARPS;
    auto kernel = loads == 1 ? reduce_warps<1> : loads == 2 ? reduce_warps<2> : reduce_warps<8>;
    kernel<<<(warps * 32 + BLOCK - 1) / BLOCK, BLOCK>>>(in, scratch, n, warps);
    CHECK(cudaGetLastError());

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    second.gridDim = 1;
    second.blockDim = 1024;
    second.attrs = &early;
    second.numAttrs = has_dependent_launches();
    CHECK(cudaLaunchKernelEx(&second, reduce_alone<1024, 4>, (const elem_t *)scratch, out,
                             (size_t)warps));
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
