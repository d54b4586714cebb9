/* What only looks like a bug. (The corrected twins of the other files are as clean.) */
#include "../twins/cases.h"

enum { BLOCK = 50 };

/* Neighbouring threads, also of different warps and blocks, write different bytes of one word, in
 * shared and global memory: no race. */
__global__ void bytes(const int *in, unsigned char *out, short *wide)
{
    __shared__ unsigned char s[BLOCK];
    __shared__ short t[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;

    s[tid] = in[i];
    t[tid] = s[tid];
    s[tid] = ~s[tid];
    out[i] = s[tid];
    wide[i] = t[tid] + s[tid];
}

/* Lanes that have ended need not come to a warp operation whose mask names them: __syncwarp() waits
 * for the others. */
__global__ void lanes_exited(const int *in, int *out, unsigned n)
{
    __shared__ int s[32];
    unsigned lane = threadIdx.x;

    if (lane >= n)
        return;
    s[lane] = in[lane];
    __syncwarp();
    out[lane] = s[n - 1 - lane];
}

/* One warp hands its values to another by a flag in shared memory, without a barrier: values,
 * fence, atomic on one side; atomic, fence, values on the other. */
__global__ void spin_shared(const int *in, int *out)
{
    __shared__ int box[32];
    __shared__ unsigned full;
    unsigned lane = threadIdx.x % 32;

    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        box[lane] = in[lane] + 1;
        __threadfence_block();
        atomicAdd(&full, 1);
    } else {
        while (atomicAdd(&full, 0) < 32)
            __nanosleep(20);
        __threadfence_block();
        out[lane] = box[31 - lane];
    }
}

__global__ void fill(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}

int main(int, char **argv)
{
    int *in = numbers(256), *out = (int *)device(2048 * sizeof *out), last = 0;

    CASE(bytes, "nothing")
    {
        short *sums = (short *)device(3 * BLOCK * sizeof *sums);
        bytes<<<3, BLOCK>>>(in, (unsigned char *)out, sums);
        return differ(sums, 3 * BLOCK, [](int) { return 255; });
    }
    CASE(lanes_exited, "nothing")
    {
        lanes_exited<<<1, 32>>>(in, out, 20);
        return differ(out, 20, [](int i) { return 19 - i; });
    }
    CASE(spin_shared, "nothing")
    {
        spin_shared<<<1, 64>>>(in, out);
        return differ(out, 32, [](int i) { return 32 - i; });
    }
    /* A launch and a copy fail, the program fetches either error and goes on in another way. */
    CASE(error_fetched, "nothing")
    {
        fill<<<1, 2048>>>(out);
        if (cudaGetLastError() != cudaSuccess)
            fill<<<2, 1024>>>(out);
        cudaMemcpy(&last, out + 2047, sizeof last, cudaMemcpyHostToDevice);
        if (cudaGetLastError() != cudaSuccess)
            cudaMemcpy(&last, out + 2047, sizeof last, cudaMemcpyDeviceToHost);
        return last != 2047;
    }
    return 2;
}
