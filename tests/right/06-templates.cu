/* Right: an operator as a template argument, other shuffles, and 128 threads with four elements
 * each. */
#include "task.h"

struct lesser {
    __device__ elem_t operator()(elem_t a, elem_t b) const
    {
        return a < b ? a : b;
    }
};
struct greater {
    __device__ elem_t operator()(elem_t a, elem_t b) const
    {
        return a > b ? a : b;
    }
};

template <class Op> __device__ elem_t join_block(elem_t x, elem_t *s, Op op)
{
    for (unsigned lanes = 16; lanes > 0; lanes /= 2)
        x = op(x, __shfl_xor_sync(0xffffffff, x, lanes));
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = x;
    return x;
}

__global__ void find(const elem_t *in, elem_t *least, elem_t *most, size_t n)
{
    __shared__ elem_t low[4], high[4];
    size_t first = (size_t)blockIdx.x * 512, last = first + 512 < n ? first + 511 : n - 1;
    elem_t lo = in[last], hi = lo;

    for (size_t i = first + threadIdx.x; i <= last; i += 128) {
        lo = lesser()(lo, in[i]);
        hi = greater()(hi, in[i]);
    }
    join_block(lo, low, lesser());
    join_block(hi, high, greater());
    __syncthreads();
    if (threadIdx.x < 2) {
        elem_t *s = threadIdx.x == 0 ? low : high, *out = threadIdx.x == 0 ? least : most, x = s[0];
        for (int w = 1; w < 4; w++)
            x = threadIdx.x == 0 ? lesser()(x, s[w]) : greater()(x, s[w]);
        out[blockIdx.x] = x;
    }
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *least = task_out(task, "least");
    elem_t *most = task_out(task, "most");
    size_t n = task_size(task, "n");
    find<<<(n + 511) / 512, 128>>>(in, least, most, n);
    CHECK(cudaGetLastError());
}
