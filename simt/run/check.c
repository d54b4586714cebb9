/* Looks at the pointers of copies and fills, and says what is wrong with them. */
#include "run/stream.h"
#include "run/error.h"
#include "run/memory.h"
#include "run/observer.h"
#include "run/symbols.h"
#include "simt_device.h"

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

/* Is it the host's own address of a __device__ variable? Then that is told, as an argument of
 * `what`.
 */
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

/* May [ptr, ptr + size) be the device's side (or the host's)? Managed memory is both. Of a variable
 * the host has the device's address when it has asked for it. */
static bool fits_side(const void *ptr, size_t size, bool device)
{
    struct memory memory = memory_at(ptr);
    bool fits = memory_holds(&memory, ptr, size);

    if (device)
        return fits && (!memory.symbol || memory.symbol->asked || memory.symbol->managed);
    return ptr && (!memory_is_device(ptr) || (fits && memory.kind != MEMORY_DEVICE));
}

/* ---- why it does not fit: `side` is the side's name ---- */

static void refuse_size(const void *pc, const char *side, const void *ptr, size_t size)
{
    const struct complaint refusal = {.kind = FINDING_REFUSED_COPY, .pc = pc};
    struct memory memory = memory_at(ptr);
    size_t left = memory.begin + memory.size - (uintptr_t)ptr;

    if (memory.symbol)
        error_refuse(refusal, "%zu bytes are asked for; %s, a variable of %zu bytes, has %zu.",
                     size, memory.symbol->name, memory.size, left);
    else
        error_refuse(refusal,
                     "%zu bytes are asked for; the %s, an allocation of %zu bytes,\n"
                     "  has %zu from there on.",
                     size, side, memory.size, left);
}

static void refuse_pointer(const void *pc, const char *side, const void *ptr, bool device)
{
    struct memory memory = memory_at(ptr);
    struct complaint refusal = {.kind = FINDING_REFUSED_POINTER, .pc = pc, .freed = memory.freed};
    char where[160];

    if (!ptr) {
        error_refuse(refusal, "The %s is a null pointer.", side);
    } else if (memory.freed) {
        error_refuse(refusal, "The %s lies %zu bytes into freed memory of %zu bytes", side,
                     (size_t)((uintptr_t)ptr - memory.begin), memory.size);
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

static size_t size_of(const struct area *area)
{
    return (area->height - 1) * area->pitch + area->width;
}

/* Two bits of a direction: is this side the device's? */
static bool goes_to_device(enum cudaMemcpyKind kind)
{
    return kind & cudaMemcpyHostToDevice;
}

static bool comes_from_device(enum cudaMemcpyKind kind)
{
    return kind & cudaMemcpyDeviceToHost;
}

static enum cudaMemcpyKind direction(bool to_device, bool from_device)
{
    return (enum cudaMemcpyKind)((to_device ? cudaMemcpyHostToDevice : 0) |
                                 (from_device ? cudaMemcpyDeviceToHost : 0));
}

/* Would both sides fit, in another direction? Then that is what is wrong. */
static bool refuse_direction(const void *pc, const void *to, const void *from,
                             enum cudaMemcpyKind kind)
{
    static const char *const names[] = {"HostToHost", "HostToDevice", "DeviceToHost",
                                        "DeviceToDevice"};
    static const char *const memory[] = {"host", "device"};
    bool to_is = goes_to_device(kind) == fits_side(to, 1, goes_to_device(kind));
    bool from_is = comes_from_device(kind) == fits_side(from, 1, comes_from_device(kind));

    if (direction(to_is, from_is) == kind || !fits_side(to, 1, to_is) ||
        !fits_side(from, 1, from_is))
        return false;
    error_refuse((struct complaint){.kind = FINDING_DIRECTION, .pc = pc},
                 "It says cudaMemcpy%s; but the destination is %s memory,\n"
                 "  the source %s memory: that is cudaMemcpy%s.",
                 names[kind], memory[to_is], memory[from_is], names[direction(to_is, from_is)]);
    return true;
}

/* What leaves a host array is told, and ends with it; of rows, with the last whole one. */
static void keep_to_array(const void *pc, struct area *area, bool written)
{
    size_t most, size = size_of(area);

    if (area->height == 0 || memory_is_device(area->at) || symbols_near(area->at) ||
        (most = host_bytes_from(area->at)) >= size)
        return;
    observer_complain((struct complaint){.kind = FINDING_HOST_OVERRUN, .pc = pc},
                      "%zu bytes are %s an array of the host,\n  which has %zu from there on.",
                      size, written ? "written to" : "read from", most);
    if (area->height == 1)
        area->width = most;
    else
        area->height = most < area->width ? 0 : (most - area->width) / area->pitch + 1;
}

static void keep_to_arrays(const void *pc, struct area *to, struct area *from)
{
    keep_to_array(pc, to, true);
    from->width = to->width, from->height = to->height;
    keep_to_array(pc, from, false);
    to->width = from->width, to->height = from->height;
}

cudaError_t check_copy(const void *pc, struct area *to, struct area *from, enum cudaMemcpyKind kind)
{
    const struct complaint here = {.pc = pc};

    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (kind == cudaMemcpyDefault)
        kind = direction(fits_side(to->at, 1, true), fits_side(from->at, 1, true));
    if (is_hosts_symbol(to->at, "cudaMemcpy", here) ||
        is_hosts_symbol(from->at, "cudaMemcpy", here) ||
        refuse_direction(pc, to->at, from->at, kind))
        return cudaErrorInvalidValue;
    cudaError_t error = check_side(pc, "destination", to->at, size_of(to), goes_to_device(kind));
    if (error == cudaSuccess)
        error = check_side(pc, "source", from->at, size_of(from), comes_from_device(kind));
    if (error == cudaSuccess)
        keep_to_arrays(pc, to, from);
    return error;
}

cudaError_t check_fill(const void *pc, const struct area *to)
{
    if (is_hosts_symbol(to->at, "cudaMemset", (struct complaint){.pc = pc}))
        return cudaErrorInvalidValue;
    return check_side(pc, "destination", to->at, size_of(to), true);
}

cudaError_t check_symbol(const void *pc, struct area *own, struct area *other, const void *symbol,
                         enum cudaMemcpyKind kind, bool to_symbol)
{
    enum cudaMemcpyKind host = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const struct symbol *s = symbols_at(symbol);
    size_t offset = (size_t)(own->at - (const char *)symbol), size = own->width;

    if (kind != host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!memory_at(symbol).symbol)
        return cudaErrorInvalidSymbol;
    if (offset > s->size || size > s->size - offset) {
        error_refuse((struct complaint){.kind = FINDING_REFUSED_COPY, .pc = pc},
                     "%zu bytes from byte %zu on are asked for; %s has %zu.", size, offset, s->name,
                     s->size);
        return cudaErrorInvalidValue;
    }
    bool device = kind == cudaMemcpyDefault ? fits_side(other->at, 1, true) : kind != host;
    cudaError_t error =
        size == 0 ? cudaSuccess
                  : check_side(pc, to_symbol ? "source" : "destination", other->at, size, device);
    if (error == cudaSuccess)
        keep_to_array(pc, other, !to_symbol);
    own->width = other->width;
    return error;
}
