/* The host's own memory: what it frees, and its arrays, as far as the compiler knows their size at
 * a call. */
#include "run/host.h"
#include "run/end.h"
#include "run/lane.h"
#include "run/memory.h"
#include "run/observer.h"

#include "simt_device.h"

#include <stdlib.h>

/* ---- who frees ---- */

/* The device's memory? Then the observer is told. */
static bool is_stray(void *ptr, const void *pc)
{
    if (simt_current_lane) /* by a virtual destructor: simtcc refuses the others */
        end_not_judged("a kernel deletes, and the CPU backend has no heap of the device");
    else if (memory_is_device(ptr))
        simt_observer.stray_free(pc);
    return simt_current_lane || memory_is_device(ptr);
}

/* operator delete of the C++ library, or of the program. */
void _ZdlPv(void *ptr) __attribute__((weak));
void _ZdaPv(void *ptr) __attribute__((weak));

void simt_free(void *ptr)
{
    if (!is_stray(ptr, __builtin_return_address(0)))
        free(ptr);
}

void simt_delete(void *ptr)
{
    if (!is_stray(ptr, __builtin_return_address(0)))
        _ZdlPv(ptr);
}

void simt_delete_array(void *ptr)
{
    if (!is_stray(ptr, __builtin_return_address(0)))
        _ZdaPv(ptr);
}

/* ---- what the compiler sees at a call ---- */

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

size_t host_bytes_from(const void *ptr)
{
    uintptr_t address = (uintptr_t)ptr;

    for (int i = 0; i < 2; i++)
        if (address - seen[i].begin < seen[i].size)
            return seen[i].begin + seen[i].size - address;
    return SIZE_MAX;
}
