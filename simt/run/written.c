/* Keeps the bits of written memory. */
#define _GNU_SOURCE
#include "run/written.h"
#include "run/end.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

uint64_t *written_bits;

static void map_bits(size_t bytes)
{
    size_t size = (bytes / 64 + 2) * sizeof *written_bits;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    if (p == MAP_FAILED)
        end_fatal("no address space for %zu MiB to note writes (ulimit -v?)", size >> 20);
    written_bits = p;
}

void written_begin(size_t bytes)
{
    if (!written_bits)
        map_bits(bytes);
}

static bool set_bits(size_t i, uint64_t bits)
{
    uint64_t before = written_bits[i];

    written_bits[i] = before | bits;
    return (~before & bits) != 0;
}

bool written_mark(size_t byte, size_t size)
{
    bool any = false;

    for (size_t end = byte + size; byte < end;) {
        size_t bits = 64 - byte % 64 < end - byte ? 64 - byte % 64 : end - byte;
        any |= set_bits(byte / 64, ~(uint64_t)0 >> (64 - bits) << byte % 64);
        byte += bits;
    }
    return any;
}

/* Whole pages of bits are given back, so that a large allocation costs nothing. */
static void clear(char *begin, char *end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *first = begin + -(uintptr_t)begin % page, *last = end - (uintptr_t)end % page;

    if (first >= last) {
        memset(begin, 0, (size_t)(end - begin));
        return;
    }
    memset(begin, 0, (size_t)(first - begin));
    madvise(first, (size_t)(last - first), MADV_DONTNEED);
    memset(last, 0, (size_t)(end - last));
}

/* Allocations begin at multiples of far more than 8 bytes, with a gap behind each. */
void written_forget(size_t byte, size_t size)
{
    clear((char *)written_bits + byte / 8, (char *)written_bits + (byte + size + 7) / 8);
}
