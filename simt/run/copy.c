/* CUDA's runtime API: copies between host and device, and fills. */
#include "run/stream.h"
#include "run/error.h"
#include "run/memory.h"
#include "run/observer.h"
#include "run/symbols.h"

#include <string.h>

/* A call that copies or fills: its name and return address, for the observer. */
struct call {
    const char *name;
    const void *pc;
    cudaStream_t stream;
    bool async;      /* it is one of those whose names end so */
    unsigned number; /* of the stream */
};

#define CALL               ((struct call){__func__, __builtin_return_address(0), NULL, false, 0})
#define CALL_ASYNC(stream) ((struct call){__func__, __builtin_return_address(0), stream, true, 0})

/* Has the copy, or fill, been made when the call returns? As the runtime's reference has it, "API
 * synchronization behavior", also in its older editions where they promise more. */
static bool waits(const struct transfer *transfer, bool async)
{
    enum memory_kind to = memory_at(transfer->to.at).kind;
    enum memory_kind from = memory_at(transfer->from.at).kind;
    bool to_host = to <= MEMORY_PINNED, from_host = from <= MEMORY_PINNED;

    if (transfer->fills)
        return !async && (to == MEMORY_PINNED || to == MEMORY_MANAGED);
    if (to == MEMORY_MANAGED || from == MEMORY_MANAGED || (to_host && from_host))
        return true;
    return async ? to == MEMORY_NONE : to_host || from_host;
}

/* Copies or, without `from`, fills by this byte. What is in flight when the call returns the
 * observer is told. */
static void make(const struct call *call, struct area to, struct area from, int byte)
{
    struct transfer transfer = {call->name, call->pc, to, from, .fills = !from.at};

    async_use(call->number, 0);
    for (size_t y = 0; y < to.height; y++) {
        if (transfer.fills)
            memset(to.at + y * to.pitch, byte, to.width);
        else
            memmove(to.at + y * to.pitch, from.at + y * from.pitch, to.width);
        memory_written(to.at + y * to.pitch, to.width);
    }
    memory_copied(from.at, from.width * from.height);
    if (waits(&transfer, call->async))
        async_wait();
    else
        OBSERVE(transfer, &transfer);
}

static struct area line(const void *ptr, size_t size)
{
    return (struct area){(char *)ptr, size, size, 1};
}

static cudaError_t copy(struct call call, struct area to, struct area from,
                        enum cudaMemcpyKind kind)
{
    if (to.width > to.pitch || to.width > from.pitch)
        return error_set(cudaErrorInvalidPitchValue);
    if (!stream_number(call.stream, &call.number))
        return error_set(cudaErrorInvalidResourceHandle);
    if (to.width == 0 || to.height == 0)
        return cudaSuccess;
    cudaError_t error = check_copy(call.pc, &to, &from, kind);
    if (error == cudaSuccess)
        make(&call, to, from, 0);
    return error_set(error);
}

static cudaError_t fill(struct call call, struct area to, int byte)
{
    if (to.width > to.pitch)
        return error_set(cudaErrorInvalidPitchValue);
    if (!stream_number(call.stream, &call.number))
        return error_set(cudaErrorInvalidResourceHandle);
    if (to.width == 0 || to.height == 0)
        return cudaSuccess;
    cudaError_t error = check_fill(call.pc, &to);
    if (error == cudaSuccess)
        make(&call, to, (struct area){NULL}, byte);
    return error_set(error);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return copy(CALL, line(to, size), line(from, size), kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy(CALL_ASYNC(stream), line(to, size), line(from, size), kind);
}

cudaError_t cudaMemset(void *ptr, int byte, size_t size)
{
    return fill(CALL, line(ptr, size), byte);
}

cudaError_t cudaMemsetAsync(void *ptr, int byte, size_t size, cudaStream_t stream)
{
    return fill(CALL_ASYNC(stream), line(ptr, size), byte);
}

/* ---- rows, pitch bytes apart ---- */

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy(CALL, (struct area){to, to_pitch, width, height},
                (struct area){(char *)from, from_pitch, width, height}, kind);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy(CALL_ASYNC(stream), (struct area){to, to_pitch, width, height},
                (struct area){(char *)from, from_pitch, width, height}, kind);
}

cudaError_t cudaMemset2D(void *ptr, size_t pitch, int byte, size_t width, size_t height)
{
    return fill(CALL, (struct area){ptr, pitch, width, height}, byte);
}

cudaError_t cudaMemset2DAsync(void *ptr, size_t pitch, int byte, size_t width, size_t height,
                              cudaStream_t stream)
{
    return fill(CALL_ASYNC(stream), (struct area){ptr, pitch, width, height}, byte);
}

/* ---- __device__ and __constant__ variables ---- */

/* The other side is the host's, or the device's own memory. */
static cudaError_t copy_symbol(struct call call, const void *symbol, size_t offset, const void *ptr,
                               size_t size, enum cudaMemcpyKind kind, bool to_symbol)
{
    struct area own = line((const char *)symbol + offset, size), other = line(ptr, size);
    cudaError_t error = cudaErrorInvalidResourceHandle;

    if (stream_number(call.stream, &call.number))
        error = check_symbol(call.pc, &own, &other, symbol, kind, to_symbol);
    if (error != cudaSuccess)
        return error_set(error);
    if (own.width > 0)
        make(&call, to_symbol ? own : other, to_symbol ? other : own, 0);
    if (to_symbol)
        symbols_set(symbols_at(symbol));
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return copy_symbol(CALL, symbol, offset, from, size, kind, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(CALL_ASYNC(stream), symbol, offset, from, size, kind, true);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return copy_symbol(CALL, symbol, offset, to, size, kind, false);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(CALL_ASYNC(stream), symbol, offset, to, size, kind, false);
}

cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol)
{
    if (!memory_at(symbol).symbol)
        return error_set(cudaErrorInvalidSymbol);
    symbols_at(symbol)->asked = true;
    symbols_set(symbols_at(symbol));
    *ptr = (void *)symbol;
    return cudaSuccess;
}
