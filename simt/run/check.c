/* Looks at the pointers of copies and fills, and says what is wrong with them. */
#include "run/check.h"
#include "run/error.h"
#include "run/memory.h"
#include "run/observer.h"
#include "run/symbols.h"
#include "simt_device.h"

#include <stdint.h>

/* ---- the host's arrays, as far as the compiler sees their size at a call ---- */

static _Thread_local struct {
    uintptr_t begin;
    size_t size;
} seen[2];

void simt_host_sides(const void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
    seen[0].begin = (uintptr_t)to;
    seen[0].size = to_bytes == SIZE_MAX ? 0 : to_bytes;
    seen[1].begin = (uintptr_t)from;
    seen[1].size = from_bytes == SIZE_MAX ? 0 : from_bytes;
}

/* How many bytes there are from the address on in the host's array that it lies in; SIZE_MAX: that
 * is not known. */
static size_t host_bytes_from(const void *ptr)
{
    uintptr_t address = (uintptr_t)ptr;

    for (int i = 0; i < 2; i++)
        if (address - seen[i].begin < seen[i].size)
            return seen[i].begin + seen[i].size - address;
    return SIZE_MAX;
}

/* Is all of [ptr, ptr + size) device memory, from cudaMalloc or a __device__ variable's? Of these
 * the host has the address when it has asked for it. */
static bool is_device_range(const void *ptr, size_t size)
{
    const struct symbol *symbol = symbols_near(ptr) ? symbols_at(ptr) : NULL;

    if (symbol)
        return (symbol->asked || symbol->managed) && symbol_holds(symbol, ptr, size);
    return memory_is_allocated(ptr, size);
}

/* Is it the host's own address of a __device__ variable? Then that is told, as an argument of
 * `what`.
 */
