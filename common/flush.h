/* Empties the L2 cache of what a benchmark left in it. */
#ifndef FLUSH_H
#define FLUSH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct flush {
    unsigned *buffer; /* device memory; its first word is where the kernel would write */
    size_t words;
};

/* A buffer of four times the L2, so that reading it leaves nothing else behind. Errors end the
 * program as CHECK does. */
struct flush flush_new(size_t l2_bytes);
void flush_free(struct flush *flush);

/* Enqueues a kernel on the default stream that reads the buffer. It reads, because a memset would
 * leave changed lines in the cache, which are written to memory while the next kernel is timed
 * (measured on an H200: 25 % at 2^24 elements). */
void flush_enqueue(const struct flush *flush);

#ifdef __cplusplus
}
#endif
#endif
