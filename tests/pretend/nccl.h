/* Several GPUs on the CPU backend: PRETEND_GPUS (environment) of them, all the backend's one device,
 * which with PRETEND_APART do not reach each other's memory.
 * And NCCL as far as multi-gpu needs it: a reduction is done at the end of the group in which every
 * rank has called for it once, as NCCL demands. */
#ifndef PRETEND_NCCL_H
#define PRETEND_NCCL_H

#include "lab.h"

#include <cassert>
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

#define NCCL_MAJOR 2
#define NCCL_MINOR 28
#define NCCL_PATCH 3
enum ncclResult_t { ncclSuccess };
enum ncclRedOp_t { ncclSum };
enum ncclDataType_t { ncclInt32, ncclFloat32, ncclFloat64 };
#define ncclGetErrorString(result) "pretended"

typedef const int *ncclComm_t; /* the rank's device, in a list of all */
static int ranks, called = -1; /* so many have called for the group's reduction; -1: no group */
static elem_t total, *result;

static inline ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
    ranks = count;
    for (int i = 0; i < count; i++) {
        assert(devices[i] == i);
        comms[i] = devices + i;
    }
    return ncclSuccess;
}

static inline ncclResult_t ncclGroupStart()
{
    called = 0, total = 0;
    return ncclSuccess;
}

static inline ncclResult_t ncclReduce(const void *from, void *to, size_t n, ncclDataType_t,
                                      ncclRedOp_t, int root, ncclComm_t, cudaStream_t)
{
    elem_t value;
    assert(called >= 0 && n == 1);
    CHECK(cudaDeviceSynchronize()); /* it is read in no GPU's stream */
    CHECK(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
    total += value;
    if (called++ == root)
        result = (elem_t *)to;
    return ncclSuccess;
}

static inline ncclResult_t ncclGroupEnd()
{
    assert(called == ranks);
    called = -1;
    CHECK(cudaMemcpy(result, &total, sizeof total, cudaMemcpyHostToDevice));
    return ncclSuccess;
}

#endif