static bool is_hosts_symbol(const void *ptr, const char *what, struct complaint where)
{
    const struct symbol *symbol = symbols_near(ptr) ? symbols_at(ptr) : NULL;

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

/* May [ptr, ptr + size) be the device's side (or the host's)? Managed memory is both. */
static bool fits_side(const void *ptr, size_t size, bool device)
{
    if (device)
        return is_device_range(ptr, size);
    return ptr &&
           (!memory_is_device(ptr) || (memory_is_allocated(ptr, size) && memory_is_managed(ptr)));
}

/* ---- why it does not fit: `side` is the side's name ---- */

static void refuse_size(const void *pc, const char *side, const void *ptr, size_t size)
{
    const struct complaint refusal = {.kind = FINDING_REFUSED_COPY, .pc = pc};
    const struct symbol *symbol = symbols_near(ptr) ? symbols_at(ptr) : NULL;
    uintptr_t begin, end;

    if (symbol)
        error_refuse(refusal, "%zu bytes are asked for; %s, a variable of %zu bytes, has %zu.",
                     size, symbol->name, symbol->size,
                     (size_t)(symbol->begin + symbol->size - (uintptr_t)ptr));
    else if (memory_allocation(ptr, &begin, &end))
        error_refuse(refusal,
                     "%zu bytes are asked for; the %s, an allocation of %zu bytes,\n"
                     "  has %zu from there on.",
                     size, side, (size_t)(end - begin), (size_t)(end - (uintptr_t)ptr));
}

static void refuse_pointer(const void *pc, const char *side, const void *ptr, bool device)
{
    struct complaint refusal = {.kind = FINDING_REFUSED_POINTER, .pc = pc};
    struct memory_freed freed;
    char where[160];

    if (!ptr) {
        error_refuse(refusal, "The %s is a null pointer.", side);
    } else if (memory_freed(ptr, &freed)) {
        refusal.freed = freed.freed;
        error_refuse(refusal, "The %s lies %zu bytes into freed memory of %zu bytes", side,
                     freed.start, freed.size);
    } else if (fits_side(ptr, 1, !device)) {
        error_refuse(refusal, "The %s is %s memory; it must be %s memory.", side,
                     device ? "host" : "device", device ? "device" : "host");
    } else {
        memory_describe(ptr, where, sizeof where);
        error_refuse(refusal, "The %s is in no allocation. %s", side, where);
    }
}

static cudaError_t check_side(const void *pc, const char *side, const void *ptr, size_t size,
                              bool device)
{
    if (fits_side(ptr, size, device))
        return cudaSuccess;
    if (fits_side(ptr, 1, device))
        refuse_size(pc, side, ptr, size);
    else
        refuse_pointer(pc, side, ptr, device);
    return cudaErrorInvalidValue;
}

/* ---- copies ---- */

static bool goes_to_device(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

static bool comes_from_device(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

/* The direction that the pointers themselves tell. */
static enum cudaMemcpyKind direction_of(const void *to, const void *from)
{
    bool to_device = is_device_range(to, 1), from_device = is_device_range(from, 1);

    return to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                     : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
}

/* Would both sides fit, in another direction? Then that is what is wrong. */
static bool refuse_direction(const struct copy_call *call)
{
    static const char *const names[] = {"HostToHost", "HostToDevice", "DeviceToHost",
                                        "DeviceToDevice"};
    static const char *const memory[] = {"host", "device"};
    bool to_device = goes_to_device(call->kind), from_device = comes_from_device(call->kind);
    bool to_fits = fits_side(call->to, 1, to_device);
    bool from_fits = fits_side(call->from, 1, from_device);
    bool to_is = to_device == to_fits, from_is = from_device == from_fits;

    if ((to_fits && from_fits) || !fits_side(call->to, 1, to_is) ||
        !fits_side(call->from, 1, from_is))
        return false;
    error_refuse((struct complaint){.kind = FINDING_DIRECTION, .pc = call->pc},
                 "It says cudaMemcpy%s; but the destination is %s memory,\n"
                 "  the source %s memory: that is cudaMemcpy%s.",
                 names[call->kind], memory[to_is], memory[from_is], names[2 * from_is + to_is]);
    return true;
}

size_t check_host_bytes(const void *pc, const void *ptr, size_t size, bool written)
{
    size_t most;

    if (memory_is_device(ptr) || symbols_near(ptr) || (most = host_bytes_from(ptr)) >= size)
        return size;
    observer_complain((struct complaint){.kind = FINDING_HOST_OVERRUN, .pc = pc},
                      "%zu bytes are %s an array of the host,\n  which has %zu from there on.",
                      size, written ? "written to" : "read from", most);
    return most;
}

cudaError_t check_copy(struct copy_call call)
{
    if ((unsigned)call.kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (call.kind == cudaMemcpyDefault)
        call.kind = direction_of(call.to, call.from);
    const struct complaint here = {.pc = call.pc};
    if (is_hosts_symbol(call.to, "cudaMemcpy", here) ||
        is_hosts_symbol(call.from, "cudaMemcpy", here) || refuse_direction(&call))
        return cudaErrorInvalidValue;
    cudaError_t error =
        check_side(call.pc, "destination", call.to, call.size, goes_to_device(call.kind));
    if (error == cudaSuccess)
        error = check_side(call.pc, "source", call.from, call.size, comes_from_device(call.kind));
    return error;
}

cudaError_t check_fill(const void *pc, const void *to, size_t size)
{
    if (is_hosts_symbol(to, "cudaMemset", (struct complaint){.pc = pc}))
        return cudaErrorInvalidValue;
    return check_side(pc, "destination", to, size, true);
}

/* offset: of the bytes in the variable, which may be the host's name for another one's */
static cudaError_t check_range(const struct copy_call *call, const struct symbol *symbol,
                               size_t offset)
{
    if (offset <= symbol->size && call->size <= symbol->size - offset)
        return cudaSuccess;
    error_refuse((struct complaint){.kind = FINDING_REFUSED_COPY, .pc = call->pc},
                 "%zu bytes from byte %zu on are asked for; %s has %zu.", call->size, offset,
                 symbol->name, symbol->size);
    return cudaErrorInvalidValue;
}

cudaError_t check_symbol(struct copy_call *call, const void *symbol, size_t offset, bool to_symbol)
{
    enum cudaMemcpyKind kind = call->kind,
                        host = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const void *other = to_symbol ? call->from : call->to;

    if (kind != host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!memory_is_symbol(symbol, 1))
        return cudaErrorInvalidSymbol;
    cudaError_t error = check_range(call, symbols_at(symbol), offset);
    if (error != cudaSuccess || call->size == 0)
        return error;
    bool device = kind == cudaMemcpyDefault ? is_device_range(other, 1) : kind != host;
    error = check_side(call->pc, to_symbol ? "source" : "destination", other, call->size, device);
    if (error == cudaSuccess)
        call->size = check_host_bytes(call->pc, other, call->size, !to_symbol);
    return error;
}
