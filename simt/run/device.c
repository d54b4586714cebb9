/* CUDA's runtime API: the device. */
#include "run/stream.h"
#include "run/fiber.h"
#include "run/error.h"
#include "run/memory.h"
#include "run/facts.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static cudaError_t check_device(int device)
{
    return error_set(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return check_device(device);
}

/* As much of a GPU as SIMT_DEVICE names; the memory is this computer's. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    const struct device_facts *facts = device_facts();

    if (check_device(device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    *prop = (struct cudaDeviceProp){
        .totalGlobalMem = memory_mapping.size,
        .sharedMemPerBlock = DEVICE_SHARED_PER_BLOCK,
        .sharedMemPerBlockOptin = (size_t)facts->shared_block_kib * 1024,
        .sharedMemPerMultiprocessor = (size_t)facts->shared_kib * 1024,
        .reservedSharedMemPerBlock = (size_t)(facts->shared_kib - facts->shared_block_kib) * 1024,
        .totalConstMem = 64 * 1024,
        .regsPerBlock = DEVICE_REGISTERS,
        .warpSize = 32,
        .maxThreadsPerBlock = DEVICE_THREADS_PER_BLOCK,
        .maxThreadsPerMultiProcessor = facts->threads,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {0x7fffffff, 65535, 65535},
        .maxBlocksPerMultiProcessor = facts->blocks,
        .multiProcessorCount = facts->multiprocessors,
        .major = facts->major,
        .minor = facts->minor,
        .l2CacheSize = facts->l2_kib * 1024,
        .clockRate = facts->clock_mhz * 1000,
        .memoryClockRate = facts->memory_mhz * 1000,
        .memoryBusWidth = facts->bus_bits,
        .concurrentKernels = 1,
        .unifiedAddressing = 1,
        .managedMemory = 1,
        .cooperativeLaunch = 1,
        .integrated = 1,
        .concurrentManagedAccess = 1,
        .streamPrioritiesSupported = 1,
        .memPitch = 0x7fffffff,
        .textureAlignment = 512,
        .texturePitchAlignment = 32,
        .canMapHostMemory = 1,
        .hostRegisterSupported = 1,
        .regsPerMultiprocessor = DEVICE_REGISTERS,
    };
    snprintf(prop->name, sizeof prop->name, facts->title ? "CPU backend (%s)" : "CPU backend",
             facts->title);
    return cudaSuccess;
}

/* Where a device's properties have an attribute, and 1; all others are 0. What is a size_t there
 * has its low half first. */
#define AT(attribute, member)                                                                      \
    [cudaDevAttr##attribute] = 1 + (short)offsetof(struct cudaDeviceProp, member)
static const short attributes[] = {AT(MaxThreadsPerBlock, maxThreadsPerBlock),
                                   AT(MaxBlockDimX, maxThreadsDim[0]),
                                   AT(MaxBlockDimY, maxThreadsDim[1]),
                                   AT(MaxBlockDimZ, maxThreadsDim[2]),
                                   AT(MaxGridDimX, maxGridSize[0]),
                                   AT(MaxGridDimY, maxGridSize[1]),
                                   AT(MaxGridDimZ, maxGridSize[2]),
                                   AT(MaxSharedMemoryPerBlock, sharedMemPerBlock),
                                   AT(TotalConstantMemory, totalConstMem),
                                   AT(WarpSize, warpSize),
                                   AT(MaxRegistersPerBlock, regsPerBlock),
                                   AT(MultiProcessorCount, multiProcessorCount),
                                   AT(L2CacheSize, l2CacheSize),
                                   AT(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
                                   AT(ComputeCapabilityMajor, major),
                                   AT(ComputeCapabilityMinor, minor),
                                   AT(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
                                   AT(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
                                   AT(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
                                   AT(MaxPitch, memPitch),
                                   AT(Integrated, integrated),
                                   AT(ConcurrentKernels, concurrentKernels),
                                   AT(UnifiedAddressing, unifiedAddressing),
                                   AT(StreamPrioritiesSupported, streamPrioritiesSupported),
                                   AT(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
                                   AT(ConcurrentManagedAccess, concurrentManagedAccess),
                                   AT(CanMapHostMemory, canMapHostMemory),
                                   AT(ManagedMemory, managedMemory),
                                   AT(HostRegisterSupported, hostRegisterSupported),
                                   AT(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
                                   AT(ClockRate, clockRate),
                                   AT(MemoryClockRate, memoryClockRate),
                                   AT(GlobalMemoryBusWidth, memoryBusWidth),
                                   AT(CooperativeLaunch, cooperativeLaunch)};
#undef AT

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    struct cudaDeviceProp prop;

    if (cudaGetDeviceProperties(&prop, device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    if ((unsigned)attr >= sizeof attributes / sizeof *attributes)
        return error_set(cudaErrorInvalidValue);
    *value = 0;
    if (attributes[attr])
        memcpy(value, (const char *)&prop + attributes[attr] - 1, sizeof *value);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit which, size_t value)
{
    (void)value;
    return error_set((unsigned)which > cudaLimitPersistingL2CacheSize ? cudaErrorInvalidValue
                                                                      : cudaSuccess);
}

cudaError_t cudaDeviceSynchronize(void)
{
    async_wait();
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    async_wait();
    return cudaSuccess;
}

/* How the host waits, and whether it maps its memory, which it always does. */
cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    return cudaSuccess;
}

/* There is no second device to reach. */
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return check_device(device) == cudaSuccess ? check_device(peer) : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer, (void)flags;
    return error_set(cudaErrorInvalidDevice);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    (void)config;
    return cudaSuccess;
}
