/* Shared memory that nobody has written: neither CUDA nor the launch clears it. */
#include "../twins/cases.h"

enum { N = 128, TILE = 8, SIDE = 16 };

/* Each thread adds up its elements in dynamic shared memory and never sets its sum to 0 first. */
__global__ void dynamic(const int *in, int *out, unsigned n)
{
    extern __shared__ int s[];
    unsigned tid = threadIdx.x;

    if (FIXED)
        s[tid] = 0;
    for (unsigned i = tid; i < n; i += 64)
        s[tid] += in[i]; // BUG: dynamic
    for (unsigned d = 32; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d)
            s[tid] += s[tid + d];
    }
    if (tid == 0)
        *out = s[0];
}

/* A flag is set when a negative element is found, and read in any case. If there is none, nobody
 * has ever written it; tests with a negative element never see that. */
__global__ void any_negative(const int *in, int *out)
{
    __shared__ int found;
    unsigned tid = threadIdx.x;

    if (tid == 0 && FIXED)
        found = 0;
    __syncthreads();
    if (in[tid] < 0)
        atomicExch(&found, 1);
    __syncthreads();
    if (tid == 0)
        *out = found; // BUG: flag
}

/* A tile of 8 x 8 with a border: threads of the block's edge load the row above and below, but
 * nobody does for a block at the picture's edge, where 0 was meant. */
__global__ void add_column(const int *in, int *out)
{
    __shared__ int s[TILE + 2][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;

    s[y + 1][x] = in[row * SIDE + column];
    if (y == 0 && (row > 0 || FIXED))
        s[0][x] = row > 0 ? in[(row - 1) * SIDE + column] : 0;
    if (y == TILE - 1 && (row < SIDE - 1 || FIXED))
        s[TILE + 1][x] = row < SIDE - 1 ? in[(row + 1) * SIDE + column] : 0;
    __syncthreads();
    out[row * SIDE + column] = s[y][x] + s[y + 1][x] + s[y + 2][x]; // BUG: halo
}

/* Block 0 stores the factor, all blocks use it: but each block has a shared memory of its own. A
 * block that follows on the same multiprocessor even finds the value there. */
__global__ void other_block(const int *in, int *out)
{
    __shared__ int factor;
    unsigned i = blockIdx.x * N + threadIdx.x;

    if (threadIdx.x == 0 && (blockIdx.x == 0 || FIXED))
        factor = in[3];
    __syncthreads();
    out[i] = factor * in[i]; // BUG: other_block
}

/* Only n of the block's threads load an element, but the tree adds all of them. Shared memory often
 * holds 0, or the sums of the kernel before. */
__global__ void tail(const int *in, int *out, unsigned n)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    if (tid < n || FIXED)
        s[tid] = tid < n ? in[tid] : 0;
    for (unsigned d = N / 2; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d)
            s[tid] += s[tid + d]; // BUG: tail
    }
    if (tid == 0)
        *out = s[0];
}

/* The first warp adds 32 sums of warps, but a block of 128 has four warps. With 1024 threads, where
 * all 32 are there, the same kernel is right. */
__global__ void warp_sums(const int *in, int *out)
{
    __shared__ int s[32];
    unsigned tid = threadIdx.x;
    int v = __reduce_add_sync(0xffffffff, in[tid]);

    if (tid % 32 == 0)
        s[tid / 32] = v;
    __syncthreads();
    if (tid < 32) {
        v = !FIXED || tid < N / 32 ? s[tid] : 0; // BUG: warp_sums
        v = __reduce_add_sync(0xffffffff, v);
        if (tid == 0)
            *out = v;
    }
}

int main(int, char **argv)
{
    int *in = numbers(1000), *out = (int *)device(1000 * sizeof *out);

    CASE(dynamic, "uninitialised shared memory")
    {
        dynamic<<<1, 64, 64 * sizeof(int)>>>(in, out, 1000);
        return differ(out, 1, [](int) { return 499500; });
    }
    CASE(flag, "uninitialised shared memory")
    {
        any_negative<<<1, N>>>(in, out);
        return differ(out, 1, [](int) { return 0; });
    }
    CASE(halo, "uninitialised shared memory")
    {
        add_column<<<dim3(2, 2), dim3(TILE, TILE)>>>(in, out);
        return differ(out, SIDE * SIDE, [](int i) {
            return 3 * i - (i < SIDE ? i - SIDE : 0) - (i >= SIDE * SIDE - SIDE ? i + SIDE : 0);
        });
    }
    CASE(other_block, "uninitialised shared memory")
    {
        other_block<<<4, N>>>(in, out);
        return differ(out, 4 * N, [](int i) { return 3 * i; });
    }
    CASE(tail, "uninitialised shared memory")
    {
        tail<<<1, N>>>(in, out, 100);
        return differ(out, 1, [](int) { return 4950; });
    }
    CASE(warp_sums, "uninitialised shared memory")
    {
        warp_sums<<<1, N>>>(in, out);
        return differ(out, 1, [](int) { return N * (N - 1) / 2; });
    }
    return 2;
}
