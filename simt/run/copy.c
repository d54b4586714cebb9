/* CUDA's runtime API: copies between host and device, and fills. A copy with a stream has ended
 * when its call returned, too. */
#include "run/error.h"
#include "run/memory.h"
#include "run/observer.h"
#include "run/symbols.h"

#include <string.h>

/* Is all of [ptr, ptr + size) device memory, from cudaMalloc or a __device__ variable's? Of these
 * the host has the address when it has asked for it. What kernels allocate themselves CUDA's calls
 * do not know. */
static bool is_device_range(const void *ptr, size_t size)
{
    const struct symbol *symbol = symbols_near(ptr) ? symbols_at(ptr) : NULL;

    if (symbol)
        return (symbol->asked || symbol->managed) && symbol_holds(symbol, ptr, size);
    return memory_is_allocated(ptr, size) && memory_kind_of(ptr) != MEMORY_HEAP;
}

/* The __device__ variable that ptr is the host's own address of; NULL: of none. */
static const struct symbol *hosts_symbol(const void *ptr)
{
    const struct symbol *symbol = symbols_near(ptr) ? symbols_at(ptr) : NULL;

    return symbol && !symbol->asked && !symbol->managed ? symbol : NULL;
}

/* Then the observer is told of it, as an argument of `what`. */
static bool is_hosts_symbol(const void *ptr, const char *what, const void *pc)
{
    const struct symbol *symbol = hosts_symbol(ptr);

    if (symbol)
        simt_observer.symbol_address(symbol->name, what, pc, NULL);
    return symbol != NULL;
}

/* May [ptr, ptr + size) be the device's side (or the host's) of a copy? Managed memory is both. */
static bool fits_side(const void *ptr, size_t size, bool device)
{
    if (device)
        return is_device_range(ptr, size);
    return !memory_is_device(ptr) || (memory_is_allocated(ptr, size) && memory_is_managed(ptr));
}

/* Keeps why size bytes do not fit into what ptr, device memory, points to: the side of that name.
 */
static void refuse(const void *pc, const char *side, const void *ptr, size_t size)
{
    uintptr_t begin, end;

    if (memory_allocation(ptr, &begin, &end))
        error_refuse(pc,
                     "%zu bytes are asked for; the %s, an allocation of %zu bytes, has %zu from "
                     "there on.",
                     size, side, (size_t)(end - begin), (size_t)(end - (uintptr_t)ptr));
}

static bool check_side(const void *pc, const char *side, const void *ptr, size_t size, bool device)
{
    if (fits_side(ptr, size, device))
        return true;
    if (fits_side(ptr, 1, device)) /* only its size is wrong */
        refuse(pc, side, ptr, size);
    return false;
}

/* Tells the observer of bytes that a copy both reads and writes. */
static void look_for_overlap(const void *pc, const void *to, const void *from, size_t size)
{
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from, apart = a > b ? a - b : b - a;

    if (apart < size)
        simt_observer.overlap(size - apart, pc);
}

/* pc: the call's return address. */
static cudaError_t copy(const void *pc, void *to, const void *from, size_t size,
                        enum cudaMemcpyKind kind)
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
    if (is_hosts_symbol(to, "cudaMemcpy", pc) || is_hosts_symbol(from, "cudaMemcpy", pc))
        return error_set(cudaErrorInvalidValue);
    if (!to || !from || !check_side(pc, "destination", to, size, to_device) ||
        !check_side(pc, "source", from, size, from_device))
        return error_set(cudaErrorInvalidValue);
    look_for_overlap(pc, to, from, size);
    memmove(to, from, size);
    memory_written(to, size);
    return cudaSuccess;
}

static cudaError_t fill(const void *pc, void *ptr, int byte, size_t size)
{
    if (size == 0)
        return cudaSuccess;
    if (is_hosts_symbol(ptr, "cudaMemset", pc))
        return error_set(cudaErrorInvalidValue);
    if (!check_side(pc, "destination", ptr, size, true))
        return error_set(cudaErrorInvalidValue);
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
    const struct symbol *symbol = hosts_symbol(ptr);

    if (symbol)
        simt_observer.symbol_address(symbol->name, "The kernel", NULL, site);
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
    memory_written(to, size);
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol)
{
    if (!memory_is_symbol(symbol, 1))
        return error_set(cudaErrorInvalidSymbol);
    symbols_at(symbol)->asked = true;
    *ptr = (void *)symbol;
    return cudaSuccess;
}
