/* Races: what fences, atomics, barriers and groups of a warp order, and what they do not, where the
 * whole backend runs it; test_race_rules.py has the rules. Global memory is zero when a kernel
 * begins. flags and data: 64 words each, out: 256. */
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

static void volatile_flag(volatile unsigned *flag, int *data, int *out, bool gives)
{
    run<<<2, 1>>>([=] __device__(int) {
        if (blockIdx.x == 0) {
            data[0] = 5; // BUG flag_without_fence
            if (gives)
                __threadfence();
            atomicExch(&data[1], (int)*flag + 1); // neither of these undoes the fence
            *flag = 1; // BUG volatile_flag, flag_without_fence
        } else {
            while (*flag == 0) // BUG volatile_flag, flag_without_fence
                ;
            __threadfence();
            out[0] = data[0]; // BUG flag_without_fence
        }
    });
}

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

    /* ---- scopes ---- */
    CASE(message, "nothing") message<DEVICE, DEVICE, false, false><<<2, 32>>>(flags, data, out);
    CASE(message_in_block, "nothing")
        message<BLOCK, BLOCK, true, true><<<1, 64>>>(flags, data, out);
    CASE(message_fence_before, "race in global memory") /* says a fence whose scope holds both */
        message<BLOCK, DEVICE, false, false><<<2, 32>>>(flags, data, out);
    CASE(message_fence_behind, "race in global memory") /* says but passes no fence behind that. */
        message<DEVICE, BLOCK, false, false><<<2, 32>>>(flags, data, out);
    CASE(message_set, "race in global memory")
        message<DEVICE, DEVICE, true, false><<<2, 32>>>(flags, data, out);
    CASE(message_look, "race in global memory")
        message<DEVICE, DEVICE, false, true><<<2, 32>>>(flags, data, out);

    /* A section of a lock needs its fence whoever comes first. */
    TWINS(first_taker, "race in global memory")
    run<<<3, 1>>>([=] __device__(int) {
        while (atomicCAS(flags, 0, 1) != 0);
        if (blockIdx.x > 0 || right) __threadfence();
        data[0]++; // BUG first_taker
        __threadfence();
        atomicExch(flags, 0);
    });
    TWINS(first_exchange, "race in global memory") /* right: order comes from elsewhere, too */
    run<<<2, 64>>>([=] __device__(int t) {
        if (t % 64 == 0 && blockIdx.x == 1 && right) wait_for(&flags[1]), __threadfence();
        while (t == 0 && atomicExch(flags, 1) != 0);
        if (t == 0 && blockIdx.x == 1) __threadfence();
        if (t == 0) data[0] = blockIdx.x; // BUG first_exchange
        __threadfence();
        if (t == 0) atomicExch(flags, 0), atomicExch(&flags[1], 1);
    });
    CASE(states, "nothing") /* from one to the next: the first cannot come second */
    run<<<2, 1>>>([=] __device__(int) {
        while (atomicCAS(flags, 2 * blockIdx.x, 1) != 2 * blockIdx.x);
        if (blockIdx.x == 1) __threadfence();
        data[0]++;
        __threadfence();
        atomicExch(flags, 2);
    });
    CASE(lock_sets, "note: volatile flag") /* a lock, given back by a store */
    run<<<8, 1>>>([=] __device__(int) {
        while (atomicCAS(flags, 0, 1) != 0) // BUG
            ;
        __threadfence();
        data[0] += 1;
        __threadfence();
        *(volatile unsigned *)flags = 0; // BUG
    });

    /* ---- several hand-overs ---- */
    CASE(look_back, "nothing") look_back<true, true><<<8, 32>>>(flags, data, out, out + 64);
    CASE(look_back_second, "race in global memory")
        look_back<true, false><<<8, 32>>>(flags, data, out, out + 64);
    if (!strcmp(argv[1], "look_back_first")) /* where another block looks in between */
        look_back<false, true><<<8, 32>>>(flags, data, out, out + 64);
    /* A barrier of the grid, for turn after turn of which it counts on, or not. */
    TWINS(grid_barrier, "race in global memory")
    run<<<4, 64>>>([=] __device__(int t) {
        int i = blockIdx.x * 64 + t;
        for (unsigned turn = 0; turn < 4; turn++) {
            int *to = turn % 2 ? data : out, *from = turn % 2 ? out : data;
            to[i] = from[(i + 1) % 256] + from[(i + 255) % 256]; // BUG
            __syncthreads();
            if (t == 0) {
                __threadfence();
                atomicAdd(flags, 1);
                wait_for(flags, right ? (turn + 1) * 4 : 4);
                __threadfence();
            }
            __syncthreads();
        }
    });
    CASE(tickets, "nothing") /* each poller leaves at a value of its own */
    run<<<12, 32>>>([=] __device__(int) {
        unsigned ticket = atomicAdd(&flags[0], 1);
        while (atomicAdd(&flags[1], 0) != ticket)
            ;
        __threadfence();
        data[0]++;
        __threadfence();
        atomicAdd(&flags[1], 1);
    });

    /* ---- within a warp ---- */
    TWINS(groups, "race in shared memory") /* each half of a warp, round itself or to the other */
    run<<<1, 32>>>([=] __device__(int t) {
        __shared__ int s[32];
        s[t] = t; // BUG
        __syncwarp(0xffff << t / 16 * 16);
        out[t] = s[right ? t / 16 * 16 + (t + 1) % 16 : (t + 16) % 32]; // BUG
    });

    /* ---- compare and swap ---- */
    TWINS(cas_after_atomic, "race in global memory")
    run<<<2, 64>>>([=] __device__(int) {
        unsigned old = *flags, assumed; // BUG
        if (!right)
            atomicAdd(flags, 0); // BUG
        do {
            assumed = old;
            old = atomicCAS(flags, assumed, assumed + 1); // BUG
        } while (old != assumed);
    });

    /* ---- volatile ---- */
    CASE(volatile_flag, "note: volatile flag") volatile_flag(flags, data, out, true);
    CASE(flag_without_fence, "race in global memory") volatile_flag(flags, data, out, false);
    /* The first warp's leader refills a volatile buffer when so many others have acknowledged. */
    TWINS(refill, "race in shared memory")
    run<<<1, 128>>>([=] __device__(int t) {
        __shared__ volatile int buffer;
        __shared__ unsigned full, taken;
        int role = t / 32;
        if (t % 32)
            return;
        if (role == 0)
            full = taken = 0;
        __syncthreads();
        if (role == 0) {
            buffer = 1; // BUG
            __threadfence_block();
            atomicExch(&full, 1);
            wait_for(&taken, right ? 3 : 2);
            __threadfence_block();
            buffer = 2; // BUG
        } else {
            wait_for(&full);
            __threadfence_block();
            out[role] = buffer; // BUG
            __threadfence_block();
            atomicAdd(&taken, 1);
        }
    });
    /* A thread without a larger value spares the atomic. */
    CASE(largest, "note: volatile flag")
    run<<<4, 64>>>([=] __device__(int v) {
        if (v > *(volatile int *)data) // BUG
            atomicMax(data, v);        // BUG
    });

    /* A flag goes from 1 to 2 while the next block may still act on the 1: a scan that looks back. */
    CASE(two_stages, "note: volatile flag")
    {
        cudaMemset(data, 0, 64 * sizeof *data);
        run<<<16, 1>>>([=] __device__(int) {
            volatile int *flag = (volatile int *)data, *sum = flag + 16, *all = flag + 32;
            int b = (int)blockIdx.x, before = 0, seen = b > 0 ? 1 : 2;
            sum[b] = b;
            __threadfence();
            flag[b] = 1; // BUG
            for (int k = b - 1; k >= 0 && seen == 1; k--) {
                while ((seen = flag[k]) == 0) // BUG
                    ;
                __threadfence();
                before += seen == 2 ? all[k] : sum[k];
            }
            all[b] = before + b;
            __threadfence();
            flag[b] = 2; // BUG
            out[b] = before;
        });
    }

    /* A store behind the lock, volatile or not, is not what the lock's fences hand over. */
    CASE(behind_the_lock, "race in global memory")
    run<<<2, 1>>>([=] __device__(int) {
        while (atomicCAS(flags, 0, 1) != 0)
            ;
        __threadfence();
        out[blockIdx.x] = *(volatile int *)data; // BUG
        __threadfence();
        atomicExch(flags, 0);
        if (blockIdx.x == 0)
            *(volatile int *)data = 1; // BUG
    });

    /* Another block raises it to 2 while a third may still act on the 1. */
    CASE(raised, "note: volatile flag")
    {
        cudaMemset(data, 0, 64 * sizeof *data);
        run<<<3, 1>>>([=] __device__(int) {
            volatile int *flag = data;
            if (blockIdx.x == 0) {
                data[1] = 7;
                __threadfence();
                *flag = 1; // BUG
            } else if (blockIdx.x == 1) {
                while (*flag < 1) // BUG
                    ;
                __threadfence();
                *flag = 2; // BUG
            } else {
                while (*flag < 1) // BUG
                    ;
                __threadfence();
                out[0] = data[1];
            }
        });
    }

    CASE(last_block, "nothing") last_block<FENCE | BARRIER><<<4, 64>>>(flags, data, out);
    CASE(last_block_fence, "race in global memory")
        last_block<BARRIER><<<4, 64>>>(flags, data, out);
    CASE(last_block_barrier, "race in global memory") /* says put a __syncthreads() in front */
        last_block<FENCE><<<4, 64>>>(flags, data, out);
    return finish(0);
}
