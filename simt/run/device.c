/* CUDA's runtime API: the device. */
#include "run/stream.h"
#include "run/error.h"
#include "run/memory.h"
#include "run/facts.h"

#include <stdio.h>

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

/* What a device has: attribute, member of its properties, value. All others are 0. */
#define ALL(HAS)                                                                                   \
    HAS(MaxThreadsPerBlock, maxThreadsPerBlock, DEVICE_THREADS_PER_BLOCK)                          \
    HAS(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor, facts->threads)                  \
    HAS(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor, facts->blocks)                     \
    HAS(MaxBlockDimX, maxThreadsDim[0], 1024)                                                      \
    HAS(MaxBlockDimY, maxThreadsDim[1], 1024)                                                      \
    HAS(MaxBlockDimZ, maxThreadsDim[2], 64)                                                        \
    HAS(MaxGridDimX, maxGridSize[0], 0x7fffffff)                                                   \
    HAS(MaxGridDimY, maxGridSize[1], 65535)                                                        \
    HAS(MaxGridDimZ, maxGridSize[2], 65535)                                                        \
    HAS(MaxSharedMemoryPerBlock, sharedMemPerBlock, DEVICE_SHARED_PER_BLOCK)                       \
    HAS(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin, facts->shared_block_kib * 1024)      \
    HAS(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor, facts->shared_kib * 1024)    \
    HAS(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock,                                   \
        (facts->shared_kib - facts->shared_block_kib) * 1024)                                      \
    HAS(TotalConstantMemory, totalConstMem, 64 * 1024)                                             \
    HAS(MaxRegistersPerBlock, regsPerBlock, DEVICE_REGISTERS)                                      \
    HAS(MaxRegistersPerMultiprocessor, regsPerMultiprocessor, DEVICE_REGISTERS)                    \
    HAS(WarpSize, warpSize, 32)                                                                    \
    HAS(MultiProcessorCount, multiProcessorCount, facts->multiprocessors)                          \
    HAS(ComputeCapabilityMajor, major, facts->major)                                               \
    HAS(ComputeCapabilityMinor, minor, facts->minor)                                               \
    HAS(L2CacheSize, l2CacheSize, facts->l2_kib * 1024)                                            \
    HAS(ClockRate, clockRate, facts->clock_mhz * 1000)                                             \
    HAS(MemoryClockRate, memoryClockRate, facts->memory_mhz * 1000)                                \
    HAS(GlobalMemoryBusWidth, memoryBusWidth, facts->bus_bits)                                     \
    HAS(MaxPitch, memPitch, 0x7fffffff)                                                            \
    HAS(ConcurrentKernels, concurrentKernels, 1)                                                   \
    HAS(UnifiedAddressing, unifiedAddressing, 1)                                                   \
    HAS(ManagedMemory, managedMemory, 1)                                                           \
    HAS(ConcurrentManagedAccess, concurrentManagedAccess, 1)                                       \
    HAS(CanMapHostMemory, canMapHostMemory, 1)                                                     \
    HAS(CooperativeLaunch, cooperativeLaunch, 1)                                                   \
    HAS(StreamPrioritiesSupported, streamPrioritiesSupported, 1)                                   \
    HAS(Integrated, integrated, 1)

/* As much of a GPU as SIMT_DEVICE names; the memory is this computer's. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    const struct device_facts *facts = device_facts();

    if (check_device(device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    *prop = (struct cudaDeviceProp){.totalGlobalMem = memory_mapping.size};
    snprintf(prop->name, sizeof prop->name, facts->title ? "CPU backend (%s)" : "CPU backend",
             facts->title);
#define SET(attribute, member, has) prop->member = has;
    ALL(SET)
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    const struct device_facts *facts = device_facts();

    if (check_device(device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    if ((unsigned)attr > cudaDevAttrReservedSharedMemoryPerBlock)
        return error_set(cudaErrorInvalidValue);
    switch (attr) {
#define GET(attribute, member, has)                                                                \
    case cudaDevAttr##attribute: *value = has; break;
        ALL(GET)
    default: *value = 0;
    }
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
