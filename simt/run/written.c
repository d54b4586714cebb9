/* Keeps a bit for each byte of device memory that somebody has written. */
#include "run/written.h"

uint64_t *written_bits;

void written_mark(uint64_t *bits, size_t byte, size_t size)
{
    for (size_t end = byte + size, count; byte < end; byte += count) {
        count = 64 - byte % 64 < end - byte ? 64 - byte % 64 : end - byte;
        bits[byte / 64] |= ~(uint64_t)0 >> (64 - count) << byte % 64;
    }
}

size_t written_missing(size_t byte, size_t size, size_t least, size_t *first)
{
    size_t count = 0;

    if (written_all(written_bits, byte, size))
        return 0;
    for (size_t i = 0, run = 0; i < size; i += run ? run : 1) {
        for (run = 0; i + run < size && !written_all(written_bits, byte + i + run, 1);)
            run++;
        if (run >= least && count == 0)
            *first = i;
        count += run >= least ? run : 0;
    }
    return count;
}
