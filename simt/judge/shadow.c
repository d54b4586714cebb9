/* Maps the records of words. */
#define _GNU_SOURCE
#include "judge/shadow.h"
#include "run/end.h"

#include <sys/mman.h>

static void *map_words(size_t words, size_t size)
{
    void *p = mmap(NULL, words * size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        end_fatal("no address space for race checks; SIMT_CHECKS=off runs without");
    /* A record is read before it is written, which is two page faults, the second of which stops
     * all OS threads: huge pages make them rare. It is only a hint. */
    if (words * size > 1 << 25)
        madvise(p, words * size, MADV_HUGEPAGE);
    return p;
}

void shadow_map(struct shadow *shadow, size_t words)
{
    for (int i = 0; i < SLOTS; i++) {
        shadow->record[i] = map_words(words, sizeof *shadow->record[i]);
        shadow->more[i] = map_words(words, sizeof *shadow->more[i]);
    }
    shadow->touched = map_words((words >> CHUNK_SHIFT) + 1, sizeof *shadow->touched);
    shadow->contended = map_words(words, sizeof *shadow->contended);
}

void shadow_forget(struct shadow *shadow, size_t words)
{
    for (int i = 0; i < SLOTS; i++)
        madvise(shadow->record[i], words * sizeof *shadow->record[i], MADV_DONTNEED);
    madvise(shadow->touched, ((words >> CHUNK_SHIFT) + 1) * sizeof *shadow->touched, MADV_DONTNEED);
    madvise(shadow->contended, words * sizeof *shadow->contended, MADV_DONTNEED);
}
