/* The harness's own kernels, on the default stream. Errors end the program as CHECK does. */
#ifndef KERNELS_H
#define KERNELS_H

#include "reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Empties the L2 cache of what a benchmark left in it. */
struct flush {
    unsigned *buffer; /* device memory; its first word is where the kernel would write */
    size_t words;
};

/* A buffer of four times the L2, so that reading it leaves nothing else behind. */
struct flush flush_new(size_t l2_bytes);
void flush_free(struct flush *flush);

/* Reads the buffer. It reads, because a memset would leave changed lines in the cache, which are
 * written to memory while the next kernel is timed (measured on an H200: 25 % at 2^24 elements). */
void flush_enqueue(const struct flush *flush);

/* Keeps the GPU busy for about a tenth of a millisecond and touches no memory: what the CPU
 * enqueues meanwhile then runs without a gap. */
void spin_enqueue(void);

/* Does nothing, in the shape of a reduction: the time below which none can be. */
reduce_fn empty_launch;

#ifdef __cplusplus
}
#endif
#endif
