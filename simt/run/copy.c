/* CUDA's runtime API: copies between host and device, and fills. */
#include "run/error.h"
#include "run/memory.h"
#include "run/observer.h"
#include "run/check.h"
#include "run/stream.h"
#include "run/symbols.h"

#include <string.h>

/* ---- what is asked for, and when it is over ---- */

/* A call that copies or fills: its name and return address, for the observer. */
struct call {
    const char *name;
    const void *pc;
    cudaStream_t stream;
    bool async; /* it is one of those whose names end so */
};

#define CALL()             ((struct call){__func__, __builtin_return_address(0), NULL, false})
#define CALL_ASYNC(stream) ((struct call){__func__, __builtin_return_address(0), stream, true})

enum place { PAGEABLE, PINNED, MANAGED, DEVICE };

static enum place place_of(const void *ptr)
{
    const struct symbol *symbol = symbols_near(ptr) ? symbols_at(ptr) : NULL;
    enum memory_kind kind = memory_kind_of(ptr);

    if (symbol)
        return symbol->managed ? MANAGED : DEVICE;
    if (kind == MEMORY_NONE)
        return registered_shadow(ptr) ? PINNED : PAGEABLE;
    return kind == MEMORY_PINNED ? PINNED : kind == MEMORY_MANAGED ? MANAGED : DEVICE;
}

/* Has the copy been made when the call returns? As the runtime's reference has it, "API
 * synchronization behavior", also in its older editions where they promise more. */
static bool copy_waits(bool async, enum place to, enum place from)
{
    bool to_host = to <= PINNED, from_host = from <= PINNED;

    if (to == MANAGED || from == MANAGED || (to_host && from_host))
        return true;
    if (!async)
        return to_host || from_host;
    return to == PAGEABLE;
}

static void mark_written(struct area to)
{
    for (size_t y = 0; y < to.height; y++)
        memory_written(to.at + y * to.pitch, to.width);
}

/* What is in flight when the call returns the observer is told. */
static void end_transfer(const struct transfer *transfer, bool waits)
{
    if (waits)
        async_wait();
    else
        OBSERVE(transfer, transfer);
}

static void do_copy(const struct call *call, unsigned stream, struct area to, struct area from)
{
    struct transfer transfer = {.call = call->name, .pc = call->pc, .to = to, .from = from};

    async_use(stream, 0);
    for (size_t y = 0; y < to.height; y++)
        memmove(to.at + y * to.pitch, from.at + y * from.pitch, to.width);
    mark_written(to);
    memory_copied(from.at, from.width * from.height);
    end_transfer(&transfer, copy_waits(call->async, place_of(to.at), place_of(from.at)));
}

static void do_fill(const struct call *call, unsigned stream, struct area to, int byte)
{
    enum place place = place_of(to.at);
    struct transfer transfer = {.call = call->name, .pc = call->pc, .to = to, .fills = true};

    async_use(stream, 0);
    for (size_t y = 0; y < to.height; y++)
        memset(to.at + y * to.pitch, byte, to.width);
    mark_written(to);
    end_transfer(&transfer, !call->async && (place == PINNED || place == MANAGED));
}

static struct area line(const void *ptr, size_t size)
{
    return (struct area){(char *)ptr, size, size, 1};
}

/* Copies that leave the host's array end with it, those of rows with the last whole one. */
static void keep_to_array(const struct call *call, struct area *area, bool written)
{
    size_t size = (area->height - 1) * area->pitch + area->width;
    size_t most = check_host_bytes(call->pc, area->at, size, written);

    if (most == size)
        return;
    if (area->height == 1)
        area->width = most;
    else
        area->height = most < area->width ? 0 : (most - area->width) / area->pitch + 1;
}

static cudaError_t check_rows(const struct call *call, struct area *to, struct area *from,
                              enum cudaMemcpyKind kind)
{
    for (size_t y = 0; y < to->height; y++) {
        struct copy_call row = {call->pc, to->at + y * to->pitch, from->at + y * from->pitch,
                                to->width, kind};
        cudaError_t error = check_copy(row);
        if (error != cudaSuccess)
            return error;
    }
    keep_to_array(call, to, true);
    from->width = to->width, from->height = to->height;
    if (to->height > 0)
        keep_to_array(call, from, false);
    to->width = from->width, to->height = from->height;
    return cudaSuccess;
}

static cudaError_t copy(struct call call, struct area to, struct area from,
                        enum cudaMemcpyKind kind)
{
    unsigned stream;

    if (!stream_number(call.stream, &stream))
        return error_set(cudaErrorInvalidResourceHandle);
    if (to.width == 0 || to.height == 0)
        return cudaSuccess;
    cudaError_t error = check_rows(&call, &to, &from, kind);
    if (error != cudaSuccess)
        return error_set(error);
    do_copy(&call, stream, to, from);
    return cudaSuccess;
}

