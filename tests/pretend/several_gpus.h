/* Several GPUs on the CPU backend: tests/test_multi_gpu.py pretends that there are PRETEND_GPUS
 * (environment), all of them the backend's one device. */
#ifndef PRETEND_SEVERAL_GPUS_H
#define PRETEND_SEVERAL_GPUS_H

#include "lab.h"

#include <cstdlib>

static int pretend_device;


/* Once for each of two GPUs, as CUDA wants it. */
static inline cudaError_t pretend_enable(int peer, unsigned)
{
    static bool enabled[8][8];
    bool before = enabled[pretend_device][peer];
    enabled[pretend_device][peer] = true;
    return before || pretend_device == peer ? cudaErrorInvalidValue : cudaSuccess;
}

#define cudaDeviceEnablePeerAccess              pretend_enable
#define cudaGetDeviceCount(count)               (*(count) = atoi(getenv("PRETEND_GPUS")), cudaSuccess)
#define cudaGetDevice(device)                   (*(device) = pretend_device, cudaSuccess)
#define cudaSetDevice(device)                   (pretend_device = (device), cudaSuccess)
#define cudaDeviceCanAccessPeer(can, from, to)  (*(can) = 1, cudaSuccess)
#define cudaMemcpyPeer(to, gpu, from, of, size) cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice)

#endif
