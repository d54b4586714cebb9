/* memset, memcpy and memmove as files that simtcc compiles call them: watched, like the accesses
 * that they stand for. */
#include "run/observer.h"

#include <string.h>

void *simt_memset(void *to, int byte, size_t size)
{
    simt_observer.range(to, size, true, __builtin_return_address(0));
    return memset(to, byte, size);
}

void *simt_memmove(void *to, const void *from, size_t size)
{
    simt_observer.range(from, size, false, __builtin_return_address(0));
    simt_observer.range(to, size, true, __builtin_return_address(0));
    return memmove(to, from, size);
}
