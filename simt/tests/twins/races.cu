/* Races: what fences, atomics, barriers and groups of a warp order, and what they do not. Global
 * memory is zero when a kernel begins. flags and data: 64 words each, out: 256. */
#include "cases.h"

enum { N = 64 };

__device__ void wait_for(unsigned *flag, unsigned value = 1)
{
    while (atomicAdd(flag, 0) < value)
        ;
}

/* A fence: none, within the block, or on the device. */
enum fence { NONE, BLOCK, DEVICE };
__device__ void pass(fence f)
{
    if (f == BLOCK)
        __threadfence_block();
    else if (f == DEVICE)
        __threadfence();
}

/* ---- a leader's operation ---- */

/* The fence of each thread, then a barrier, then an operation of one. */
__global__ void fences_then_leader(unsigned *flags, int *data, int *out, bool giver, bool taker)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        if (giver)
            __threadfence();
        __syncwarp();
        if (t == 0)
            atomicExch(flags, 1);
    } else {
        if (t == 0)
            wait_for(flags);
        __syncwarp();
        if (taker)
            __threadfence();
        out[t] = data[31 - t];
    }
}

/* ---- scopes ---- */

template <fence before, fence behind, bool block_set, bool block_look>
__global__ void message(unsigned *flags, int *data, int *out)
{
    int role = gridDim.x > 1 ? blockIdx.x : threadIdx.x / 32;
    if (threadIdx.x % 32)
        return;
    if (role == 0) {
        data[0] = 5;
        pass(before);
        if (block_set)
            atomicExch_block(flags, 1);
        else
            atomicExch(flags, 1);
    } else {
        while ((block_look ? atomicCAS_block(flags, 1, 1) : atomicCAS(flags, 1, 1)) == 0)
            ;
        pass(behind);
        out[0] = data[0];
    }
}

/* ---- locks ---- */

enum { TAKE = 1, GIVE = 2, SETS = 4 };

template <int what> __global__ void lock(unsigned *flags, int *data)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(flags, 0, 1) != 0)
        ;
    pass(what & TAKE ? DEVICE : NONE);
    data[0] += 1;
    pass(what & GIVE ? DEVICE : NONE);
    if (what & SETS)
        *(volatile unsigned *)flags = 0;
    else
        atomicExch(flags, 0);
}

/* ---- groups of a warp ---- */

/* Each half of a warp hands values round within itself, or to the other one. */
__global__ void groups(int *out, int ahead, bool alone)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (!alone || t < 16)
        __syncwarp(0xffff << t / 16 * 16);
    out[t] = s[ahead ? (t + ahead) % 32 : t / 16 * 16 + (t + 1) % 16];
}

/* ---- compare and swap ---- */

__global__ void add_by_cas(unsigned *flags, bool between)
{
    unsigned old = *flags, assumed;
    if (between)
        atomicAdd(flags, 0);
    do {
        assumed = old;
        old = atomicCAS(flags, assumed, assumed + 1);
    } while (old != assumed);
}

/* ---- a poller leaves at the first value that lets it ---- */

enum { ACKNOWLEDGERS = 3 };

/* The first of four blocks waits for so many acknowledgements of the others, which come
 * when it does. */
__global__ void acknowledge(unsigned *flags, int *data, int *out, unsigned want)
{
    int role = blockIdx.x;
    if (role == 0) {
        atomicExch(&flags[1], 1);
        wait_for(flags, want);
        __threadfence();
        for (int i = 1; i <= ACKNOWLEDGERS; i++)
            out[0] += data[i];
    } else {
        wait_for(&flags[1]);
        data[role] = role;
        __threadfence();
        atomicAdd(flags, 1);
    }
}

/* ---- several hand-overs ---- */

/* Each block publishes its own number, then the sum of all up to it, which it gets from the nearest
 * block that has one. */
