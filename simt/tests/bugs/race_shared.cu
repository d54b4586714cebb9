/* Races in shared memory. */
#include "../twins/cases.h"

enum { N = 128, TILE = 16, SIDE = 64 };
enum { NONE, AFTER_LOAD, IN_TREE };

/* A tree sum without one of its barriers. After the load: a thread adds what another one may not
 * have stored yet. In the tree: a round reads sums that another warp has not finished in the round
 * before; in a block of one warp it mostly goes well. */
__global__ void tree(const int *in, int *out, int missing)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid]; // BUG: after_load
    if (missing != AFTER_LOAD)
        __syncthreads();
    for (unsigned d = N / 2; d > 0; d /= 2) {
        if (tid < d)
            s[tid] += s[tid + d]; // BUG: after_load, in_tree
        if (missing != IN_TREE)
            __syncthreads();
    }
    if (tid == 0)
        *out = s[0];
}

/* The last warp goes on without __syncthreads(), and without anything in its place: a lane may add
 * before its neighbour has written the round before. Lanes mostly run in step, so it mostly works.
 */
__global__ void no_syncwarp(const int *in, int *out)
{
    __shared__ int s[64];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();
    if (tid < 32)
        for (unsigned d = 32; d > 0; d /= 2) {
            if (tid < d)
                s[tid] += s[tid + d]; // BUG: no_syncwarp
            if (FIXED)
                __syncwarp();
        }
    if (tid == 0)
        *out = s[0];
}

/* Warp-synchronous code of before Volta: volatile, no barrier, all 32 lanes write. Since Volta
 * lanes need not run in step, and volatile orders nothing; it goes well only as long as they happen
 * to. */
__global__ void last_volatile(const int *in, int *out)
{
    __shared__ int s[64];
    volatile int *v = s;
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();
    if (tid < 32 && !FIXED) {
        v[tid] += v[tid + 32]; // BUG: volatile
        v[tid] += v[tid + 16]; // BUG: volatile
        v[tid] += v[tid + 8];  // BUG: volatile
        v[tid] += v[tid + 4];  // BUG: volatile
        v[tid] += v[tid + 2];  // BUG: volatile
        v[tid] += v[tid + 1];  // BUG: volatile
    }
    for (unsigned d = 32; d > 0 && tid < 32 && FIXED; d /= 2) {
        if (tid < d)
            s[tid] += s[tid + d];
        __syncwarp();
    }
    if (tid == 0)
        *out = s[0];
}

/* One byte per thread, and the neighbour's byte read with no barrier between. Bytes of one word do
 * not disturb each other; reading one that another thread writes is a race as with words. */
__global__ void bytes(const int *in, int *out)
{
    __shared__ char odd[N];
    unsigned tid = threadIdx.x;

    odd[tid] = in[tid] & 1; // BUG: bytes
    if (FIXED)
        __syncthreads();
    out[tid] = odd[(tid + 33) % N]; // BUG: bytes
}

/* The first warp loads the tile with 16 bytes per thread, all threads then read 4: without a
 * barrier the later warps read a tile that is not there yet. */
__global__ void vectors(const int4 *in, int *out)
{
    __shared__ int4 s[N / 4];
    unsigned tid = threadIdx.x;
    const int *words = (const int *)s;

    if (tid < N / 4)
        s[tid] = in[tid]; // BUG: int4
    if (FIXED)
        __syncthreads();
    out[tid] = words[(tid + 1) % N]; // BUG: int4
}

/* A __syncwarp() ends each round, but within a round lane 0 reads s[16] while lane 16 writes it:
 * all 32 lanes add. Lane 0's sum needs the old value; a warp in step reads before it writes. */
__global__ void overlap(const int *in, int *out)
{
    __shared__ int s[64];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();
    for (unsigned d = 32; d > 0 && tid < 32; d /= 2) {
        int both = s[tid] + s[tid + d]; // BUG: overlap
        if (FIXED)
            __syncwarp();
        s[tid] = both; // BUG: overlap
        __syncwarp();
    }
    if (tid == 0)
        *out = s[0];
}

/* Two arrays cut out of one dynamic shared array overlap by one element: the last of the first is
 * the first of the second. Nothing is out of bounds; one of the two values is lost. */
__global__ void pieces(const int *in, int *out)
{
    extern __shared__ int s[];
    unsigned tid = threadIdx.x;
    int *once = s, *twice = s + N - !FIXED;

    once[tid] = in[tid] + 1;        // BUG: pieces
    twice[tid] = 2 * (in[tid] + 1); // BUG: pieces
    __syncthreads();
    out[tid] = once[N - 1 - tid] + twice[N - 1 - tid];
}

/* A shuffle taken for a barrier: it makes the lanes meet and hands over registers, but promises
 * nothing about the order of their accesses to memory. */
__global__ void shuffle(const int *in, int *out)
{
    __shared__ int s[32];
    unsigned lane = threadIdx.x;
    int sum = in[lane];

    s[lane] = sum; // BUG: shuffle
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (FIXED)
        __syncwarp();
    out[lane] = s[31 - lane] * sum; // BUG: shuffle
}

int main(int, char **argv)
{
    int *in = numbers(SIDE * SIDE), *out = (int *)device(SIDE * SIDE * sizeof *out);

    CASE(after_load, "race in shared memory")
    {
        tree<<<1, N>>>(in, out, FIXED ? NONE : AFTER_LOAD);
        return differ(out, 1, [](int) { return N * (N - 1) / 2; });
    }
    CASE(in_tree, "race in shared memory")
    {
        tree<<<1, N>>>(in, out, FIXED ? NONE : IN_TREE);
        return differ(out, 1, [](int) { return N * (N - 1) / 2; });
    }
    CASE(no_syncwarp, "race in shared memory")
    {
        no_syncwarp<<<1, 64>>>(in, out);
        return differ(out, 1, [](int) { return 64 * 63 / 2; });
    }
    CASE(volatile, "race in shared memory")
    {
        last_volatile<<<1, 64>>>(in, out);
        return differ(out, 1, [](int) { return 64 * 63 / 2; });
    }
    CASE(bytes, "race in shared memory")
    {
        bytes<<<1, N>>>(in, out);
        return differ(out, N, [](int i) { return (i + 1) % 2; });
    }
    CASE(int4, "race in shared memory")
    {
        vectors<<<1, N>>>((const int4 *)in, out);
        return differ(out, N, [](int i) { return (i + 1) % N; });
    }
    CASE(overlap, "race in shared memory")
    {
        overlap<<<1, 64>>>(in, out);
        return differ(out, 1, [](int) { return 64 * 63 / 2; });
    }
    CASE(pieces, "race in shared memory")
    {
        pieces<<<1, N, 2 * N * sizeof(int)>>>(in, out);
        return differ(out, N, [](int i) { return 3 * (N - i); });
    }
    CASE(shuffle, "race in shared memory")
    {
        shuffle<<<1, 32>>>(in, out);
        return differ(out, 32, [](int i) { return (31 - i) * 496; });
    }
    return 2;
}
