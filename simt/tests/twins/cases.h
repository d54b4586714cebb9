/* A program of many cases, of which its argument names one: CASE(name, "what must be told"). */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE(name, told) if (strcmp(argv[1], #name) == 0)

/* Device memory: zeros, or what nobody has written. */
static inline void *device(size_t bytes)
{
    void *p = NULL;
    if (cudaMalloc(&p, bytes) != cudaSuccess || cudaMemset(p, 0, bytes) != cudaSuccess)
        exit(3);
    return p;
}
template <class T> static T *raw(size_t count)
{
    T *p = NULL;
    if (cudaMalloc(&p, count * sizeof(T)) != cudaSuccess)
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

/* 0, 1, 2, …: n ints on the device. */
static inline int *numbers(int n)
{
    int *host = (int *)malloc(n * sizeof *host), *p = raw<int>(n);
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaMemcpy(p, host, n * sizeof *p, cudaMemcpyHostToDevice);
    free(host);
    return p;
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
