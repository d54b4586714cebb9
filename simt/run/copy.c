/* CUDA's runtime API: copies between host and device, and fills. A copy with a stream has ended
 * when its call returned, too. */
#include "run/error.h"
#include "run/memory.h"

#include <string.h>

/* Is all of [ptr, ptr + size) device memory, from cudaMalloc or a __device__ variable's? What
 * kernels allocate themselves CUDA's calls do not know. */
static bool is_device_range(const void *ptr, size_t size)
{
    return (memory_is_allocated(ptr, size) && memory_kind_of(ptr) != MEMORY_HEAP) ||
           memory_is_symbol(ptr, size);
}

/* May [ptr, ptr + size) be the device's side (or the host's) of a copy? Managed memory is both. */
static bool fits_side(const void *ptr, size_t size, bool device)
{
    if (device)
        return is_device_range(ptr, size);
    return !memory_is_device(ptr) || (memory_is_allocated(ptr, size) && memory_is_managed(ptr));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;

    if (size == 0)
        return cudaSuccess;
    if ((unsigned)kind > cudaMemcpyDefault)
        return error_set(cudaErrorInvalidMemcpyDirection);
    if (kind == cudaMemcpyDefault) {
        to_device = is_device_range(to, 1);
        from_device = is_device_range(from, 1);
    }
    if (!to || !from || !fits_side(to, size, to_device) || !fits_side(from, size, from_device))
        return error_set(cudaErrorInvalidValue);
    memmove(to, from, size);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, size, kind);
}

cudaError_t cudaMemset(void *ptr, int byte, size_t size)
{
    if (size == 0)
        return cudaSuccess;
    if (!is_device_range(ptr, size))
        return error_set(cudaErrorInvalidValue);
    memset(ptr, byte, size);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *ptr, int byte, size_t size, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(ptr, byte, size);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    char *to = (char *)symbol + offset;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return error_set(cudaErrorInvalidMemcpyDirection);
    if (!memory_is_symbol(symbol, 1))
        return error_set(cudaErrorInvalidSymbol);
    if (!memory_is_symbol(to, size) || !fits_side(from, size, memory_is_device(from)))
        return error_set(cudaErrorInvalidValue);
    memcpy(to, from, size);
    return cudaSuccess;
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    const char *from = (const char *)symbol + offset;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return error_set(cudaErrorInvalidMemcpyDirection);
    if (!memory_is_symbol(symbol, 1))
        return error_set(cudaErrorInvalidSymbol);
    if (!memory_is_symbol(from, size) || !fits_side(to, size, memory_is_device(to)))
        return error_set(cudaErrorInvalidValue);
    memcpy(to, from, size);
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol)
{
    if (!memory_is_symbol(symbol, 1))
        return error_set(cudaErrorInvalidSymbol);
    *ptr = (void *)symbol;
    return cudaSuccess;
}
