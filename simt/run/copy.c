/* CUDA's runtime API: copies and fills, and the checks of their pointers. */
#include "run/runtime.h"
#include "run/memory.h"

#include <string.h>

/* The call of the function in which it stands. */
#define CALL(...) ((struct transfer){__func__, __builtin_return_address(0), __VA_ARGS__})

/* ---- the host's arrays whose size the compiler knows at a call ---- */

/* From the destination on, and from the source on; SIZE_MAX: it does not know. */
static _Thread_local size_t host_bytes[] = {SIZE_MAX, SIZE_MAX};

void simt_host_sides(size_t to, size_t from)
{
    host_bytes[0] = to;
    host_bytes[1] = from;
}

static size_t size_of(const struct area *area)
{
    return (area->height - 1) * area->pitch + area->width;
}

/* Complains of a copy beyond a host array's end, and shortens it; rows are not copied at all. */
static void keep_to_array(const void *pc, struct area *area, bool written)
{
    size_t most = host_bytes[written ? 0 : 1], size = size_of(area);

    if (memory_is_device(area->at) || symbols_near(area->at) || most >= size)
        return;
    observer_complain(COMPLAINT(HOST_OVERRUN, NULL, pc),
                      "%zu bytes are %s an array of the host, which has %zu from there on.", size,
                      written ? "written to" : "read from", most);
    area->width = area->height == 1 ? most : 0;
}

/* ---- is it the right side's memory? ---- */

/* Is it the host's own address of a __device__ variable? If so, complains that `what` gets it. */
static bool is_hosts_symbol(const void *ptr, const char *what, struct complaint where)
{
    const struct symbol *symbol = symbols_at(ptr);

    if (!symbol || symbol->asked || symbol->managed)
        return false;
    where.kind = FINDING_DEVICE_VARIABLE;
    observer_complain(where, "%s gets the host's address of %s, which is not the device's.", what,
                      symbol->name);
    return true;
}

void simt_argument(const struct simt_site *site, const void *ptr)
{
    is_hosts_symbol(ptr, "The kernel", (struct complaint){.site = *site});
}

/* Can [ptr, ptr + size) be copied as the device's memory, or as the host's? The runtime knows
 * memory that CUDA allocated, wherever it lies, and copies it as either (H200, CUDA 13.0). A
 * variable may be the device's side if the host has asked for its device address. */
static bool fits_side(const void *ptr, size_t size, bool device)
{
    struct memory memory = memory_at(ptr);
    bool fits = memory_holds(&memory, ptr, size);

    if (device)
        return fits && (!memory.symbol || memory.symbol->asked || memory.symbol->managed);
    return ptr && (!memory_is_device(ptr) || fits);
}

/* Does the area fit this side, destination or source? If not, keeps the reason. */
static cudaError_t check_side(const void *pc, const char *side, const struct area *area,
                              bool device)
{
    struct memory memory = memory_at(area->at);
    struct complaint refusal = {.kind = FINDING_REFUSED_POINTER, .pc = pc, .freed = memory.freed};
    const cudaError_t error = cudaErrorInvalidValue;
    size_t size = size_of(area), offset = (uintptr_t)area->at - memory.begin;

    if (fits_side(area->at, size, device))
        return cudaSuccess;
    if (fits_side(area->at, 1, device)) {
        refusal.kind = FINDING_REFUSED_COPY;
        return error_refuse(refusal, error,
                            "%zu bytes are asked for; the %s, an allocation of %zu bytes, "
                            "has %zu from there on.",
                            size, side, memory.size, memory.size - offset);
    }
    if (!area->at)
        return error_refuse(refusal, error, "The %s is a null pointer.", side);
    if (memory.freed)
        return error_refuse(refusal, error, "The %s lies %zu bytes into freed memory of %zu bytes",
                            side, offset, memory.size);
    if (fits_side(area->at, 1, !device))
        return error_refuse(refusal, error, "The %s is %s memory; it must be %s memory.", side,
                            device ? "host" : "device", device ? "device" : "host");
    return error_refuse(refusal, error, "The %s is in no allocation. %s", side,
                        memory_describe(area->at));
}

/* Does the memory lie on the device? Memory that both can use is where it is said to be. */
static bool on_device(const void *ptr, bool said)
{
    enum memory_kind kind = memory_at(ptr).kind;

    return kind == MEMORY_DEVICE || (kind != MEMORY_NONE && said);
}

/* Is the direction wrong? Then it is told. An error if one side is memory of the host alone, which
 * is said to be the device's. */
