/* memcpy_async: copies to shared memory that threads have begun, and that are there only when these
 * have waited (cooperative_groups/memcpy_async.h). */
#ifndef SIMT_COPIES_H
#define SIMT_COPIES_H

#include <stddef.h>
#include <stdint.h>

/* Of `size` bytes. batch: how many memcpy_async the thread had called before. */
struct copy {
    void *to;
    const void *from, *pc; /* pc: the return address of the call */
    unsigned thread, batch;
    uint8_t size;
};

/* Those of a block. */
struct copies {
    struct copy *copy;
    size_t count, room;
};

#endif