static cudaError_t fill(struct call call, struct area to, int byte)
{
    unsigned stream;

    if (!stream_number(call.stream, &stream))
        return error_set(cudaErrorInvalidResourceHandle);
    if (to.width == 0 || to.height == 0)
        return cudaSuccess;
    cudaError_t error = check_fill(call.pc, to.at, (to.height - 1) * to.pitch + to.width);
    if (error != cudaSuccess)
        return error_set(error);
    do_fill(&call, stream, to, byte);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return copy(CALL(), line(to, size), line(from, size), kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy(CALL_ASYNC(stream), line(to, size), line(from, size), kind);
}

static cudaError_t copy_peer(struct call call, void *to, int to_device, const void *from,
                             int from_device, size_t size)
{
    if (to_device != 0 || from_device != 0)
        return error_set(cudaErrorInvalidDevice);
    return copy(call, line(to, size), line(from, size), cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    return copy_peer(CALL(), to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t size, cudaStream_t stream)
{
    return copy_peer(CALL_ASYNC(stream), to, to_device, from, from_device, size);
}

cudaError_t cudaMemset(void *ptr, int byte, size_t size)
{
    return fill(CALL(), line(ptr, size), byte);
}

cudaError_t cudaMemsetAsync(void *ptr, int byte, size_t size, cudaStream_t stream)
{
    return fill(CALL_ASYNC(stream), line(ptr, size), byte);
}

/* ---- rows, pitch bytes apart ---- */

cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(ptr, *pitch * height);
}

static cudaError_t copy_rows(struct call call, struct area to, struct area from,
                             enum cudaMemcpyKind kind)
{
    if (to.width > to.pitch || to.width > from.pitch)
        return error_set(cudaErrorInvalidPitchValue);
    return copy(call, to, from, kind);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows(CALL(), (struct area){to, to_pitch, width, height},
                     (struct area){(char *)from, from_pitch, width, height}, kind);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy_rows(CALL_ASYNC(stream), (struct area){to, to_pitch, width, height},
                     (struct area){(char *)from, from_pitch, width, height}, kind);
}

static cudaError_t fill_rows(struct call call, struct area to, int byte)
{
    return to.width > to.pitch ? error_set(cudaErrorInvalidPitchValue) : fill(call, to, byte);
}

cudaError_t cudaMemset2D(void *ptr, size_t pitch, int byte, size_t width, size_t height)
{
    return fill_rows(CALL(), (struct area){ptr, pitch, width, height}, byte);
}

cudaError_t cudaMemset2DAsync(void *ptr, size_t pitch, int byte, size_t width, size_t height,
                              cudaStream_t stream)
{
    return fill_rows(CALL_ASYNC(stream), (struct area){ptr, pitch, width, height}, byte);
}

/* ---- whose memory it is ---- */

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    static const enum cudaMemoryType types[] = {[PAGEABLE] = cudaMemoryTypeUnregistered,
                                                [PINNED] = cudaMemoryTypeHost,
                                                [MANAGED] = cudaMemoryTypeManaged,
                                                [DEVICE] = cudaMemoryTypeDevice};
    enum place place = place_of(ptr);
    bool known = place != DEVICE || symbols_near(ptr) || memory_is_allocated(ptr, 1);

    if (!attributes)
        return error_set(cudaErrorInvalidValue);
    enum cudaMemoryType type = known ? types[place] : cudaMemoryTypeUnregistered;
    bool on_device = type != cudaMemoryTypeUnregistered, on_host = type != cudaMemoryTypeDevice;
    *attributes = (struct cudaPointerAttributes){.type = type,
                                                 .device = on_device ? 0 : cudaInvalidDeviceId,
                                                 .devicePointer = on_device ? (void *)ptr : NULL,
                                                 .hostPointer = on_host ? (void *)ptr : NULL};
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
    unsigned number;

    if (!stream_number(stream, &number))
        return error_set(cudaErrorInvalidResourceHandle);
    return device < cudaCpuDeviceId || device > 0 ? error_set(cudaErrorInvalidDevice)
                                                  : check_managed(ptr, size);
}

cudaError_t cudaMemAdvise(const void *ptr, size_t size, enum cudaMemoryAdvise advice, int device)
{
    (void)advice, (void)device;
    return check_managed(ptr, size);
}

/* ---- __device__ and __constant__ variables ---- */

/* The other side is the host's, or the device's own memory. */
static cudaError_t copy_symbol(struct call call, struct copy_call sides, const void *symbol,
                               size_t offset, bool to_symbol)
{
    unsigned stream;

    if (!stream_number(call.stream, &stream))
        return error_set(cudaErrorInvalidResourceHandle);
    cudaError_t error = check_symbol(&sides, symbol, offset, to_symbol);
    if (error != cudaSuccess)
        return error_set(error);
    if (sides.size > 0)
        do_copy(&call, stream, line(sides.to, sides.size), line(sides.from, sides.size));
    if (to_symbol)
        symbols_set(symbols_at(symbol));
    return cudaSuccess;
}

static cudaError_t copy_to_symbol(struct call call, const void *symbol, const void *from,
                                  size_t size, size_t offset, enum cudaMemcpyKind kind)
{
    struct copy_call sides = {call.pc, (char *)symbol + offset, from, size, kind};

    return copy_symbol(call, sides, symbol, offset, true);
}

static cudaError_t copy_from_symbol(struct call call, void *to, const void *symbol, size_t size,
                                    size_t offset, enum cudaMemcpyKind kind)
{
    struct copy_call sides = {call.pc, to, (const char *)symbol + offset, size, kind};

    return copy_symbol(call, sides, symbol, offset, false);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return copy_to_symbol(CALL(), symbol, from, size, offset, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_to_symbol(CALL_ASYNC(stream), symbol, from, size, offset, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return copy_from_symbol(CALL(), to, symbol, size, offset, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_from_symbol(CALL_ASYNC(stream), to, symbol, size, offset, kind);
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