template <bool first, bool second>
__global__ void look_back(unsigned *flags, int *data, int *sums, int *out)
{
    if (threadIdx.x)
        return;
    unsigned block = atomicAdd(&flags[63], 1), state;
    int sum = data[block] = block + 1;
    pass(first ? DEVICE : NONE);
    atomicExch(&flags[block], 1);
    for (unsigned i = block; i-- > 0;) {
        while ((state = atomicAdd(&flags[i], 0)) == 0)
            ;
        __threadfence();
        sum += state == 2 ? sums[i] : data[i];
        if (state == 2)
            break;
    }
    sums[block] = out[block] = sum;
    pass(second ? DEVICE : NONE);
    atomicExch(&flags[block], 2);
}

/* A barrier of the grid, for turn after turn of which it counts on, or not. */
template <bool counts_on> __global__ void grid_barrier(unsigned *flags, int *data, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (unsigned turn = 0; turn < 4; turn++) {
        int *to = turn % 2 ? data : out, *from = turn % 2 ? out : data;
        to[i] = from[(i + 1) % n] + from[(i + n - 1) % n];
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(flags, 1);
            wait_for(flags, counts_on ? (turn + 1) * gridDim.x : gridDim.x);
            __threadfence();
        }
        __syncthreads();
    }
}

/* Who is served is who drew that ticket: each poller leaves at a value of its own. */
__global__ void tickets(unsigned *flags, int *data)
{
    unsigned ticket = atomicAdd(&flags[0], 1);
    while (atomicAdd(&flags[1], 0) != ticket)
        ;
    __threadfence();
    data[0]++;
    __threadfence();
    atomicAdd(&flags[1], 1);
}

/* ---- volatile ---- */

