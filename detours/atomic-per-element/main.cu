/* One atomicAdd per element: everyone's first idea.
 *
 * Read it before step 00. It is right, and it is short. But all threads want the same word, and the
 * memory serves them one after the other, wherever in the L2 cache that word lives.
 *
 * Look at: requests and lanes of the line with atomicAdd (--annotate). How many additions must the
 * memory do for one warp, and how many if the warp adds up its 32 elements first? nvcc lets it do
 * so (REDUX) where the result cannot change: may it for int, may it for float?
 *
 * On a GPU, compare the times with TYPE=int and TYPE=float at 2^10, 2^14 and 2^24, and each with
 * that of step 07. At which n do you expect the threads to queue? */
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
