/* Clusters: blocks that read each other's shared memory.
 *
 * Read it after step 07. Since compute capability 9.0 blocks can form a cluster, eight of them on
 * any such GPU: they run at the same time, near each other, with a barrier of their own, and each
 * may read the others' shared memory. So eight blocks leave one sum instead of eight.
 *
 * Look at: the two cluster.sync(). What would go wrong without the first, and what without the
 * second? A block that waits there keeps its place on the multiprocessor, its registers and its
 * shared memory: which block could use them otherwise?
 *
 * Then look at the time, beside that of step 07, at 2^12, 2^14, 2^20 and 2^24. A cluster does the
 * work of eight tiles: for which n does that save a launch? And what do you expect of the other n:
 * is a barrier of eight blocks cheaper than eight sums in memory?
 *
 * Source: CUDA C++ Programming Guide, thread block clusters and distributed shared memory. */
#include "lab.h"

#ifdef SIMT

int main(int argc, char **argv)
{
    return lab_needs_gpu(argc, argv, "clusters of blocks (compute capability 9.0)");
}

#else

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define ELEMS   16 /* elements per thread */
#define TILE    (ELEMS * BLOCK)
#define CLUSTER 8 /* blocks */

__global__ void reduce_cluster(const elem_t *in, elem_t *sums, size_t n)
{
#if __CUDA_ARCH__ >= 900
    __shared__ elem_t s[32], block_sum;
    auto cluster = cg::this_cluster();
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;

    if (tile + TILE <= n) {
#pragma unroll
        for (unsigned i = 0; i < TILE; i += BLOCK)
            sum += in[tile + i + tid];
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
        block_sum = sum;
    cluster.sync(); /* all eight sums are there */

    if (cluster.block_rank() == 0 && tid < 32) {
        sum = tid < CLUSTER ? *cluster.map_shared_rank(&block_sum, tid) : 0;
        for (unsigned delta = CLUSTER / 2; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
        if (tid == 0)
            sums[blockIdx.x / CLUSTER] = sum;
    }
    cluster.sync(); /* no block ends while another reads its sum */
#else
    __trap(); /* main refuses such a GPU */
#endif
}

/* Every launch leaves one sum a cluster; they are the next launch's input, until one is left. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {CLUSTER, 1, 1};

    do {
        size_t clusters = (n + CLUSTER * TILE - 1) / (CLUSTER * TILE);
        elem_t *sums = clusters > 1 ? scratch : out;
        cudaLaunchConfig_t launch = {};
        launch.gridDim = clusters * CLUSTER;
        launch.blockDim = BLOCK;
        launch.attrs = &size;
        launch.numAttrs = 1;

        CHECK(cudaLaunchKernelEx(&launch, reduce_cluster, in, sums, n));
        in = sums;
        n = clusters;
        scratch += clusters;
    } while (n > 1);
}

int main(int argc, char **argv)
{
    lab_requires(9, 0, "clusters of blocks");
    return lab_main(argc, argv, reduce);
}

#endif