__global__ void volatile_flag(volatile unsigned *flags, int *data, int *out, bool giver)
{
    if (blockIdx.x == 0) {
        data[0] = 5;
        if (giver)
            __threadfence();
        *flags = 1;
    } else {
        while (*flags == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

/* The first warp's leader refills a volatile buffer when so many others have acknowledged. */
__global__ void refill(int *out, unsigned want)
{
    __shared__ volatile int buffer;
    __shared__ unsigned full, taken;
    int role = threadIdx.x / 32;
    if (threadIdx.x % 32)
        return;
    if (role == 0)
        full = taken = 0;
    __syncthreads();
    if (role == 0) {
        buffer = 1; // BUG refill
        __threadfence_block();
        atomicExch(&full, 1);
        wait_for(&taken, want);
        __threadfence_block();
        buffer = 2; // BUG refill
    } else {
        wait_for(&full);
        __threadfence_block();
        out[role] = buffer; // BUG refill
        __threadfence_block();
        atomicAdd(&taken, 1);
    }
}

/* Who has nothing larger spares the atomic. */
__global__ void largest(int *most, const int *of)
{
    int v = of[blockIdx.x] + threadIdx.x;
    if (v > *(volatile int *)most) // BUG largest
        atomicMax(most, v);        // BUG largest
}

/* ---- the last block ---- */

enum { FENCE = 1, BARRIER = 2 };
template <int what> __global__ void last_block(unsigned *flags, int *data, int *out)
{
    __shared__ bool last;
    int t = threadIdx.x;
    data[blockIdx.x * blockDim.x + t] = t; // BUG last_block_fence, last_block_barrier
    if (what & FENCE)
        __threadfence();
    if (what & BARRIER)
        __syncthreads();
    if (t == 0)
        last = atomicAdd(flags, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; b++)
        sum += data[b * blockDim.x + blockDim.x - 1 - t]; // BUG last_block_fence, last_block_barrier
    out[t] = sum;
    if (t == 0)
        *flags = 0;
}

int main(int, char **argv)
{
    unsigned *flags = (unsigned *)device(N * sizeof *flags);
    int *data = (int *)device(4 * N * sizeof *data), *out = (int *)device(4 * N * sizeof *out);

    CASE(fences, "nothing") fences_then_leader<<<2, 32>>>(flags, data, out, true, true);
    CASE(fences_giver, "race in global memory")
    fences_then_leader<<<2, 32>>>(flags, data, out, false, true);
    CASE(fences_taker, "race in global memory")
    fences_then_leader<<<2, 32>>>(flags, data, out, true, false);
    CASE(message, "nothing") message<DEVICE, DEVICE, false, false><<<2, 32>>>(flags, data, out);
    CASE(message_in_block, "nothing")
    message<BLOCK, BLOCK, true, true><<<1, 64>>>(flags, data, out);
    CASE(message_fence_before, "race in global memory")
    message<BLOCK, DEVICE, false, false><<<2, 32>>>(flags, data, out);
    CASE(message_fence_behind, "race in global memory")
    message<DEVICE, BLOCK, false, false><<<2, 32>>>(flags, data, out);
    CASE(message_set, "race in global memory")
    message<DEVICE, DEVICE, true, false><<<2, 32>>>(flags, data, out);
    CASE(message_look, "race in global memory")
    message<DEVICE, DEVICE, false, true><<<2, 32>>>(flags, data, out);
    CASE(lock, "nothing") lock<TAKE | GIVE><<<8, 32>>>(flags, data);
    CASE(lock_take, "race in global memory") lock<GIVE><<<8, 32>>>(flags, data);
    CASE(lock_give, "race in global memory") lock<TAKE><<<8, 32>>>(flags, data);
    CASE(lock_sets, "note: volatile flag") lock<TAKE | GIVE | SETS><<<8, 32>>>(flags, data);
    CASE(look_back, "nothing") look_back<true, true><<<8, 32>>>(flags, data, out, out + 64);
    CASE(look_back_second, "race in global memory")
    look_back<true, false><<<8, 32>>>(flags, data, out, out + 64);
    if (!strcmp(argv[1], "look_back_first")) /* where another block looks in between */
        look_back<false, true><<<8, 32>>>(flags, data, out, out + 64);
    CASE(grid_barrier_once, "race in global memory")
    grid_barrier<false><<<4, 64>>>(flags, data, out);
    CASE(grid_barrier, "nothing") grid_barrier<true><<<4, 64>>>(flags, data, out);
    CASE(groups, "nothing") groups<<<1, 32>>>(out, 0, false);
    CASE(groups_across, "race in shared memory") groups<<<1, 32>>>(out, 16, false);
    CASE(groups_one_alone, "race in shared memory") groups<<<1, 32>>>(out, 0, true);
    CASE(cas, "nothing") add_by_cas<<<2, 64>>>(flags, false);
    CASE(cas_after_atomic, "race in global memory") add_by_cas<<<2, 64>>>(flags, true);
    CASE(flag, "note: volatile flag") volatile_flag<<<2, 1>>>(flags, data, out, true);
    CASE(flag_taken, "race in global memory")
    volatile_flag<<<2, 1>>>(flags, data, out, false);
    CASE(late_two_of_three, "race in global memory")
    acknowledge<<<4, 1>>>(flags, data, out, 2);
    CASE(late_three, "nothing") acknowledge<<<4, 1>>>(flags, data, out, 3);
    CASE(tickets_all, "nothing") tickets<<<12, 32>>>(flags, data);
    CASE(refill, "race in shared memory") refill<<<1, dim3(128)>>>(out, 2);
    CASE(refill_all, "nothing") refill<<<1, dim3(128)>>>(out, 3);
    CASE(largest, "note: volatile flag") largest<<<4, 64>>>(data, out);
    CASE(last_block, "nothing") last_block<FENCE | BARRIER><<<4, 64>>>(flags, data, out);
    CASE(last_block_fence, "race in global memory")
    last_block<BARRIER><<<4, 64>>>(flags, data, out);
    CASE(last_block_barrier, "race in global memory")
    last_block<FENCE><<<4, 64>>>(flags, data, out);

    return finish(0);
}
