/* Each element is added to the one below it; in the last row there is none. In all other rows,
 * and in the columns, everything is right.
 * Fix: the guard must be height - 1. */
// expect: out of bounds in global memory
#include <stdio.h>

#define WIDTH  50
#define HEIGHT 20

__global__ void add_below(const int *in, int *out, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

#ifdef FIXED
    if (x < WIDTH && y < height - 1)
#else
    if (x < WIDTH && y < height)
#endif
        out[y * WIDTH + x] = in[y * WIDTH + x] + in[(y + 1) * WIDTH + x]; // BUG
}

int main()
{
    static int host[HEIGHT][WIDTH], result[HEIGHT][WIDTH];
    int wrong = 0, *in, *out;

    for (int i = 0; i < WIDTH * HEIGHT; i++)
        host[i / WIDTH][i % WIDTH] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    add_below<<<dim3(4, 3), dim3(16, 8)>>>(in, out, HEIGHT);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < WIDTH * (HEIGHT - 1); i++)
        wrong += result[i / WIDTH][i % WIDTH] != 2 * i + WIDTH;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