static cudaError_t check_direction(const void *pc, const void *to, const void *from, unsigned kind)
{
    static const char *const names[] = {"HostToHost", "HostToDevice", "DeviceToHost",
                                        "DeviceToDevice"};
    static const char *const memory[] = {"host", "device"};
    bool to_device = kind & cudaMemcpyHostToDevice, from_device = kind & cudaMemcpyDeviceToHost;
    bool to_is = on_device(to, to_device), from_is = on_device(from, from_device);
    bool refused = to_is < to_device || from_is < from_device;
    char told[160];

    if ((to_is == to_device && from_is == from_device) || !fits_side(to, 1, to_is) ||
        !fits_side(from, 1, from_is))
        return cudaSuccess;
    /* Pinned memory fits both sides, but is the host's */
    to_is &= memory_at(to).kind != MEMORY_PINNED, from_is &= memory_at(from).kind != MEMORY_PINNED;
    snprintf(told, sizeof told,
             "It says cudaMemcpy%s; but the destination is %s memory, "
             "the source %s memory: that is cudaMemcpy%s.",
             names[kind], memory[to_is], memory[from_is], names[to_is + 2 * from_is]);
    if (refused)
        return error_refuse(COMPLAINT(DIRECTION, NULL, pc), cudaErrorInvalidValue,
                            "%s CUDA refuses it and copies nothing.", told);
    observer_complain(COMPLAINT(DIRECTION, NULL, pc),
                      "%s It is copied all the same, which CUDA does not promise.", told);
    return cudaSuccess;
}

/* Do destination and source share bytes? A copy of rows onto themselves does not count. */
static bool overlap(const struct area *to, const struct area *from)
{
    ptrdiff_t between = to->at - from->at, rows = (ptrdiff_t)to->height;

    for (ptrdiff_t k = 1 - rows; k < rows && between && to->pitch == from->pitch; k++) {
        ptrdiff_t distance = between - k * (ptrdiff_t)to->pitch;
        if (distance < (ptrdiff_t)to->width && -distance < (ptrdiff_t)to->width)
            return memory_is_device(to->at);
    }
    return false;
}

