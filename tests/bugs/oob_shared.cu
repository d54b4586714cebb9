/* Out of bounds in shared memory. */
#include "../twins/cases.h"

enum { N = 256, TILE = 16 };

/* Blocks of 16 x 16 store a tile and one row below it, for which the array has no room. It goes
 * well as long as nothing else lies in shared memory. */
__global__ void add_below(const int *in, int *out)
{
    __shared__ int s[TILE + FIXED][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y, first = blockIdx.x * TILE * TILE;

    s[y][x] = in[first + y * TILE + x];
    if (y == 0)
        (&s[0][0])[TILE * TILE + x] = in[first + TILE * TILE + x]; // BUG: 2d
    __syncthreads();
    out[first + y * TILE + x] = s[y][x] + (&s[0][0])[(y + 1) * TILE + x]; // BUG: 2d
}

/* The launch asks for N bytes of dynamic shared memory where the kernel stores N ints: sizeof is
 * forgotten. Shared memory is handed out in larger pieces, so that small blocks get away with it.
 */
__global__ void dynamic(const int *in, int *out)
{
    extern __shared__ int s[];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid]; // BUG: dynamic
    __syncthreads();
    out[tid] = s[N - 1 - tid]; // BUG: dynamic
}

int main(int, char **argv)
{
    int *in = numbers(5 * N), *out = (int *)device(4 * N * sizeof *out);

    CASE(2d, "out of bounds in shared memory")
    {
        add_below<<<4, dim3(TILE, TILE)>>>(in, out);
        return differ(out, 4 * N, [](int i) { return 2 * i + TILE; });
    }
    CASE(dynamic, "out of bounds in shared memory")
    {
        dynamic<<<1, N, (FIXED ? 4 : 1) * N>>>(in, out);
        return differ(out, N, [](int i) { return N - 1 - i; });
    }
    return 2;
}
