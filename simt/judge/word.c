/* Lists in one array of all accesses. */
#define _GNU_SOURCE
#include "judge/word.h"
#include "run/end.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MOST_OF_WORD = 1 << 12 };

struct access *words_all;              /* from 1 on */
static uint32_t most, count, free_one; /* free_one: the number of one that was dropped; by next
                                          there are more */

/* Huge pages save most page faults. But to clear one takes as long as a small program, so they
 * begin behind the first 256 KiB. It is only a hint. */
static void *map(size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20, SMALL_PAGES = 256 << 10 };
    char *p = mmap(NULL, bytes + 2 * HUGE_PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        end_fatal("no address space for race checks; SIMT_CHECKS=off runs without");
    p += 2 * HUGE_PAGE - SMALL_PAGES - (uintptr_t)p % HUGE_PAGE;
    madvise(p + SMALL_PAGES, bytes, MADV_HUGEPAGE);
    return p;
}

void words_map(struct words *words, size_t words_count)
{
    words->first = map(words_count * sizeof *words->first);
    if (words_all)
        return;
    most = words_count < UINT32_MAX / 4 ? 2 * (uint32_t)words_count + (1 << 20) : UINT32_MAX / 2;
    words_all = map(most * sizeof *words_all);
}

void words_forget_list(uint32_t *first)
{
    for (uint32_t next; *first; *first = next) {
        next = words_all[*first].next;
        words_all[*first].next = free_one;
        free_one = *first;
    }
}

bool words_add(struct words *words, size_t word, enum list list, const struct access *access)
{
    uint32_t *first = &words->first[word][list], number = free_one;
    unsigned behind = *first ? words_all[*first].count : 0;

    if (behind == MOST_OF_WORD || (!number && count + 1 == most))
        return false;
    if (number)
        free_one = words_all[number].next;
    else
        number = ++count;
    words_all[number] = *access;
    words_all[number].next = *first;
    words_all[number].count = behind + 1;
    *first = number;
    return true;
}

void words_drop(struct words *words, size_t word, enum list list, struct access *before)
{
    uint32_t *to = before ? &before->next : &words->first[word][list], number = *to;

    for (struct access *a = words_at(words->first[word][list]); a != &words_all[number];
         a = words_next(a))
        a->count--;
    *to = words_all[number].next;
    words_all[number].next = free_one;
    free_one = number;
}

void words_forget(struct words *words, size_t word, size_t words_count)
{
    for (size_t i = word; i < word + words_count; i++)
        for (int list = READS; list <= WRITES; list++)
            words_forget_list(&words->first[i][list]);
    char *begin = (char *)(words->first + word), *end = (char *)(words->first + word + words_count);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    begin += -(uintptr_t)begin % page;
    end -= (uintptr_t)end % page;
    if (begin < end)
        madvise(begin, (size_t)(end - begin), MADV_DONTNEED);
}
