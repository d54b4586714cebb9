/* Barriers, and threads that end before, between and behind them. */
#include "cases.h"

__device__ __noinline__ void meet() { __syncthreads(); }

__global__ void one_turn_more(int *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = i;
        __syncthreads(); // BUG turn_more
    }
    __syncthreads(); // BUG turn_more
}

/* A thread that has ended is absent from every later barrier, in every order. */
__global__ void ends_in_turn(int *out)
{
    unsigned t = threadIdx.x;
    for (unsigned k = 32; k > 0; k /= 2) { __syncthreads(); if (t >= k) return; }
    out[t] = 1;
}
__global__ void ends_by_vote(int *out)
{
    int t = threadIdx.x, k = 64, left = 64;
    while (__syncthreads_or(t == 0) && (k /= 2) > 0) {
        if (t >= k || t / 32 == 1) return;
        left = __syncthreads_count(t < k);
    }
    out[t] = left;
}

/* Several on a line, and one that the compiler may copy: into where it is called, or out of a loop. */
#define MEET       __syncthreads()
#define MEET_TWICE MEET; MEET
#define MEET_IF(condition) if (condition) MEET
__device__ inline void meet_inlined() { MEET; }
template <int N> __device__ inline void count_down(int *out)
{
    out[threadIdx.x] = N; MEET; out[threadIdx.x]++; MEET;
    count_down<N - 1>(out);
}
template <> __device__ void count_down<0>(int *) {}

__global__ void on_one_line(int *out, int n)
{
    unsigned t = threadIdx.x;
    out[t] = 0; MEET; out[t]++; MEET_TWICE; MEET_TWICE; meet_inlined(); meet_inlined();
    MEET_IF(n > 0); MEET_IF(n > 1); MEET_IF(n == 0);
    if (__syncthreads_or(t == 9) && __syncthreads_and(t < 64)) out[t] += __syncthreads_count(t < 3);
#pragma GCC unroll 4
    for (int k = 0; k < n; k++) { out[t] += k; MEET; if (k % 3 == 1) continue; out[t]++; MEET; }
    count_down<3>(out), count_down<2>(out);
}
__global__ void first_of_one_line(int *out)
{
    if (threadIdx.x == 0) MEET; out[threadIdx.x] = 1; MEET; // BUG first_of_line: at different barriers of this line.
}

template <void barrier()> __global__ void in_both(int *out)
{
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        barrier(); // BUG inlined, calls
    } else {
        barrier(); // BUG inlined, calls
        out[threadIdx.x] = 2;
    }
}

/* -O3 would make two loops of this one, for threads that add and for the others. */
__global__ void odd_tree(int *out, bool all, int n)
{
    unsigned t = threadIdx.x;
    while (n > 1) {
        int half = (n + 1) / 2;
        if ((int)t < n / 2)
            out[t] += out[t + half];
        n = half;
        if (all || n != 3)
            __syncthreads();
    }
}

int main(int, char **argv)
{
    int *out = (int *)device(4096), n = 8;

    CASE(skips_the_last, "nothing") DO(64, out[i] = 1; if (i < 40) __syncthreads());
    CASE(own_loops_between, "nothing")
    run<<<1, 64>>>([=] __device__(int t) {
        __shared__ int s[64];
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < t + k; j++)
                s[t] = j;
            __syncthreads();
            int j = 0;
            while (j < 3 * t) {
                s[t] = j++;
                if (j % 7 == 6)
                    continue;
                s[t]++;
            }
            if (k % 2)
                continue;
            meet();
        }
        out[t] = s[t] >= 0;
    });
    CASE(exits, "nothing") /* g++ puts the barriers behind the inner loops' exits into these */
    run<<<1, 64>>>([=] __device__(int t) {
        for (int k = 0; k < 3; k++) {
            for (int i = t + k;; i++) if (i % 5 == 4) { out[t] = i; break; }
            __syncthreads();
            for (int i = t;; i++) { if (i % 5 == 4) { out[t] += i; break; } if (i % 11 == 3) { i++; continue; } }
            __syncthreads();
        }
    });
    CASE(split_loop, "nothing") odd_tree<<<1, 96>>>(out, true, 96);
    CASE(ended, "nothing") ends_in_turn<<<1, 64>>>(out), ends_by_vote<<<1, 64>>>(out);
    CASE(as_many_turns, "nothing") one_turn_more<<<1, 64>>>(out, 128);
    CASE(turn_more, "divergent barrier") one_turn_more<<<1, 64>>>(out, 100); // hangs
    CASE(one_line, "nothing") on_one_line<<<1, 64>>>(out, 8);
    CASE(copied, "nothing") /* g++ -O3 makes two loops of it, one for each half of the threads */
    run<<<1, 64>>>([=] __device__(int t) {
        for (int k = 0; k < n; k++) {
            if (t < 32)
                out[t] += k;
            meet_inlined();
        }
    });
    CASE(first_of_line, "divergent barrier") first_of_one_line<<<1, 64>>>(out);
    CASE(inlined, "divergent barrier") in_both<meet_inlined><<<1, 64>>>(out);
    CASE(calls, "divergent barrier") in_both<meet><<<1, 64>>>(out);
    CASE(turn, "divergent barrier") /* behind more loops than are kept between two barriers */
    run<<<1, 64>>>([=] __device__(int t) {
#define LOOP(k)    for (int j = 0; j < t % 3 + k; j++) out[t] = j + k;
#define LOOPS_5(k) LOOP(k) LOOP(k + 1) LOOP(k + 2) LOOP(k + 3) LOOP(k + 4)
        LOOPS_5(1) LOOPS_5(6) LOOPS_5(11) LOOPS_5(16)
        __syncthreads();
        for (int k = 0; k < 4; k++) {
            out[t] = k;
            if (!(t >= 32 && k == 0))
                __syncthreads(); // BUG: Both wait, in different turns of the loop: one went around
        }
    });
    CASE(branch, "divergent barrier")
    run<<<1, 64>>>([=] __device__(int t) {
        if (t >= 48)
            return;
        if (t < 32)
            __syncthreads(); // BUG: Both wait, at different barriers.
        out[t] = 1;
        __syncthreads(); // BUG
    });
    CASE(loop, "divergent barrier")
    run<<<1, 256>>>([=] __device__(int t) {
        __shared__ int s[256];
        s[t] = t;
        for (int k = 128; k > 0; k /= 2)
            if (t < k) {
                s[t] += 1;
                __syncthreads(); // BUG: The first waits; the second went around the barrier, turn after
            }
        if (t == 0) // BUG
            *out = s[0];
    });
    return finish(0);
}
