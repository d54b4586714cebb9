/* What stands for functions of the C library: those that free, that set and copy bytes, assert and
 * clock. */
#define _GNU_SOURCE
#include "run/end.h"
#include "run/lane.h"
#include "run/memory.h"
#include "run/observer.h"

#include "simt_device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* ---- clock and assert ---- */

/* The C library's, which kernels call, too: time passes without anybody doing anything. */
clock_t clock(void)
{
    struct timespec now;

    if (simt_current_lane)
        simt_current_lane->log.changes++;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        return -1;
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

/* What assert calls, here instead of in the C library. */
void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)
{
    struct lane *lane = simt_current_lane;

    if (lane)
        observer_fatal(&(struct fatal){.kind = FATAL_ASSERT,
                                       .block = lane->block,
                                       .lane = lane,
                                       .pc = __builtin_return_address(0),
                                       .condition = condition,
                                       .file = file,
                                       .line = (int)line});
    fflush(stdout);
    fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file,
            line, function, condition);
    abort();
}