/* Checks both sides of a copy or fill. Shortens them where they go beyond a host array. */
static cudaError_t check(struct transfer *t, unsigned kind)
{
    const char *name = t->fills ? "cudaMemset" : "cudaMemcpy";
    const struct complaint here = {.pc = t->pc};
    struct area *to = &t->to, *from = &t->from;
    cudaError_t error;

    if (kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (kind == cudaMemcpyDefault)
        kind = fits_side(to->at, 1, true) + 2u * fits_side(from->at, 1, true);
    if (is_hosts_symbol(to->at, name, here) || is_hosts_symbol(from->at, name, here))
        return cudaErrorInvalidValue;
    if (!t->fills && (error = check_direction(t->pc, to->at, from->at, kind)) != cudaSuccess)
        return error;
    error = check_side(t->pc, "destination", to, kind & cudaMemcpyHostToDevice);
    if (error != cudaSuccess || t->fills)
        return error;
    if ((error = check_side(t->pc, "source", from, kind & cudaMemcpyDeviceToHost)) != cudaSuccess)
        return error;
    if (overlap(to, from))
        observer_complain(COMPLAINT(OVERLAP, NULL, t->pc),
                          "The destination begins %zu bytes %s the source.",
                          (size_t)(to->at > from->at ? to->at - from->at : from->at - to->at),
                          to->at > from->at ? "behind" : "in front of");
    keep_to_array(t->pc, to, true);
    from->width = to->width;
    keep_to_array(t->pc, from, false);
    to->width = from->width;
    return cudaSuccess;
}

/* ---- copies and fills ---- */

/* Has the copy or fill been made when the call returns? Source: CUDA Runtime API, "API
 * synchronization behavior", and its older editions where these promise more. */
static bool waits(const struct transfer *t)
{
    enum memory_kind to = memory_at(t->to.at).kind, from = memory_at(t->from.at).kind;
    bool to_host = to <= MEMORY_PINNED, from_host = from <= MEMORY_PINNED;

    if (t->fills)
        return !t->async && (to == MEMORY_PINNED || to == MEMORY_MANAGED);
    if (to == MEMORY_MANAGED || from == MEMORY_MANAGED || (to_host && from_host))
        return true;
    return t->async ? to == MEMORY_NONE : to_host || from_host;
}

/* Makes the copy or fill. Tells the observer if it may still be in flight when the call returns. */
static void make(const struct transfer *t)
{
    struct area to = t->to, from = t->from;
    enum memory_kind to_kind = memory_at(to.at).kind, from_kind = memory_at(from.at).kind;

    for (size_t y = 0; y < to.height; y++) {
        if (!t->fills && to_kind != MEMORY_DEVICE)
            OBSERVE(copied, from.at + y * from.pitch, from.width, t->pc);
        if (t->fills)
            memset(to.at + y * to.pitch, t->byte, to.width);
        else
            memmove(to.at + y * to.pitch, from.at + y * from.pitch, to.width);
        if (to_kind == MEMORY_DEVICE && from_kind <= MEMORY_PINNED)
            simt_hand_over(to.at + y * to.pitch, to.width);
        else if (to_kind <= MEMORY_PINNED && from_kind == MEMORY_DEVICE)
            simt_take_back(to.at + y * to.pitch, to.width);
        memory_write(to.at + y * to.pitch, t->fills ? NULL : from.at + y * from.pitch, to.width);
    }
    if (!t->fills) {
        struct memory *source = memory_entry(from.at);
        if (source)
            source->copied += from.width * from.height;
        if (from_kind > MEMORY_PINNED && (to_kind <= MEMORY_PINNED || from.width < 1024))
            lane_so_far.taken += from.width * from.height;
    }
    if (waits(t))
        async_wait();
    else
        OBSERVE(transfer, t);
}

static cudaError_t copy(struct transfer t, enum cudaMemcpyKind kind)
{
    unsigned stream;

    if (t.fills)
        t.from = t.to;
    if (t.to.width > t.to.pitch || t.to.width > t.from.pitch)
        return error_set(cudaErrorInvalidPitchValue);
    if (!stream_number(t.stream, &stream))
        return error_set(cudaErrorInvalidResourceHandle);
    if (t.to.width == 0 || t.to.height == 0)
        return cudaSuccess;
    cudaError_t error = check(&t, (unsigned)kind);
    if (error == cudaSuccess) {
        async_use(stream, 0);
        make(&t);
    }
    return error_set(error);
}

static struct area line(const void *ptr, size_t size)
{
    return (struct area){(char *)ptr, size, size, 1};
}

static struct area rows(const void *ptr, size_t pitch, size_t width, size_t height)
{
    return (struct area){(char *)ptr, pitch, width, height};
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return copy(CALL(line(to, size), line(from, size)), kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy(CALL(line(to, size), line(from, size), .stream = stream, .async = true), kind);
}

cudaError_t cudaMemset(void *ptr, int byte, size_t size)
{
    return copy(CALL(line(ptr, size), .fills = true, .byte = byte), cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemsetAsync(void *ptr, int byte, size_t size, cudaStream_t stream)
{
    return copy(CALL(line(ptr, size), .fills = true, .byte = byte, .stream = stream, .async = true),
                cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy(CALL(rows(to, to_pitch, width, height), rows(from, from_pitch, width, height)),
                kind);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy(CALL(rows(to, to_pitch, width, height), rows(from, from_pitch, width, height),
                     .stream = stream, .async = true),
                kind);
}

cudaError_t cudaMemset2D(void *ptr, size_t pitch, int byte, size_t width, size_t height)
{
    return copy(CALL(rows(ptr, pitch, width, height), .fills = true, .byte = byte),
                cudaMemcpyDeviceToDevice);
}

/* ---- __device__ and __constant__ variables ---- */

/* The host names the variable by its own address; for this copy it counts as the device's. */
cudaError_t simt_copy_symbol(const char *name, const void *variable, const void *other, size_t size,
                             size_t offset, enum cudaMemcpyKind kind, bool to_symbol, bool async,
                             cudaStream_t stream)
{
    enum cudaMemcpyKind host = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    struct area own = line((const char *)variable + offset, size), others = line(other, size);
    struct transfer t = {.call = name,
                         .pc = __builtin_return_address(0),
                         .to = to_symbol ? own : others,
                         .from = to_symbol ? others : own,
                         .stream = stream,
                         .async = async};
    struct symbol *symbol = symbols_at(variable);

    if (kind != host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return error_set(cudaErrorInvalidMemcpyDirection);
    if (!symbol || !symbol_holds(symbol, variable, 1))
        return error_set(cudaErrorInvalidSymbol);
    if (!symbol_holds(symbol, own.at, size))
        return error_set(error_refuse(COMPLAINT(REFUSED_COPY, NULL, t.pc), cudaErrorInvalidValue,
                                      "%zu bytes from byte %zu on are asked for; %s has %zu.", size,
                                      offset, symbol->name, symbol->size));
    bool asked = symbol->asked;
    symbol->asked = true;
    cudaError_t error = copy(t, kind);
    symbol->asked = asked;
    if (error == cudaSuccess && to_symbol) /* parts that leave a gap are not followed */
        symbol->set = offset > symbol->set          ? symbol->size
                      : offset + size > symbol->set ? offset + size
                                                    : symbol->set;
    return error;
}

cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol)
{
    struct symbol *its = symbols_at(symbol);

    if (!its || !symbol_holds(its, symbol, 1))
        return error_set(cudaErrorInvalidSymbol);
    its->asked = true;
    its->set = its->size; /* it may get a value that nobody sees */
    *ptr = (void *)symbol;
    return cudaSuccess;
}
