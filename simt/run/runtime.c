/* CUDA's runtime API for the CPU backend: errors, the device, streams and events. */
#define _GNU_SOURCE
#include "run/runtime.h"
#include "judge/finding.h"
#include "watch/observe.h"
#include "simt_device.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- errors ---- */

static _Thread_local cudaError_t last_error = cudaSuccess;

/* The last error that was thrown away and that nobody has asked for since, of any host thread. */
static struct {
    cudaError_t error;
    struct simt_site site; /* kernel "" unless it was a launch */
} unseen;

cudaError_t runtime_error(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

void simt_discard(const struct simt_site *site, cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    unseen.error = error;
    unseen.site = *site;
}

cudaError_t cudaPeekAtLastError(void)
{
    unseen.error = cudaSuccess;
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

void runtime_check_last_error(void)
{
    if (unseen.error == cudaSuccess || !observe_settings()->checks)
        return;
    struct launch launch = {.site = unseen.site};
    struct finding finding = {.kind = FINDING_UNSEEN_ERROR, .launch = &launch};
    snprintf(finding.detail, sizeof finding.detail, "%s: %s (%s).",
             unseen.site.kernel[0] ? "The launch failed and ran nothing" : "The call failed",
             cudaGetErrorString(unseen.error), cudaGetErrorName(unseen.error));
    finding_add(&finding);
}

static const struct error_text {
    cudaError_t error;
    const char *name, *text;
} error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

static const struct error_text *find_text(cudaError_t error)
{
    for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
        if (error_texts[i].error == error)
            return &error_texts[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const struct error_text *text = find_text(error);
    return text ? text->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const struct error_text *text = find_text(error);
    return text ? text->text : "unrecognized error code";
}

/* ---- the device ---- */

static cudaError_t check_device(int device)
{
    return runtime_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
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

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    if (check_device(device) != cudaSuccess)
        return cudaErrorInvalidDevice;
    *prop = (struct cudaDeviceProp){
        .name = "CPU backend",
        .totalGlobalMem = memory_capacity(),
        .sharedMemPerBlock = DEVICE_SHARED_PER_BLOCK,
        .sharedMemPerBlockOptin = DEVICE_SHARED_OPTIN,
        .sharedMemPerMultiprocessor = DEVICE_SHARED_OPTIN,
        .totalConstMem = 64 * 1024,
        .regsPerBlock = 64 * 1024,
        .warpSize = 32,
        .maxThreadsPerBlock = DEVICE_THREADS_PER_BLOCK,
        .maxThreadsPerMultiProcessor = DEVICE_THREADS_PER_MULTIPROCESSOR,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {0x7fffffff, 65535, 65535},
        .maxBlocksPerMultiProcessor = DEVICE_BLOCKS_PER_MULTIPROCESSOR,
        .multiProcessorCount = DEVICE_MULTIPROCESSORS,
        .major = DEVICE_MAJOR,
        .minor = DEVICE_MINOR,
        .l2CacheSize = DEVICE_L2_BYTES,
        .concurrentKernels = 1,
        .unifiedAddressing = 1,
        .managedMemory = 1,
        .integrated = 1,
    };
    return cudaSuccess;
}

/* Clocks and bus width are 0: the device has none, and a bandwidth made of them would be a lie. */
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
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)prop.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = prop.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
    case cudaDevAttrGlobalMemoryBusWidth:
    case cudaDevAttrCooperativeLaunch: *value = 0; break;
    default: return runtime_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

/* Everything has ended when its call returned: there is nothing to wait for. */
cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    return cudaSuccess;
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

static size_t shared_limit = DEVICE_SHARED_PER_BLOCK;

size_t runtime_shared_limit(void)
{
    return shared_limit;
}

/* CUDA raises the limit for one kernel; here it rises for all, which forbids nothing allowed. */
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attr, int value)
{
    (void)kernel;
    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || value > DEVICE_SHARED_OPTIN)
        return runtime_error(cudaErrorInvalidValue);
    if ((size_t)value > shared_limit)
        shared_limit = (size_t)value;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared)
{
    (void)kernel;
    if (threads < 1 || threads > DEVICE_THREADS_PER_BLOCK)
        return runtime_error(cudaErrorInvalidValue);
    int rounded = (threads + 31) / 32 * 32;
    *blocks = DEVICE_THREADS_PER_MULTIPROCESSOR / rounded;
    if (*blocks > DEVICE_BLOCKS_PER_MULTIPROCESSOR)
        *blocks = DEVICE_BLOCKS_PER_MULTIPROCESSOR;
    if (shared > 0 && DEVICE_SHARED_OPTIN / shared < (size_t)*blocks)
        *blocks = (int)(DEVICE_SHARED_OPTIN / shared);
    return cudaSuccess;
}

/* ---- streams and events ---- */

struct simt_stream {
    unsigned flags;
};

struct simt_event {
    bool recorded;
    struct timespec time;
};

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    *stream = malloc(sizeof **stream);
    if (!*stream)
        return runtime_error(cudaErrorMemoryAllocation);
    (*stream)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (!stream)
        return runtime_error(cudaErrorInvalidResourceHandle);
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream, (void)flags;
    return runtime_error(event ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return runtime_error(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!event)
        return runtime_error(cudaErrorInvalidResourceHandle);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    if (!event)
        return runtime_error(cudaErrorInvalidResourceHandle);
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->recorded = true;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return runtime_error(event ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!start || !end || !start->recorded || !end->recorded)
        return runtime_error(cudaErrorInvalidResourceHandle);
    double seconds = (double)(end->time.tv_sec - start->time.tv_sec);
    double nanoseconds = (double)(end->time.tv_nsec - start->time.tv_nsec);
    *ms = (float)(1e3 * seconds + 1e-6 * nanoseconds);
    return cudaSuccess;
}
