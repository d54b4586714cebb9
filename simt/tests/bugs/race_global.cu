/* Races in global memory. */
#include "../twins/cases.h"

enum { N = 64, BLOCKS = 8, LIMIT = 50 };

/* At most LIMIT places are taken: the plain look at the counter races with the atomics that raise
 * it, and several threads may pass it before any of them has counted. */
__global__ void atomic_read(const int *in, int *taken, int *count)
{
    int i = blockIdx.x * N + threadIdx.x;

    if (in[i] % 3 != 0)
        return;
    if (!FIXED && *count >= LIMIT) // BUG: atomic_read
        return;
    int place = atomicAdd(count, 1); // BUG: atomic_read
    if (FIXED && place >= LIMIT)
        return;
    taken[place] = 1;
}

/* A block adds the sum that its predecessor writes in the same launch. Blocks run in any order and
 * side by side: no barrier reaches across them. Two launches do. */
__global__ void other_block(const int *in, int *sums, int *pairs)
{
    unsigned b = blockIdx.x;
    int v = __reduce_add_sync(0xffffffff, in[b * 32 + threadIdx.x]);

    if (threadIdx.x == 0) {
        sums[b] = v;                                        // BUG: other_block
        pairs[b] = v + (b > 0 && !FIXED ? sums[b - 1] : 0); // BUG: other_block
    }
}
__global__ void add_pairs(const int *sums, int *pairs)
{
    if (threadIdx.x > 0)
        pairs[threadIdx.x] += sums[threadIdx.x - 1];
}

/* A sum in one launch: each warp stores its sum, thread 0 draws the block's ticket. Its fence
 * covers its own warp's sum only: nothing says that the other warp has stored its own. */
__global__ void ticket_barrier(const int *in, int *sums, int *out, unsigned *ticket)
{
    __shared__ bool last;
    unsigned tid = threadIdx.x, warp = blockIdx.x * 2 + tid / 32;
    int v = __reduce_add_sync(0xffffffff, in[blockIdx.x * N + tid]);

    if (tid % 32 == 0)
        sums[warp] = v; // BUG: ticket_barrier
    if (FIXED)
        __syncthreads();
    if (tid == 0) {
        __threadfence();
        last = atomicInc(ticket, BLOCKS - 1) == BLOCKS - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && tid < 32) {
        v = tid < 2 * BLOCKS ? sums[tid] : 0; // BUG: ticket_barrier
        v = __reduce_add_sync(0xffffffff, v);
        if (tid == 0)
            *out = v;
    }
}

/* A sum in one launch: the last block to draw a ticket adds the sums of all blocks. Without a fence
 * between a block's sum and its ticket, the ticket may be seen before the sum. */
__global__ void ticket_fence(const int *in, int *sums, int *out, unsigned *ticket)
{
    int v = __reduce_add_sync(0xffffffff, in[blockIdx.x * 32 + threadIdx.x]);

    if (threadIdx.x > 0)
        return;
    sums[blockIdx.x] = v; // BUG: ticket_fence
    if (FIXED)
        __threadfence();
    bool last = atomicInc(ticket, BLOCKS - 1) == BLOCKS - 1;
    __threadfence();
    if (!last)
        return;
    for (unsigned i = v = 0; i < BLOCKS; i++)
        v += sums[i]; // BUG: ticket_fence
    *out = v;
}

int main(int, char **argv)
{
    int *in = numbers(BLOCKS * N), *out = (int *)device(BLOCKS * N * sizeof *out);
    int *sums = (int *)device(BLOCKS * N * sizeof *sums), *pairs = out;
    unsigned *ticket = (unsigned *)device(sizeof *ticket);

    CASE(atomic_read, "race in global memory")
    {
        atomic_read<<<BLOCKS, N>>>(in, out, sums);
        return differ(out, LIMIT + 1, [](int i) { return i < LIMIT; });
    }
    CASE(other_block, "race in global memory")
    {
        other_block<<<BLOCKS, 32>>>(in, sums, pairs);
        if (FIXED)
            add_pairs<<<1, BLOCKS>>>(sums, pairs);
        return differ(pairs, BLOCKS, [](int i) { return i ? 2048 * i - 32 : 496; });
    }
    CASE(ticket_barrier, "race in global memory")
    {
        ticket_barrier<<<BLOCKS, N>>>(in, sums, out, ticket);
        return differ(out, 1, [](int) { return 512 * 511 / 2; });
    }
    CASE(ticket_fence, "race in global memory")
    {
        ticket_fence<<<BLOCKS, 32>>>(in, sums, out, ticket);
        return differ(out, 1, [](int) { return 256 * 255 / 2; });
    }
    return 2;
}
