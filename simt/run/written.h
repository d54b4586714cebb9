/* A bit for each byte of device memory: has it been written since it was allocated?
 *
 * The checks ask. The runtime's calls set the bits, and so do kernels' stores where they are
 * judged. Bytes are numbered from the begin of the mapping (memory.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64 bits each. Memory is committed when it is first used. */
extern uint64_t *written_bits;

/* Sets the bits of these bytes in an array like written_bits. */
void written_mark(uint64_t *bits, size_t byte, size_t size);

/* Are all of these bytes written? size > 0. */
static inline bool written_all(const uint64_t *bits, size_t byte, size_t size)
{
    size_t first = byte / 64, last = (byte + size - 1) / 64;
    uint64_t from = ~(uint64_t)0 << byte % 64, to = ~(uint64_t)0 >> (63 - (byte + size - 1) % 64);

    if (first == last)
        return (~bits[first] & from & to) == 0;
    uint64_t missing = ~bits[first] & from;
    for (size_t i = first + 1; i < last; i++)
        missing |= ~bits[i];
    return (missing | (~bits[last] & to)) == 0;
}

/* The number of these bytes that were never written, in runs of at least `least` bytes. *first: the
 * index of the first of them. */
size_t written_missing(size_t byte, size_t size, size_t least, size_t *first);
