/* Keeps a bit for each byte of device memory that somebody has written. */
#include "run/written.h"
#include "run/memory.h"

uint64_t *written_bits;

void written_mark(uint64_t *bits, size_t byte, size_t size)
{
    for (size_t end = byte + size, count; byte < end; byte += count) {
        count = 64 - byte % 64 < end - byte ? 64 - byte % 64 : end - byte;
        bits[byte / 64] |= ~(uint64_t)0 >> (64 - count) << byte % 64;
    }
}

size_t written_missing(const void *address, size_t size, size_t least, size_t *first)
{
    size_t begin = (uintptr_t)address - memory_mapping.begin, count = 0;

    if (written_all(written_bits, begin, size))
        return 0;
    for (size_t i = 0, run = 0; i < size; i += run ? run : 1) {
        for (run = 0; i + run < size && !written_all(written_bits, begin + i + run, 1);)
            run++;
        if (run >= least && count == 0)
            *first = i;
        count += run >= least ? run : 0;
    }
    return count;
}

void written_by_call(const void *to, const void *from, size_t size)
{
    size_t byte = (uintptr_t)to - memory_mapping.begin;
    size_t source = (uintptr_t)from - memory_mapping.begin;
    struct memory memory = memory_at(from);

    if (!memory_is_device(to))
        return;
    written_mark(written_bits, byte, size);
    if (memory.kind != MEMORY_DEVICE || memory.symbol || written_all(written_bits, source, size))
        return;
    for (size_t i = 0; i < size; i++)
        if (!written_all(written_bits, source + i, 1))
            written_bits[(byte + i) / 64] &= ~((uint64_t)1 << (byte + i) % 64);
}

/* Whole bytes of bits: allocations begin at multiples of far more than 8 bytes, and a gap follows
 * each of them. */
void written_forget(uintptr_t begin, size_t size)
{
    size_t byte = begin - memory_mapping.begin;

    memory_clear((char *)written_bits + byte / 8, (char *)written_bits + (byte + size + 7) / 8);
}
