/* Several GPUs on the CPU backend: tests/test_multi_gpu.py pretends that there are PRETEND_GPUS
 * (environment), all of them the backend's one device. */
#ifndef PRETEND_SEVERAL_GPUS_H
#define PRETEND_SEVERAL_GPUS_H

#include "lab.h"

#include <cstdlib>

static int pretend_device;

static inline cudaError_t pretend_count(int *count)
{
    *count = atoi(getenv("PRETEND_GPUS"));
    return cudaSuccess;
}

static inline cudaError_t pretend_get(int *device)
{
    *device = pretend_device;
    return cudaSuccess;
}

static inline cudaError_t pretend_set(int device)
{
    pretend_device = device;
    return cudaSuccess;
}

static inline cudaError_t pretend_copy(void *to, int, const void *from, int, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

static inline cudaError_t pretend_can_access(int *can, int, int)
{
    *can = 1;
    return cudaSuccess;
}

/* Once for each of two GPUs, as CUDA wants it. */
static inline cudaError_t pretend_enable(int peer, unsigned)
{
    static bool enabled[8][8];
    bool before = enabled[pretend_device][peer];
    enabled[pretend_device][peer] = true;
    return before || pretend_device == peer ? cudaErrorInvalidValue : cudaSuccess;
}

#define cudaDeviceCanAccessPeer    pretend_can_access
#define cudaDeviceEnablePeerAccess pretend_enable
#define cudaGetDeviceCount         pretend_count
#define cudaGetDevice              pretend_get
#define cudaSetDevice              pretend_set
#define cudaMemcpyPeer             pretend_copy

#endif
