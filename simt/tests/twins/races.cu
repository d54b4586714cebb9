/* Races: what fences, atomics, barriers and groups of a warp order, and what they do not. Global
 * memory is zero when a kernel begins. flags and data: 64 words each, out: 256. */
#include "cases.h"

enum { N = 64 };

__device__ bool is_set(unsigned *flag, unsigned value = 1) { return atomicAdd(flag, 0) >= value; }
__device__ void wait_for(unsigned *flag, unsigned value = 1)
{
    while (!is_set(flag, value))
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

/* ---- a leader's fence ---- */

__device__ void give(unsigned *flags, int *data, bool together)
{
    int lane = threadIdx.x % 32;
    data[lane] = lane;
    if (together)
        __syncwarp();
    if (lane == 0) {
        __threadfence();
        atomicExch(flags, 1);
    }
}

__device__ void take(unsigned *flags, const int *data, int *out, bool together)
{
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        wait_for(flags);
        __threadfence();
    }
    if (together)
        __syncwarp();
    out[lane] = data[31 - lane];
}

__global__ void leaders(unsigned *flags, int *data, int *out, bool giver, bool taker)
{
    if (threadIdx.x < 32)
        give(flags, data, giver);
    else
        take(flags, data, out, taker);
}

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

enum { TAKE = 1, GIVE = 2, CAS_OF_BLOCK = 4, BY_LANES = 8, SETS = 16 };

template <int what> __global__ void lock(unsigned *flags, int *data)
{
    if (!(what & BY_LANES) && threadIdx.x)
        return;
    while ((what & CAS_OF_BLOCK ? atomicCAS_block(flags, 0, 1) : atomicCAS(flags, 0, 1)) != 0)
        ;
    pass(what & TAKE ? DEVICE : NONE);
    data[0] += 1;
    pass(what & GIVE ? DEVICE : NONE);
    if (what & SETS)
        *(volatile unsigned *)flags = 0;
    else
        atomicExch(flags, 0);
}

/* The first thread takes it for its block. A barrier behind the taking does for a fence. */
__global__ void lock_for_all(unsigned *flags, int *data, bool taken, bool left)
{
    int t = threadIdx.x;
    if (t == 0)
        while (atomicCAS(flags, 0, 1) != 0)
            ;
    if (taken)
        __syncthreads();
    data[(t + 3 * blockIdx.x) % 64] += t;
    if (left)
        __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicExch(flags, 0);
    }
}

/* ---- through a third thread ---- */

