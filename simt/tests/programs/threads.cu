/* In one to three dimensions: each thread runs once, its indices and its lane are right. */
__device__ bool is_in(uint3 index, dim3 size)
{
    return index.x < size.x && index.y < size.y && index.z < size.z;
}

__global__ void mark(int *count)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    size_t i = (size_t)block * blockDim.x * blockDim.y * blockDim.z + thread;
    /* lanes follow each other along x, then y, then z */
    bool first = __shfl_sync(0xffffffff, (int)thread, 0) == (int)(thread & ~31u);
    atomicAdd(&count[i], is_in(blockIdx, gridDim) && is_in(threadIdx, blockDim) && first ? 1 : 9);
}

static void check(dim3 grid, dim3 block)
{
    size_t n = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    int *count = device<int>(n);
    mark<<<grid, block>>>(count);
    int *c = host(count, n);
    for (size_t i = 0; i < n; i++)
        EXPECT(c[i] == 1);
    free(c);
    OK(cudaFree(count));
}

int main()
{
    check(1, 1);
    check(7, 33);
    check(3, 1024);
    check({2, 3}, {16, 16});
    check({5, 1, 2}, {7, 9, 3});
    check({2, 3, 4}, {1, 1, 64});
    check({1, 4}, {1, 1024});
    check({1, 1, 9}, {32, 2, 16});
}
