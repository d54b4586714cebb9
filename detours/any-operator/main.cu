/* Any operator: step 07 for the sum, the maximum, the minimum or the product.
 *
 * Read it after step 07, which it is, with op(a, b) for a + b: make any-operator OP=max, or min,
 * prod, sum. Nothing else changes, because no step ever used more of addition than this:
 * associative: (a op b) op c = a op (b op c), so a tree may put the brackets where it likes;
 * commutative: a op b = b op a, so a thread may take every 256th element; a neutral element e, x op
 * e = x, for lanes and threads that have no element of their own. Subtraction is neither of the
 * first two. The product of matrices is not commutative: a reduction of them must keep neighbours
 * together. Floating-point addition is not quite associative: each order rounds differently.
 *
 * A NaN in the input (--nan) is the result of all four. Of the maximum that is not a matter of
 * course: a > b ? a : b would keep or lose it, depending on the order.
 *
 * Look at: the counters, with each OP and of step 07. Does any of them tell which operator it was?
 * On a GPU, compare the times at 2^28, too: what does the kernel wait for, and does the operator
 * matter?
 *
 * Then look at the input. A wrong kernel loses one element: for which operators does the result
 * tell? (A product of ints is one of odd numbers; one of floats is of 1 and -1, which can be
 * multiplied without end. -s 2 takes another input.)
 *
 * Source: write-ups 0, 2 and 4, which name the operators. */
#include "lab.h"

#include "op.h"

#include <limits.h>
#include <math.h>

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)

/* op(x, NEUTRAL) is x, for every x: what a missing element counts as. */
#define LOWEST  (ELEM_IS_INT ? (elem_t)INT_MIN : (elem_t)-HUGE_VAL)
#define HIGHEST (ELEM_IS_INT ? (elem_t)INT_MAX : (elem_t)HUGE_VAL)
#define NEUTRAL (OP == OP_max ? LOWEST : OP == OP_min ? HIGHEST : (elem_t)(OP == OP_prod))

/* Where a and b are neither greater nor less nor equal, one of them is a NaN, and so is a + b. */
static __device__ elem_t op(elem_t a, elem_t b)
{
    switch (OP) {
    case OP_max: return a > b ? a : a <= b ? b : a + b;
    case OP_min: return a < b ? a : a >= b ? b : a + b;
    case OP_prod: return a * b;
    default: return a + b;
    }
}

__global__ void reduce_block(const elem_t *in, elem_t *results, size_t n)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t result = NEUTRAL;

    if (tile + TILE <= n) {
#pragma unroll
        for (unsigned i = 0; i < TILE; i += BLOCK)
            result = op(result, in[tile + i + tid]);
    } else {
        for (size_t i = tile + tid; i < n; i += BLOCK)
            result = op(result, in[i]);
    }

    for (unsigned delta = 16; delta > 0; delta /= 2)
        result = op(result, __shfl_down_sync(0xffffffff, result, delta));
    if (tid % 32 == 0)
        s[tid / 32] = result;
    __syncthreads();

    if (tid < 32) {
        result = tid < BLOCK / 32 ? s[tid] : NEUTRAL;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            result = op(result, __shfl_down_sync(0xffffffff, result, delta));
    }

    if (tid == 0)
        results[blockIdx.x] = result;
}

/* Every launch leaves one result a block; they are the next launch's input, until one is left. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    do {
        size_t blocks = (n + TILE - 1) / TILE;
        elem_t *results = blocks > 1 ? scratch : out;

        reduce_block<<<blocks, BLOCK>>>(in, results, n);
        CHECK(cudaGetLastError());
        in = results;
        n = blocks;
        scratch += blocks;
    } while (n > 1);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
