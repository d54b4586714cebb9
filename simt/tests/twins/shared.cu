/* Races in shared memory: trees whose rounds nothing orders, the last warp's, and values handed
 * over by words, bytes and pieces of an array. Result by result right is what each gives that
 * waits. */
#include "cases.h"

enum { N = 128 };

/* In a block of one warp it mostly goes well without barriers. */
template <bool waits> __global__ void tree(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned d = N / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d]; // BUG tree
        if (waits)
            __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}

/* The last warp alone. Its lanes mostly run in step, so without __syncwarp() it mostly works. */
enum { NOTHING, BETWEEN, EVERYWHERE };
template <int waits> __global__ void last_warp(const int *in, int *out)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned d = 32; d > 0 && t < 32; d /= 2) {
        /* all 32 lanes add: lane 0 reads s[16] while lane 16 writes it */
        int both = s[t] + s[t + d]; // BUG last_warp, overlap
        if (waits == EVERYWHERE)
            __syncwarp();
        s[t] = both; // BUG last_warp, overlap
        if (waits)
            __syncwarp();
    }
    if (t == 0)
        *out = s[0];
}

/* Code of before Volta: volatile orders nothing. */
__global__ void volatile_warp(const int *in, int *out)
{
    __shared__ int s[64];
    volatile int *v = s;
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        v[t] += v[t + 32]; // BUG volatile_warp
        v[t] += v[t + 16]; // BUG volatile_warp
        v[t] += v[t + 8];  // BUG volatile_warp
    }
    if (t == 0)
        *out = s[0];
}

/* The neighbour's byte. Bytes of one word do not disturb each other. */
template <bool waits> __global__ void bytes(const int *in, int *out)
{
    __shared__ char s[N];
    unsigned t = threadIdx.x;
    s[t] = in[t]; // BUG bytes
    if (waits)
        __syncthreads();
    out[t] = s[(t + 33) % N]; // BUG bytes
}
__global__ void own_bytes(unsigned char *out, short *wide)
{
    __shared__ unsigned char s[50];
    __shared__ short h[50];
    unsigned t = threadIdx.x, i = blockIdx.x * 50 + t;
    s[t] = t, h[t] = s[t], s[t] = ~s[t];
    out[i] = s[t], wide[i] = h[t] + s[t];
}

/* The first warp stores 16 bytes a thread, all threads read 4. */
template <bool waits> __global__ void vectors(const int4 *in, int *out)
{
    __shared__ int4 s[N / 4];
    unsigned t = threadIdx.x;
    if (t < N / 4)
        s[t] = in[t]; // BUG vectors: writes 16 bytes
    if (waits)
        __syncthreads();
    out[t] = ((const int *)s)[(t + 1) % N]; // BUG vectors: reads 4 bytes
}

/* Two arrays cut out of one overlap by one element: nothing is out of bounds. */
__global__ void pieces(const int *in, int *out, int second)
{
    extern __shared__ int s[];
    unsigned t = threadIdx.x;
    s[t] = in[t];              // BUG pieces
    s[second + t] = 2 * in[t]; // BUG pieces
    __syncthreads();
    out[t] = s[N - 1 - t] + s[second + N - 1 - t];
}

/* A shuffle makes the lanes meet and hands over registers, but orders no memory. */
template <bool waits> __global__ void shuffle(const int *in, int *out)
{
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    int sum = in[t];
    s[t] = sum; // BUG shuffle
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (waits)
        __syncwarp();
    out[t] = s[31 - t] * sum; // BUG shuffle
}

/* One warp hands its values to another by a counter in shared memory, without a barrier. */
__global__ void spin(const int *in, int *out)
{
    __shared__ int box[32];
    __shared__ unsigned full;
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        box[lane] = in[lane] + 1;
        __threadfence_block();
        atomicAdd(&full, 1);
    } else {
        while (atomicAdd(&full, 0) < 32)
            __nanosleep(20);
        __threadfence_block();
        out[lane] = box[31 - lane];
    }
}

/* Lanes that have ended need not come to a __syncwarp() whose mask names them. */
__global__ void lanes_ended(const int *in, int *out, unsigned n)
{
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = in[t];
    __syncwarp();
    out[t] = s[n - 1 - t];
}

int main(int, char **argv)
{
    int *in = numbers(N), *out = (int *)device(4096);

    CASE(tree, "race in shared memory") tree<false><<<1, N>>>(in, out);
    CASE(tree_waits, "nothing") tree<true><<<1, N>>>(in, out);
    CASE(last_warp, "race in shared memory") last_warp<NOTHING><<<1, 64>>>(in, out);
    CASE(overlap, "race in shared memory") last_warp<BETWEEN><<<1, 64>>>(in, out);
    CASE(last_warp_waits, "nothing") last_warp<EVERYWHERE><<<1, 64>>>(in, out);
    CASE(volatile_warp, "race in shared memory") volatile_warp<<<1, 64>>>(in, out);
    CASE(bytes, "race in shared memory") bytes<false><<<1, N>>>(in, out);
    CASE(bytes_wait, "nothing")
        bytes<true><<<1, N>>>(in, out), own_bytes<<<3, 50>>>((unsigned char *)out, (short *)in);
    CASE(vectors, "race in shared memory") vectors<false><<<1, N>>>((int4 *)in, out);
    CASE(vectors_wait, "nothing") vectors<true><<<1, N>>>((int4 *)in, out);
    CASE(pieces, "race in shared memory") pieces<<<1, N, 2 * N * sizeof(int)>>>(in, out, N - 1);
    CASE(pieces_apart, "nothing") pieces<<<1, N, 2 * N * sizeof(int)>>>(in, out, N);
    CASE(shuffle, "race in shared memory") shuffle<false><<<1, 32>>>(in, out);
    CASE(shuffle_waits, "nothing") shuffle<true><<<1, 32>>>(in, out);
    CASE(spin, "nothing") spin<<<1, 64>>>(in, out);
    CASE(lanes_ended, "nothing") lanes_ended<<<1, 32>>>(in, out, 20);
    return finish(0);
}
