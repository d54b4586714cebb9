/* Which bytes of device memory somebody has written since they were allocated: a bit for each byte
 * of global memory (memory_word), committed where it is used. The checks ask; all set it: the
 * runtime's calls (memory_written), kernels' stores where they are judged.
 *
 * Bytes are numbered as words are: byte 4 * memory_word(address) + address % 4. */
#ifndef SIMT_WRITTEN_H
#define SIMT_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bits, 64 in each. NULL until written_begin was called. */
extern uint64_t *written_bits;

/* Maps bits for so many bytes, at the first call; ends the program when there is no address space.
 */
void written_begin(size_t bytes);

/* Marks bytes; were any of them unwritten? */
bool written_mark(size_t byte, size_t size);

/* An allocation begins there, which nobody has written. */
void written_forget(size_t byte, size_t size);

/* Are all of these bytes written? size > 0. */
static inline bool written_all(size_t byte, size_t size)
{
    size_t first = byte / 64, last = (byte + size - 1) / 64;
    uint64_t from = ~(uint64_t)0 << byte % 64, to = ~(uint64_t)0 >> (63 - (byte + size - 1) % 64);

    if (first == last)
        return (~written_bits[first] & from & to) == 0;
    uint64_t missing = ~written_bits[first] & from;
    for (size_t i = first + 1; i < last; i++)
        missing |= ~written_bits[i];
    return (missing | (~written_bits[last] & to)) == 0;
}

#endif
