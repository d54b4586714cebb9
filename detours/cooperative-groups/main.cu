/* Cooperative groups: cg::reduce for warps and a barrier for the whole grid, in one launch.
 *
 * Read it after grid-stride. A cooperative launch promises that all blocks run at the same time, so
 * they can wait for each other: grid.sync() is a __syncthreads for the grid. Then block 0 adds the
 * blocks' sums. The groups of threads are objects here, and cg::reduce works for any of them.
 *
 * Look at: the number of blocks. Why may it not be larger, with grid.sync() in the kernel?
 *
 * Then look at the time, beside those of grid-stride and step 07, at 2^14, 2^20 and 2^28: where do
 * you expect the single launch to matter most, and where the loop?
 *
 * Source: CUDA C++ Programming Guide, cooperative groups. */
#include "lab.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

/* The block's sum of the threads' sums; thread 0 has it. */
static __device__ elem_t block_sum(const cg::thread_block &block, elem_t sum)
{
    __shared__ elem_t s[32];
    auto warp = cg::tiled_partition<32>(block);

    sum = cg::reduce(warp, sum, cg::plus<elem_t>());
    if (warp.thread_rank() == 0)
        s[warp.meta_group_rank()] = sum;
    block.sync();
    if (warp.meta_group_rank() > 0)
        return sum;
    sum = warp.thread_rank() < warp.meta_group_size() ? s[warp.thread_rank()] : 0;
    return cg::reduce(warp, sum, cg::plus<elem_t>());
}

__global__ void reduce_all(const elem_t *in, elem_t *out, elem_t *sums, size_t n)
{
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    elem_t sum = 0;

    for (size_t i = grid.thread_rank(); i < n; i += grid.size())
        sum += in[i];
    sum = block_sum(block, sum);
    if (block.thread_rank() == 0)
        sums[blockIdx.x] = sum;
    grid.sync();

    if (blockIdx.x == 0) {
        sum = 0;
        for (unsigned i = block.thread_rank(); i < gridDim.x; i += block.size())
            sum += sums[i];
        sum = block_sum(block, sum);
        if (block.thread_rank() == 0)
            *out = sum;
    }
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
    size_t needed = (n + BLOCK - 1) / BLOCK;
    void *arguments[] = {&in, &out, &scratch, &n};

    if (most == 0)
        most = resident_blocks();
    CHECK(cudaLaunchCooperativeKernel((void *)reduce_all, needed < most ? needed : most, BLOCK,
                                      arguments, 0, 0));
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
