/* Room for the characters of a text, not for the 0 behind them: one byte is written past the end.
 * An allocation is rounded up, so that it does no harm until the length is a multiple of 256.
 * Fix: one byte more. */
// expect: out of bounds in global memory
#include <stdio.h>
#include <string.h>

__global__ void to_upper(const char *in, char *out, int length)
{
    int i = threadIdx.x;

    if (i < length)
        out[i] = in[i] >= 'a' && in[i] <= 'z' ? in[i] - 'a' + 'A' : in[i];
    if (i == 0)
        out[length] = 0; // BUG
}

int main()
{
    const char text[] = "one warp is 32 lanes";
    char result[sizeof text] = "", *in, *out;
    int length = strlen(text);
#ifdef FIXED
    int room = length + 1;
#else
    int room = length;
#endif

    cudaMalloc(&in, length);
    cudaMalloc(&out, room);
    cudaMemcpy(in, text, length, cudaMemcpyHostToDevice);
    to_upper<<<1, 32>>>(in, out, length);
    cudaMemcpy(result, out, room, cudaMemcpyDeviceToHost);
    printf("%s\n", result);
    return strcmp(result, "ONE WARP IS 32 LANES") != 0;
}
