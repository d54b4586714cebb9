/* CUDA's runtime API: the device, and what kernels may ask of it. */
#include "run/stream.h"
#include "run/fiber.h"
#include "run/error.h"
#include "run/limits.h"
#include "run/memory.h"
#include "run/facts.h"

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

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    struct cudaDeviceProp prop;

    if (cudaGetDeviceProperties(&prop, device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock: *value = prop.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = prop.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = prop.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = prop.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = prop.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = prop.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = prop.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)prop.sharedMemPerBlock; break;
    case cudaDevAttrTotalConstantMemory: *value = (int)prop.totalConstMem; break;
    case cudaDevAttrWarpSize: *value = prop.warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = prop.regsPerBlock; break;
    case cudaDevAttrMultiProcessorCount: *value = prop.multiProcessorCount; break;
    case cudaDevAttrL2CacheSize: *value = prop.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = prop.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = prop.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = prop.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)prop.sharedMemPerMultiprocessor;
        break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = (int)prop.reservedSharedMemPerBlock;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)prop.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxPitch: *value = (int)prop.memPitch; break;
    case cudaDevAttrKernelExecTimeout: *value = prop.kernelExecTimeoutEnabled; break;
    case cudaDevAttrIntegrated: *value = prop.integrated; break;
    case cudaDevAttrComputeMode: *value = prop.computeMode; break;
    case cudaDevAttrConcurrentKernels: *value = prop.concurrentKernels; break;
    case cudaDevAttrEccEnabled: *value = prop.ECCEnabled; break;
    case cudaDevAttrPciBusId: *value = prop.pciBusID; break;
    case cudaDevAttrPciDeviceId: *value = prop.pciDeviceID; break;
    case cudaDevAttrPciDomainId: *value = prop.pciDomainID; break;
    case cudaDevAttrAsyncEngineCount: *value = prop.asyncEngineCount; break;
    case cudaDevAttrUnifiedAddressing: *value = prop.unifiedAddressing; break;
    case cudaDevAttrStreamPrioritiesSupported: *value = prop.streamPrioritiesSupported; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = prop.regsPerMultiprocessor; break;
    case cudaDevAttrHostNativeAtomicSupported: *value = prop.hostNativeAtomicSupported; break;
    case cudaDevAttrConcurrentManagedAccess: *value = prop.concurrentManagedAccess; break;
    case cudaDevAttrComputePreemptionSupported: *value = prop.computePreemptionSupported; break;
    case cudaDevAttrCanMapHostMemory: *value = prop.canMapHostMemory; break;
    case cudaDevAttrManagedMemory: *value = prop.managedMemory; break;
    case cudaDevAttrPageableMemoryAccess: *value = prop.pageableMemoryAccess; break;
    case cudaDevAttrHostRegisterSupported: *value = prop.hostRegisterSupported; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = prop.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrClockRate: *value = prop.clockRate; break;
    case cudaDevAttrMemoryClockRate: *value = prop.memoryClockRate; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = prop.memoryBusWidth; break;
    case cudaDevAttrCooperativeLaunch: *value = prop.cooperativeLaunch; break;
    default: return error_set(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit which, size_t value)
{
    (void)value;
    return error_set((unsigned)which > cudaLimitPersistingL2CacheSize ? cudaErrorInvalidValue
                                                                      : cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit which)
{
    if (!value || (unsigned)which > cudaLimitPersistingL2CacheSize)
        return error_set(cudaErrorInvalidValue);
    *value = which == cudaLimitStackSize        ? FIBER_STACK_BYTES
             : which == cudaLimitPrintfFifoSize ? 1 << 20
                                                : 0;
    return cudaSuccess;
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
static unsigned device_flags;

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int room, int device)
{
    if (check_device(device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    if (!text || room < (int)sizeof "0000:00:00.0")
        return error_set(cudaErrorInvalidValue);
    strcpy(text, "0000:00:00.0");
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

/* ---- kernels ---- */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared)
{
    if (threads < 1 || threads > DEVICE_THREADS_PER_BLOCK)
        return error_set(cudaErrorInvalidValue);
    struct block_needs needs = limits_needs(kernel);
    needs.threads = (unsigned)threads;
    needs.shared += shared;
    *blocks = (int)occupancy_blocks(device_facts(), needs);
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    const struct device_facts *facts = device_facts();
    struct block_needs needs = limits_needs(kernel);
    int version = 10 * facts->major + facts->minor;

    *attributes = (struct cudaFuncAttributes){.sharedSizeBytes = needs.shared,
                                              .maxThreadsPerBlock = (int)limits_threads(kernel),
                                              .numRegs = (int)needs.registers,
                                              .ptxVersion = version,
                                              .binaryVersion = version,
                                              .maxDynamicSharedSizeBytes =
                                                  DEVICE_SHARED_PER_BLOCK - (int)needs.shared,
                                              .preferredShmemCarveout = -1};
    return cudaSuccess;
}

static enum cudaFuncCache cache_config;

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cache_config = config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = cache_config;
    return cudaSuccess;
}