__global__ void third(unsigned *flags, int *data, int *out, fence kind)
{
    if (blockIdx.x == 0) {
        data[0] = 5;
        __threadfence();
        atomicExch(&flags[0], 1);
    } else if (blockIdx.x == 1) {
        wait_for(&flags[0]);
        pass(kind);
        atomicExch(&flags[1], 1);
    } else {
        wait_for(&flags[1]);
        __threadfence();
        out[0] = data[0];
    }
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

__global__ void store_after_read(unsigned *flags)
{
    unsigned old = *flags;
    if (threadIdx.x == 40)
        *flags = old + 1;
    else
        atomicCAS(flags, old, old + 1);
}

/* ---- atomics of two scopes on one word ---- */

/* Each block's first thread adds to the word for the whole device; another of one block looks, or
 * adds, for its block alone. */
template <bool looks> __global__ void scopes(unsigned *flags, int *out, unsigned of_block)
{
    if (threadIdx.x == 0)
        atomicAdd(flags, 1);
    if (threadIdx.x == 32 && blockIdx.x == of_block)
        out[0] = atomicAdd_block(flags, looks ? 0 : 1);
}

/* ---- a poller leaves at the first value that lets it ---- */

enum { ACKNOWLEDGERS = 3 };

/* How a thread looks at a word again and again. */
enum look { ADDS, VOLATILE };
template <look how> __device__ unsigned see(unsigned *word)
{
    return how == VOLATILE ? *(volatile unsigned *)word : atomicAdd(word, 0);
}

/* The first of four blocks waits for so many acknowledgements of the others, which come
 * when it does. */
template <look how> __global__ void acknowledge(unsigned *flags, int *data, int *out, unsigned want)
{
    int role = blockIdx.x;
    if (role == 0) {
        atomicExch(&flags[1], 1);
        while (see<how>(flags) < want)
            ;
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

/* One thread publishes stage after stage, another waits for one of them and reads all. */
__global__ void publish(unsigned *flag, int *out, unsigned want)
{
    __shared__ double stage[ACKNOWLEDGERS + 1];
    if (threadIdx.x == 1) {
        wait_for(flag, want);
        __threadfence_block();
        for (int i = 1; i <= ACKNOWLEDGERS; i++)
            out[0] += stage[i];
    } else if (threadIdx.x == 40) {
        for (unsigned i = 1; i <= ACKNOWLEDGERS; i++) {
            stage[i] = i;
            __threadfence_block();
            atomicExch(flag, i);
        }
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

/* The fence stands right behind the look, in front of the branch that it decides. */
__global__ void fence_behind_look(volatile unsigned *flag, int *data, int *out, fence kind)
{
    if (blockIdx.x == 0) {
        data[0] = 7;
        __threadfence();
        *flag = 1;
    } else {
        unsigned seen;
        do {
            seen = *flag;
            pass(kind);
        } while (!seen);
        out[0] = data[0];
    }
}

/* Who has nothing larger spares the atomic. */
__global__ void largest(int *most, const int *of)
{
    int v = of[blockIdx.x] + threadIdx.x;
    if (v > *(volatile int *)most) // BUG largest
        atomicMax(most, v);        // BUG largest
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

/* The giver clears the flag itself, by a plain store, and perhaps lets the other know. */
__global__ void clear_flag(unsigned *flags, int *data, int *out, bool meet)
{
    int t = threadIdx.x;
    if (t == 0)
        *flags = 0;
    if (meet)
        __syncthreads();
    if (t == 0) {
        data[0] = 5;
        __threadfence();
        *(volatile unsigned *)flags = 1;
    } else if (t == 40) {
        while (*(volatile unsigned *)flags == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

__global__ void two_warps(int *data, bool meet)
{
    if (threadIdx.x == 0)
        data[0] = 1; // BUG two_warps
    if (meet)
        __syncthreads();
    if (threadIdx.x == 32)
        data[0] = 1; // BUG two_warps
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

    CASE(leaders, "nothing") leaders<<<1, 64>>>(flags, data, out, true, true);
    CASE(leader_gives, "race in global memory") leaders<<<1, 64>>>(flags, data, out, false, true);
    CASE(leader_takes, "race in global memory") leaders<<<1, 64>>>(flags, data, out, true, false);
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
    CASE(lock_neither, "race in global memory") lock<BY_LANES><<<1, 64>>>(flags, data);
    CASE(lock_cas_of_block, "race in global memory")
    lock<TAKE | GIVE | CAS_OF_BLOCK><<<4, 32>>>(flags, data);
    CASE(lock_sets, "note: volatile flag") lock<TAKE | GIVE | SETS><<<8, 32>>>(flags, data);
    CASE(lock_sets_neither, "race in global memory") lock<SETS><<<8, 32>>>(flags, data);
    CASE(lock_for_all, "nothing") lock_for_all<<<5, 64>>>(flags, data, true, true);
    CASE(lock_for_all_taken, "race in global memory")
    lock_for_all<<<5, 64>>>(flags, data, false, true);
    CASE(lock_for_all_left, "race in global memory")
    lock_for_all<<<5, 64>>>(flags, data, true, false);
    CASE(look_back, "nothing") look_back<true, true><<<8, 32>>>(flags, data, out, out + 64);
    CASE(look_back_second, "race in global memory")
    look_back<true, false><<<8, 32>>>(flags, data, out, out + 64);
    if (!strcmp(argv[1], "look_back_first")) /* where another block looks in between */
        look_back<false, true><<<8, 32>>>(flags, data, out, out + 64);
    CASE(grid_barrier_once, "race in global memory")
    grid_barrier<false><<<4, 64>>>(flags, data, out);
    CASE(grid_barrier, "nothing") grid_barrier<true><<<4, 64>>>(flags, data, out);
    CASE(third, "nothing") third<<<3, 1>>>(flags, data, out, DEVICE);
    CASE(third_of_block, "race in global memory") third<<<3, 1>>>(flags, data, out, BLOCK);
    CASE(groups, "nothing") groups<<<1, 32>>>(out, 0, false);
    CASE(groups_across, "race in shared memory") groups<<<1, 32>>>(out, 16, false);
    CASE(groups_one_alone, "race in shared memory") groups<<<1, 32>>>(out, 0, true);
    CASE(cas, "nothing") add_by_cas<<<2, 64>>>(flags, false);
    CASE(cas_after_atomic, "race in global memory") add_by_cas<<<2, 64>>>(flags, true);
    CASE(cas_and_store, "race in global memory") store_after_read<<<1, 64>>>(flags);
    CASE(flag, "note: volatile flag") volatile_flag<<<2, 1>>>(flags, data, out, true);
    CASE(looks_fence, "note: volatile flag") fence_behind_look<<<2, 1>>>(flags, data, out, DEVICE);
    CASE(looks_fence_of_block, "race in global memory")
    fence_behind_look<<<2, 1>>>(flags, data, out, BLOCK);
    CASE(flag_cleared, "race in global memory") clear_flag<<<1, 64>>>(flags, data, out, false);
    CASE(flag_cleared_before, "note: volatile flag") clear_flag<<<1, 64>>>(flags, data, out, true);
    CASE(flag_taken, "race in global memory")
    volatile_flag<<<2, 1>>>(flags, data, out, false);
    CASE(scopes_look, "race in global memory") scopes<true><<<2, 64>>>(flags, out, 1);
    CASE(scopes_add, "race in global memory") scopes<false><<<3, 64>>>(flags, out, 2);
    CASE(scopes_one_block, "nothing") scopes<false><<<1, 64>>>(flags, out, 0);
    CASE(late_two_of_three, "race in global memory")
    acknowledge<ADDS><<<4, 1>>>(flags, data, out, 2);
    CASE(late_volatile, "race in global memory")
    acknowledge<VOLATILE><<<4, 1>>>(flags, data, out, 2);
    CASE(late_three, "nothing") acknowledge<ADDS><<<4, 1>>>(flags, data, out, 3);
    CASE(late_volatile_all, "note: volatile flag")
    acknowledge<VOLATILE><<<4, 1>>>(flags, data, out, 3);
    CASE(published, "race in shared memory") publish<<<1, 64>>>(flags, out, 1);
    CASE(published_all, "nothing") publish<<<1, 64>>>(flags, out, 3);
    CASE(tickets_all, "nothing") tickets<<<12, 32>>>(flags, data);
    CASE(largest, "note: volatile flag") largest<<<4, 64>>>(data, out);
    CASE(refill, "race in shared memory") refill<<<1, dim3(128)>>>(out, 2);
    CASE(refill_all, "nothing") refill<<<1, dim3(128)>>>(out, 3);
    CASE(two_warps, "race in global memory") two_warps<<<1, 64>>>(data, false);
    CASE(two_warps_meet, "nothing") two_warps<<<1, 64>>>(data, true);
    CASE(last_block, "nothing") last_block<FENCE | BARRIER><<<4, 64>>>(flags, data, out);
    CASE(last_block_fence, "race in global memory")
    last_block<BARRIER><<<4, 64>>>(flags, data, out);
    CASE(last_block_barrier, "race in global memory")
    last_block<FENCE><<<4, 64>>>(flags, data, out);

    return finish(0);
}
