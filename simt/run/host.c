/* What the host frees, and what sets and copies bytes. */
#include "run/end.h"
#include "run/lane.h"
#include "run/memory.h"
#include "run/observer.h"

#include "simt_device.h"

#include <stdlib.h>
#include <string.h>

/* ---- who frees ---- */

/* Is it the device's memory? */
static bool is_stray(void *ptr, const void *pc)
{
    if (simt_current_lane) /* by a virtual destructor: simtcc refuses the others */
        end_not_judged("a kernel deletes, and the CPU backend has no heap of the device");
    else if (memory_is_device(ptr))
        observer_complain((struct complaint){.kind = FINDING_WRONG_FREE, .pc = pc},
                          "The host frees memory of the device.");
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

/* ---- memset, memcpy, memmove and memcmp as files that simtcc compiles call them: watched, like
 * the accesses that they stand for ---- */

void *simt_memset(void *to, int byte, size_t size)
{
    OBSERVE(range, to, size, true, __builtin_return_address(0));
    return memset(to, byte, size);
}

void *simt_memmove(void *to, const void *from, size_t size)
{
    OBSERVE(range, from, size, false, __builtin_return_address(0));
    OBSERVE(range, to, size, true, __builtin_return_address(0));
    return memmove(to, from, size);
}

int simt_memcmp(const void *a, const void *b, size_t size)
{
    OBSERVE(range, a, size, false, __builtin_return_address(0));
    OBSERVE(range, b, size, false, __builtin_return_address(0));
    return memcmp(a, b, size);
}
