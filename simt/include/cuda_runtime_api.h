/* CUDA's runtime API and vector types as the CPU backend has them, with CUDA's names, arguments,
 * sizes and error numbers, so that one source serves both.
 *
 * The device is this computer: its memory is a mapping of host memory, and a kernel runs to its end
 * within its launch, so streams and events need not do anything to keep their order.
 * Source: CUDA Runtime API reference. */
#pragma once

#include <stddef.h>
#include <stdlib.h>

#define SIMT           1 /* the CPU backend compiles this */
#define CUDART_VERSION 13000
/* NVIDIA's samples (helper_cuda.h) ask whether these are defined. */
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__

/* ---- vector types and dim3. Source: CUDA C++ Programming Guide, "Built-in Vector Types" ---- */

/* SIMT_VECTORS(int, int, 4) defines int1 … int4. All but the 3-vectors are aligned to their size,
 * 16 bytes at most, so that a GPU moves them in one access. */
#define SIMT_VECTORS(name, type, size)                                                             \
    typedef struct {                                                                               \
        type x;                                                                                    \
    } name##1;                                                                                     \
    typedef struct __attribute__((aligned(2 * (size)))) {                                          \
        type x, y;                                                                                 \
    } name##2;                                                                                     \
    typedef struct {                                                                               \
        type x, y, z;                                                                              \
    } name##3;                                                                                     \
    typedef struct __attribute__((aligned((size) < 4 ? 4 * (size) : 16))) {                        \
        type x, y, z, w;                                                                           \
    } name##4

/* of(name, type, size) for each of the types. */
#define SIMT_EACH_VECTOR(of)                                                                       \
    of(char, signed char, 1);                                                                      \
    of(uchar, unsigned char, 1);                                                                   \
    of(short, short, 2);                                                                           \
    of(ushort, unsigned short, 2);                                                                 \
    of(int, int, 4);                                                                               \
    of(uint, unsigned, 4);                                                                         \
    of(long, long, 8);                                                                             \
    of(ulong, unsigned long, 8);                                                                   \
    of(longlong, long long, 8);                                                                    \
    of(ulonglong, unsigned long long, 8);                                                          \
    of(float, float, 4);                                                                           \
    of(double, double, 8)

SIMT_EACH_VECTOR(SIMT_VECTORS);

/* Since CUDA 13: four numbers of 8 bytes, aligned to 16 and to 32. */
#define SIMT_LARGE_VECTOR(name, type, bytes)                                                       \
    typedef struct __attribute__((aligned(bytes))) {                                               \
        type x, y, z, w;                                                                           \
    } name##4_##bytes##a;
#define SIMT_EACH_LARGE_VECTOR(of, bytes)                                                          \
    of(long, long, bytes) of(ulong, unsigned long, bytes) of(longlong, long long, bytes)           \
        of(ulonglong, unsigned long long, bytes) of(double, double, bytes)

SIMT_EACH_LARGE_VECTOR(SIMT_LARGE_VECTOR, 16)
SIMT_EACH_LARGE_VECTOR(SIMT_LARGE_VECTOR, 32)

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

/* ---- the API ---- */

