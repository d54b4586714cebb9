/* Several GPUs on the CPU backend: PRETEND_GPUS (environment) of them, all the backend's one device,
 * which with PRETEND_APART do not reach each other's memory. */
#ifndef PRETEND_GPUS_H
#define PRETEND_GPUS_H

#include "lab.h"

#include <cstdlib>

static int pretend_device;

/* Once for each of two GPUs, as CUDA wants it. */
static inline cudaError_t pretend_enable(int peer, unsigned)
{
    static bool enabled[16][16];
    bool before = enabled[pretend_device][peer];
    enabled[pretend_device][peer] = true;
    return before || pretend_device == peer ? cudaErrorInvalidValue : cudaSuccess;
}

#define cudaDeviceEnablePeerAccess              pretend_enable
#define cudaGetDeviceCount(count)               (*(count) = atoi(getenv("PRETEND_GPUS")), cudaSuccess)
#define cudaGetDevice(device)                   (*(device) = pretend_device, cudaSuccess)
#define cudaSetDevice(device)                   (pretend_device = (device), cudaSuccess)
#define cudaDeviceGetAttribute(value, name, of) cudaDeviceGetAttribute(value, name, 0)
#define cudaDeviceCanAccessPeer(can, from, to)  (*(can) = !getenv("PRETEND_APART"), cudaSuccess)
#define cudaMemcpyPeer(to, gpu, from, of, size) cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice)

#endif
