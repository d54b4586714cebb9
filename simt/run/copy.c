/* CUDA's runtime API: copies between host and device, and fills. A copy with a stream has ended
 * when its call returned, too. */
#include "run/error.h"
#include "run/memory.h"
#include "run/observer.h"
#include "run/sides.h"
#include "run/symbols.h"

#include <string.h>

/* pc: the call's return address. */
static cudaError_t copy(const void *pc, void *to, const void *from, size_t size,
                        enum cudaMemcpyKind kind)
{
    if (size == 0)
        return cudaSuccess;
    struct copy_call call = {pc, to, from, size, kind};
    cudaError_t error = sides_check_copy(&call);
    if (error != cudaSuccess)
        return error_set(error);
    memmove(to, from, call.size);
    memory_written(to, call.size);
    return cudaSuccess;
}

static cudaError_t fill(const void *pc, void *ptr, int byte, size_t size)
{
    if (size == 0)
        return cudaSuccess;
    cudaError_t error = sides_check_fill(pc, ptr, size);
    if (error != cudaSuccess)
        return error_set(error);
    memset(ptr, byte, size);
    memory_written(ptr, size);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return copy(__builtin_return_address(0), to, from, size, kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return copy(__builtin_return_address(0), to, from, size, kind);
}

static cudaError_t copy_peer(const void *pc, void *to, int to_device, const void *from,
                             int from_device, size_t size)
{
    if (to_device != 0 || from_device != 0)
        return error_set(cudaErrorInvalidDevice);
    return copy(pc, to, from, size, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    return copy_peer(__builtin_return_address(0), to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t size, cudaStream_t stream)
{
    (void)stream;
    return copy_peer(__builtin_return_address(0), to, to_device, from, from_device, size);
}

cudaError_t cudaMemset(void *ptr, int byte, size_t size)
{
    return fill(__builtin_return_address(0), ptr, byte, size);
}

cudaError_t cudaMemsetAsync(void *ptr, int byte, size_t size, cudaStream_t stream)
{
    (void)stream;
    return fill(__builtin_return_address(0), ptr, byte, size);
}

void simt_argument(const struct simt_site *site, const void *ptr)
{
    const char *name = sides_hosts_symbol(ptr);

    if (name)
        simt_observer.symbol_address(name, "The kernel", NULL, site);
}

/* ---- rows, pitch bytes apart ---- */

cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(ptr, *pitch * height);
}

static cudaError_t copy_rows(const void *pc, void *to, size_t to_pitch, const void *from,
                             size_t from_pitch, size_t width, size_t height,
                             enum cudaMemcpyKind kind)
{
    if (width > to_pitch || width > from_pitch)
        return error_set(cudaErrorInvalidPitchValue);
    for (size_t y = 0; y < height; y++) {
        cudaError_t error =
            copy(pc, (char *)to + y * to_pitch, (const char *)from + y * from_pitch, width, kind);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows(__builtin_return_address(0), to, to_pitch, from, from_pitch, width, height,
                     kind);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    (void)stream;
    return copy_rows(__builtin_return_address(0), to, to_pitch, from, from_pitch, width, height,
                     kind);
}

cudaError_t cudaMemset2D(void *ptr, size_t pitch, int byte, size_t width, size_t height)
{
    if (width > pitch)
        return error_set(cudaErrorInvalidPitchValue);
    for (size_t y = 0; y < height; y++) {
        cudaError_t error = fill(__builtin_return_address(0), (char *)ptr + y * pitch, byte, width);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

/* ---- managed memory: it is all in one place, and hints change nothing ---- */

static cudaError_t check_managed(const void *ptr, size_t size)
{
    bool managed = memory_is_allocated(ptr, size) && memory_is_managed(ptr);
    return error_set(managed ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t size, int device, cudaStream_t stream)
{
    (void)stream;
    return device < cudaCpuDeviceId || device > 0 ? error_set(cudaErrorInvalidDevice)
                                                  : check_managed(ptr, size);
}

cudaError_t cudaMemAdvise(const void *ptr, size_t size, enum cudaMemoryAdvise advice, int device)
{
    (void)advice, (void)device;
    return check_managed(ptr, size);
}

/* ---- __device__ and __constant__ variables ---- */

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    struct copy_call call = {__builtin_return_address(0), (char *)symbol + offset, from, size,
                             kind};
    cudaError_t error = sides_check_symbol(&call, symbol, offset, true);

    if (error != cudaSuccess)
        return error_set(error);
    memcpy(call.to, from, call.size);
    symbols_set(symbols_at(symbol));
    return cudaSuccess;
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    struct copy_call call = {__builtin_return_address(0), to, (const char *)symbol + offset, size,
                             kind};
    cudaError_t error = sides_check_symbol(&call, symbol, offset, false);

    if (error != cudaSuccess)
        return error_set(error);
    memcpy(to, call.from, call.size);
    memory_written(to, call.size);
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol)
{
    if (!memory_is_symbol(symbol, 1))
        return error_set(cudaErrorInvalidSymbol);
    symbols_at(symbol)->asked = true;
    symbols_set(symbols_at(symbol));
    *ptr = (void *)symbol;
    return cudaSuccess;
}
