/* Ends a program on a CUDA error. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

void check_cuda(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(error),
            cudaGetErrorName(error));
    exit(STATUS_CUDA);
}
