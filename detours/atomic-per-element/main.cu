/* One atomicAdd per element: everyone's first idea.
 *
 * Read it before step 00. It is right, and it is short. But all threads want the same word, and the
 * memory serves them one after the other, wherever in the L2 cache that word lives.
 *
 * Look at: as many atomic lanes as there are elements.
 *
 * Expect: at 2^24 ints almost twenty times the time of step 07, and that only because nvcc helps:
 * it adds the 32 ints of a warp first (REDUX) and sends one atomic. For float it may not, since
 * that changes the order, and it is 1400 times step 07. Up to 2^14 elements there are too few to
 * queue: it is hardly behind, and at 2^14 only single-pass is faster. */
#include "lab.h"

__global__ void add_each(const elem_t *in, elem_t *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(out, in[i]);
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    CHECK(cudaMemsetAsync(out, 0, sizeof *out)); /* the same bits are 0 in int and float */
    add_each<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
