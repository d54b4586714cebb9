/* The table of GPUs (gpus.csv), their occupancy, and CUDA's calls about devices.
 *
 * Sources. Limits of a multiprocessor: CUDA C++ Programming Guide, "Technical Specifications per
 * Compute Capability". Multiprocessors, clocks (the highest), bus and L2 cache: NVIDIA's data
 * sheets and architecture white papers of Turing (TU104), A100, Ada (AD102, AD104) and H100. L2
 * cache and memory clock of the H200: its driver. Memory transfers data twice a clock: 2 *
 * memory_mhz * bus_bits / 8 is the vendor's bandwidth. */
#include "run/end.h"
#include "run/runtime.h"
#include "run/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* No such GPU as small is sold. It has few multiprocessors, so that a grid as large as the device
 * runs quickly, and compute capability 9.0, since the backend has instructions of that. */
static const struct gpu_model devices[] = {
#define ROW(...) {__VA_ARGS__},
#include "run/gpus.rows"
};

const struct gpu_model *gpu_model(void)
{
    static const struct gpu_model *chosen;
    const char *name = getenv("SIMT_DEVICE");

    for (size_t i = 0; i < sizeof devices / sizeof *devices && !chosen; i++)
        if (!name || !*name || strcasecmp(devices[i].name, name) == 0)
            chosen = &devices[i];
    if (!chosen)
        end_usage("SIMT_DEVICE=%s: want small, h200, h100, a100, rtx4090, l4 or t4", name);
    return chosen;
}

/* ---- occupancy. Source: cuda_occupancy.h, which comes with CUDA. Each resource is allocated in
 * portions, and the scarcest one sets the limit ---- */

static size_t portions(size_t amount, size_t portion)
{
    return (amount + portion - 1) / portion;
}

unsigned gpu_model_occupancy(const struct gpu_model *model, unsigned threads, size_t shared)
{
    size_t portion = model->major >= 8 ? 128 : 256, most = (size_t)model->blocks;
    size_t system = (size_t)(model->shared_kib - model->shared_block_kib) * 1024;
    size_t taken = portions(shared + system, portion) * portion;
    size_t by_warps = (size_t)model->threads / WARP_SIZE / portions(threads, WARP_SIZE);
    size_t by_shared = taken > 0 ? (size_t)model->shared_kib * 1024 / taken : most;

    most = by_warps < most ? by_warps : most;
    return (unsigned)(by_shared < most ? by_shared : most);
}

size_t gpu_model_blocks_at_once(unsigned threads, size_t shared)
{
    const struct gpu_model *model = gpu_model();

    return (size_t)model->multiprocessors * gpu_model_occupancy(model, threads, shared);
}

/* ---- CUDA's calls; cudaSetDevice also checks a number for the others ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return error_set(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

/* A device is no peer of its own (H200, CUDA 13.0), and there is no other. */
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    return cudaSetDevice(peer) ? cudaErrorInvalidDevice : error_set(cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return cudaSetDevice(peer) ? cudaErrorInvalidDevice : error_set(cudaErrorPeerAccessNotEnabled);
}

/* The properties of the GPU that SIMT_DEVICE names, but with this computer's memory. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    const struct gpu_model *model = gpu_model();

    if (cudaSetDevice(device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    *prop = (struct cudaDeviceProp){.totalGlobalMem = memory_mapping.size};
    snprintf(prop->name, sizeof prop->name, model->title ? "CPU backend (%s)" : "CPU backend",
             model->title);
#define SET(name, number, member, value) prop->member = value;
    SIMT_ATTRIBUTES(SET)
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    const struct gpu_model *model = gpu_model();

    if (cudaSetDevice(device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    if ((unsigned)attr > cudaDevAttrReservedSharedMemoryPerBlock)
        return error_set(cudaErrorInvalidValue);
    switch (attr) {
#define GET(name, number, member, has)                                                             \
    case cudaDevAttr##name: *value = has; break;
        SIMT_ATTRIBUTES(GET)
    default: *value = 0;
    }
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
