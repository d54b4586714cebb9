/* A program of many cases, of which its argument names one: CASE(name, "what must be told"), and
 * TWINS(name, "what must be told") for two: that one, and name_right, where `right` is true and
 * nothing must be told. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE(name, told) if (strcmp(argv[1], #name) == 0)
#define TWINS(name, told)                                                                          \
    if (const bool right = !strcmp(argv[1], #name "_right"); right || !strcmp(argv[1], #name))

/* Kernels where they are launched, of the thread's number in its block. DO: of one block and line. */
template <class F> __global__ void run(F f) { f((int)(threadIdx.x + threadIdx.y * blockDim.x)); }
#define DO(threads, ...) run<<<1, threads>>>([=] __device__(int i) { __VA_ARGS__; (void)i; })

/* Device memory: zeros, or what nobody has written. */
template <class T> static T *raw(size_t count)
{
    T *p = NULL;
    if (cudaMalloc(&p, count * sizeof(T)) != cudaSuccess)
        exit(3);
    return p;
}
static inline void *device(size_t bytes)
{
    void *p = raw<char>(bytes);
    if (cudaMemset(p, 0, bytes) != cudaSuccess)
        exit(3);
    return p;
}

/* The program's own verdict: its status is 0 when the kernels gave what they should. */
static inline int finish(int wrong)
{
    cudaError_t error = cudaDeviceSynchronize();
    if (wrong)
        fprintf(stdout, "%d wrong\n", wrong);
    return error != cudaSuccess || wrong != 0;
}

/* The program's status: 0 if element i of n on the device is expected(i), for each i. */
template <class T, class F> static int differ(const T *results, int n, F expected)
{
    T *host = (T *)calloc(n, sizeof *host);
    int wrong = 0;
    cudaMemcpy(host, results, n * sizeof *host, cudaMemcpyDefault);
    for (int i = 0; i < n; i++)
        wrong += host[i] != expected(i);
    free(host);
    return finish(wrong);
}
