/* Keeps the bits of written memory. */
#define _GNU_SOURCE
#include "run/written.h"
#include "run/end.h"

#include <pthread.h>
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
    __atomic_store_n(&written_bits, p, __ATOMIC_RELEASE);
}

void written_begin(size_t bytes)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    if (__atomic_load_n(&written_bits, __ATOMIC_ACQUIRE))
        return;
    pthread_mutex_lock(&lock);
    if (!written_bits)
        map_bits(bytes);
    pthread_mutex_unlock(&lock);
}

/* Another thread may be looking at them: in one instruction. */
static bool set_bits(size_t i, uint64_t bits)
{
    if ((~__atomic_load_n(&written_bits[i], __ATOMIC_RELAXED) & bits) == 0)
        return false;
    return (~__atomic_fetch_or(&written_bits[i], bits, __ATOMIC_SEQ_CST) & bits) != 0;
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