#ifdef __cplusplus
extern "C" {
#define SIMT_DEFAULT(value) = value
#else
#define SIMT_DEFAULT(value)
#endif

/* ERROR(name, number, text) for each error but cudaSuccess. */
#define SIMT_ERRORS(ERROR)                                                                         \
    ERROR(InvalidValue, 1, "invalid argument")                                                     \
    ERROR(MemoryAllocation, 2, "out of memory")                                                    \
    ERROR(InitializationError, 3, "initialization error")                                          \
    ERROR(InvalidConfiguration, 9, "invalid configuration argument")                               \
    ERROR(InvalidPitchValue, 12, "invalid pitch argument")                                         \
    ERROR(InvalidSymbol, 13, "invalid device symbol")                                              \
    ERROR(InvalidDevicePointer, 17, "invalid device pointer")                                      \
    ERROR(InvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                         \
    ERROR(InvalidDeviceFunction, 98, "invalid device function")                                    \
    ERROR(NoDevice, 100, "no CUDA-capable device is detected")                                     \
    ERROR(InvalidDevice, 101, "invalid device ordinal")                                            \
    ERROR(ECCUncorrectable, 214, "uncorrectable ECC error encountered")                            \
    ERROR(PeerAccessUnsupported, 217, "peer access is not supported between these two devices")    \
    ERROR(InvalidResourceHandle, 400, "invalid resource handle")                                   \
    ERROR(NotReady, 600, "device not ready")                                                       \
    ERROR(IllegalAddress, 700, "an illegal memory access was encountered")                         \
    ERROR(LaunchOutOfResources, 701, "too many resources requested for launch")                    \
    ERROR(LaunchTimeout, 702, "the launch timed out and was terminated")                           \
    ERROR(PeerAccessAlreadyEnabled, 704, "peer access is already enabled")                         \
    ERROR(PeerAccessNotEnabled, 705, "peer access has not been enabled")                           \
    ERROR(Assert, 710, "device-side assert triggered")                                             \
    ERROR(HostMemoryAlreadyRegistered, 712,                                                        \
          "part or all of the requested memory range is already mapped")                           \
    ERROR(HostMemoryNotRegistered, 713,                                                            \
          "pointer does not correspond to a registered memory region")                             \
    ERROR(IllegalInstruction, 715, "an illegal instruction was encountered")                       \
    ERROR(MisalignedAddress, 716, "misaligned address")                                            \
    ERROR(LaunchFailure, 719, "unspecified launch failure")                                        \
    ERROR(CooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                 \
    ERROR(NotSupported, 801, "operation not supported")                                            \
    ERROR(Unknown, 999, "unknown error")

typedef enum cudaError {
    cudaSuccess = 0,
#define SIMT_ERROR(name, number, text) cudaError##name = number,
    SIMT_ERRORS(SIMT_ERROR)
} cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

/* HAS(attribute, its number, its member of cudaDeviceProp, its value) for each attribute that has a
 * name here; run/gpu_model.c computes the value from its `model`. All others are 0. */
#define SIMT_ATTRIBUTES(HAS)                                                                       \
    HAS(MaxThreadsPerBlock, 1, maxThreadsPerBlock, GPU_THREADS_PER_BLOCK)                          \
    HAS(MaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor, model->threads)              \
    HAS(MaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor, model->blocks)                \
    HAS(MaxBlockDimX, 2, maxThreadsDim[0], 1024)                                                   \
    HAS(MaxBlockDimY, 3, maxThreadsDim[1], 1024)                                                   \
    HAS(MaxBlockDimZ, 4, maxThreadsDim[2], 64)                                                     \
    HAS(MaxGridDimX, 5, maxGridSize[0], 0x7fffffff)                                                \
    HAS(MaxGridDimY, 6, maxGridSize[1], 65535)                                                     \
    HAS(MaxGridDimZ, 7, maxGridSize[2], 65535)                                                     \
    HAS(MaxSharedMemoryPerBlock, 8, sharedMemPerBlock, GPU_SHARED_PER_BLOCK)                       \
    HAS(MaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin, model->shared_block_kib * 1024)  \
    HAS(MaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor,                          \
        model->shared_kib * 1024)                                                                  \
    HAS(ReservedSharedMemoryPerBlock, 111, reservedSharedMemPerBlock,                              \
        (model->shared_kib - model->shared_block_kib) * 1024)                                      \
    HAS(TotalConstantMemory, 9, totalConstMem, 64 * 1024)                                          \
    HAS(MaxRegistersPerBlock, 12, regsPerBlock, GPU_REGISTERS)                                     \
    HAS(MaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor, GPU_REGISTERS)                   \
    HAS(WarpSize, 10, warpSize, 32)                                                                \
    HAS(MultiProcessorCount, 16, multiProcessorCount, model->multiprocessors)                      \
    HAS(ComputeCapabilityMajor, 75, major, model->major)                                           \
    HAS(ComputeCapabilityMinor, 76, minor, model->minor)                                           \
    HAS(L2CacheSize, 38, l2CacheSize, model->l2_kib * 1024)                                        \
    HAS(ClockRate, 13, clockRate, model->clock_mhz * 1000)                                         \
    HAS(MemoryClockRate, 36, memoryClockRate, model->memory_mhz * 1000)                            \
    HAS(GlobalMemoryBusWidth, 37, memoryBusWidth, model->bus_bits)                                 \
    HAS(MaxPitch, 11, memPitch, 0x7fffffff)                                                        \
    HAS(ConcurrentKernels, 31, concurrentKernels, 1)                                               \
    HAS(GpuOverlap, 15, deviceOverlap, 1)                                                          \
    HAS(AsyncEngineCount, 40, asyncEngineCount, 2)                                                 \
    HAS(UnifiedAddressing, 41, unifiedAddressing, 1)                                               \
    HAS(ManagedMemory, 83, managedMemory, 1)                                                       \
    HAS(ConcurrentManagedAccess, 89, concurrentManagedAccess, 1)                                   \
    HAS(CanMapHostMemory, 19, canMapHostMemory, 1)                                                 \
    HAS(HostRegisterSupported, 99, hostRegisterSupported, 1)                                       \
    HAS(CooperativeLaunch, 95, cooperativeLaunch, 1)                                               \
    HAS(StreamPrioritiesSupported, 78, streamPrioritiesSupported, 1)                               \
    HAS(Integrated, 18, integrated, 1)                                                             \
    HAS(ComputeMode, 20, computeMode, 0)                                                           \
    HAS(HostNativeAtomicSupported, 86, hostNativeAtomicSupported, 0)

enum cudaDeviceAttr {
#define SIMT_ATTRIBUTE(name, number, member, value) cudaDevAttr##name = number,
    SIMT_ATTRIBUTES(SIMT_ATTRIBUTE)
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
};

enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};

enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte
};

enum cudaComputeMode {
    cudaComputeModeDefault,
    cudaComputeModeExclusive,
    cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess
};

enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };
enum {
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4,
    cudaDeviceBlockingSync = 4,
    cudaDeviceMapHost = 8
};

