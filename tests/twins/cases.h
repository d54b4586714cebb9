/* A program of many cases, of which its argument names one: CASE(name, "what must be told"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE(name, told) if (strcmp(argv[1], #name) == 0)

static inline void *device(size_t bytes)
{
    void *p = NULL;
    cudaError_t error = cudaMalloc(&p, bytes);
    if (error == cudaSuccess)
        error = cudaMemset(p, 0, bytes);
    return error == cudaSuccess ? p : NULL;
}

/* The program's own verdict: its status is 0 when the kernels gave what they should. */
static inline int finish(int wrong)
{
    cudaError_t error = cudaDeviceSynchronize();
    if (wrong)
        fprintf(stdout, "%d wrong\n", wrong);
    return error != cudaSuccess || wrong != 0;
}
