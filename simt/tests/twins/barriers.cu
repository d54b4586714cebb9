/* Barriers, and threads that end before, between and behind them. */
#include "cases.h"

__device__ __noinline__ void meet() { __syncthreads(); }

__global__ void ends_behind(int *out)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x + blockDim.x * threadIdx.y;
    for (unsigned k = 256; k > 0; k /= 2) {
        s[t] = k;
        __syncthreads();
        if (t >= k / 2)
            return;
    }
    out[t] = s[t];
}

__global__ void skips_the_last(int *out)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x < 40)
        __syncthreads();
}

__global__ void own_loops_between(int *out)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    for (unsigned k = 0; k < 6; k++) {
        for (unsigned j = 0; j < t + k; j++)
            s[t] = j;
        __syncthreads();
        unsigned j = 0;
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
}

__global__ void around_in_one_turn(int *out)
{
    for (int k = 0; k < 4; k++) {
        out[threadIdx.x] = k;
        if (!(threadIdx.x >= 32 && k == 0))
            __syncthreads();
    }
}

/* More loops than are kept between two barriers. */
#define LOOP(k)    for (unsigned j = 0; j < t % 3 + k; j++) out[t] = j + k;
#define LOOPS_5(k) LOOP(k) LOOP(k + 1) LOOP(k + 2) LOOP(k + 3) LOOP(k + 4)
__global__ void around_behind_many_loops(int *out)
{
    unsigned t = threadIdx.x;
    LOOPS_5(1) LOOPS_5(6) LOOPS_5(11) LOOPS_5(16)
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        out[t] = k;
        if (!(t >= 32 && k == 0))
            __syncthreads();
    }
}

__global__ void in_a_branch(int *out)
{
    unsigned t = threadIdx.x;
    if (t >= 48)
        return;
    if (t < 32)
        __syncthreads(); // BUG branch
    out[t] = 1;
    __syncthreads(); // BUG branch
}

__global__ void one_call_in_each_branch(int *out)
{
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        meet();
    } else {
        meet();
        out[threadIdx.x] = 2;
    }
}

__global__ void one_turn_more(int *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = i;
        __syncthreads(); // BUG turn_more
    }
    __syncthreads(); // BUG turn_more
}

__global__ void in_the_branch_of_a_loop(int *out)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x;
    s[t] = t;
    for (unsigned k = 128; k > 0; k /= 2)
        if (t < k) {
            s[t] += 1;
            __syncthreads();
        }
    if (t == 0)
        *out = s[0];
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

/* g++ -O3 makes two loops of it, one for each half of the threads. */
__global__ void in_both_copies_of_a_loop(int *out, int n)
{
    for (int k = 0; k < n; k++) {
        if (threadIdx.x < 32)
            out[threadIdx.x] += k;
        meet_inlined();
    }
}

__global__ void first_of_one_line(int *out)
{
    if (threadIdx.x == 0) MEET; out[threadIdx.x] = 1; MEET;
}

__global__ void one_inlined_in_each_branch(int *out)
{
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        meet_inlined();
    } else {
        meet_inlined();
        out[threadIdx.x] = 2;
    }
}

int main(int, char **argv)
{
    int *out = (int *)device(4096);
    CASE(right, "nothing")
    {
        ends_behind<<<1, dim3(16, 16)>>>(out);
        skips_the_last<<<1, 64>>>(out);
        own_loops_between<<<1, 64>>>(out);
        one_turn_more<<<1, 64>>>(out, 128);
    }
    CASE(one_line, "nothing") on_one_line<<<1, 64>>>(out, 8);
    CASE(copied, "nothing") in_both_copies_of_a_loop<<<1, 64>>>(out, 8);
    CASE(first_of_line, "divergent barrier") first_of_one_line<<<1, 64>>>(out);
    CASE(inlined, "divergent barrier") one_inlined_in_each_branch<<<1, 64>>>(out);
    CASE(turn, "divergent barrier") around_in_one_turn<<<1, 64>>>(out);
    CASE(turn_behind_loops, "divergent barrier") around_behind_many_loops<<<1, 64>>>(out);
    CASE(turn_more, "divergent barrier") one_turn_more<<<1, 64>>>(out, 100); // hangs
    CASE(branch, "divergent barrier") in_a_branch<<<1, 64>>>(out);
    CASE(loop, "divergent barrier") in_the_branch_of_a_loop<<<1, 256>>>(out);
    CASE(calls, "divergent barrier") one_call_in_each_branch<<<1, 64>>>(out);
    return finish(0);
}