/* Textures (there are none) are 0; clocks and bus, too, unless SIMT_DEVICE names a GPU. */
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    size_t reservedSharedMemPerBlock;
    size_t totalConstMem;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
    int maxThreadsDim[3], maxGridSize[3];
    int maxBlocksPerMultiProcessor, multiProcessorCount;
    int major, minor, isMultiGpuBoard, multiGpuBoardGroupID;
    int l2CacheSize, memoryBusWidth;
    int concurrentKernels, asyncEngineCount, unifiedAddressing, managedMemory, cooperativeLaunch;
    size_t memPitch, textureAlignment, texturePitchAlignment, surfaceAlignment;
    int integrated, ECCEnabled, clockRate, memoryClockRate, deviceOverlap, canMapHostMemory;
    int computeMode, kernelExecTimeoutEnabled, tccDriver, pciBusID, pciDeviceID, pciDomainID;
    int regsPerMultiprocessor, concurrentManagedAccess, pageableMemoryAccess, hostRegisterSupported;
    int maxTexture1D, maxTexture2D[2], maxTexture3D[3], maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int streamPrioritiesSupported, hostNativeAtomicSupported, computePreemptionSupported;
    int memoryPoolsSupported, clusterLaunch, persistingL2CacheMaxSize;
};

typedef struct simt_stream *cudaStream_t;
typedef struct simt_event *cudaEvent_t;

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
#define cudaStreamLegacy    ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4
};
enum { cudaHostRegisterDefault, cudaHostRegisterPortable, cudaHostRegisterMapped };
enum { cudaMemAttachGlobal = 1 };
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1, cudaMemLocationTypeHost = 2 };
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer; /* NULL: that side cannot use it */
};

/* Each call returns its error. Each host thread keeps the last one of its calls and launches. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

/* Devices. There is one, number 0. */
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDriverGetVersion(int *version);

/* Memory. Sizes in bytes. Device memory is aligned to 512 bytes. */
cudaError_t cudaMalloc(void **ptr, size_t size);
cudaError_t cudaFree(void *ptr);
cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream);
cudaError_t cudaMallocManaged(void **ptr, size_t size, unsigned flags SIMT_DEFAULT(1));
cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned flags);
cudaError_t cudaFreeHost(void *ptr);
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags);
cudaError_t cudaHostUnregister(void *ptr);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
/* Launches have two attributes: cooperative, all blocks run at once, so that they may wait for each
 * other; and programmatic, the launch may begin while the one before still runs. */
typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
} cudaLaunchAttributeID;
typedef union {
    char pad[64];
    int cooperative, programmaticStreamSerializationAllowed;
} cudaLaunchAttributeValue;
typedef struct {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaMemset(void *ptr, int byte, size_t size);
cudaError_t cudaMemsetAsync(void *ptr, int byte, size_t size, cudaStream_t stream SIMT_DEFAULT(0));
/* Rows of `width` bytes that begin `pitch` bytes apart. cudaMallocPitch chooses a pitch. */
cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaMemset2D(void *ptr, size_t pitch, int byte, size_t width, size_t height);
cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol);

/* Streams and events. An event holds this computer's time, which says nothing about a GPU's. */
#define CUDART_CB
typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags SIMT_DEFAULT(0));
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

/* Kernels. */
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attr, int value);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared);

#ifdef __cplusplus
}
#endif
