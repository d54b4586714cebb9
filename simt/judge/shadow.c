/* Maps the records of words. */
#define _GNU_SOURCE
#include "judge/shadow.h"
#include "judge/array.h"
#include "run/end.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, SMALL_PAGES = 256 << 10 };

/* A record is read before it is written, which is two page faults, the second of which stops all OS
 * threads: huge pages make them rare. But to clear one takes as long as a small program, so they
 * begin behind the records of the first 64 KiB of memory. It is only a hint. */
static void *map_words(size_t words, size_t size)
{
    size_t bytes = words * size;
    bool huge = bytes > 1 << 25;
    char *p = mmap(NULL, bytes + (huge ? 2 * HUGE_PAGE : 0), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        end_fatal("no address space for race checks; SIMT_CHECKS=off runs without");
    if (huge) {
        p += 2 * HUGE_PAGE - SMALL_PAGES - (uintptr_t)p % HUGE_PAGE;
        madvise(p + SMALL_PAGES, bytes - SMALL_PAGES, MADV_HUGEPAGE);
    }
    return p;
}

void shadow_map(struct shadow *shadow, size_t words)
{
    for (int i = 0; i < SLOTS; i++) {
        shadow->record[i] = map_words(words, sizeof *shadow->record[i]);
        shadow->more[i] = map_words(words, sizeof *shadow->more[i]);
    }
    shadow->touched = map_words((words >> CHUNK_SHIFT) + 1, sizeof *shadow->touched);
    shadow->crowded = map_words((words >> CHUNK_SHIFT) + 1, sizeof *shadow->crowded);
    shadow->contended = map_words(words, sizeof *shadow->contended);
    shadow->kept = map_words(words, sizeof *shadow->kept);
}

void shadow_forget(struct shadow *shadow, size_t words)
{
    for (int i = 0; i < SLOTS; i++)
        madvise(shadow->record[i], words * sizeof *shadow->record[i], MADV_DONTNEED);
    madvise(shadow->touched, ((words >> CHUNK_SHIFT) + 1) * sizeof *shadow->touched, MADV_DONTNEED);
    madvise(shadow->contended, words * sizeof *shadow->contended, MADV_DONTNEED);
}

/* The whole pages that `count` elements of `size` bytes lie in, from the first on. */
static void give_back(void *elements, size_t first, size_t count, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = (uintptr_t)elements + first * size, end = begin + count * size;

    begin = (begin + page - 1) / page * page;
    end = end / page * page;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void shadow_give_back(struct shadow *shadow, size_t word, size_t words)
{
    for (int i = 0; i < SLOTS; i++) {
        give_back(shadow->record[i], word, words, sizeof *shadow->record[i]);
        give_back(shadow->more[i], word, words, sizeof *shadow->more[i]);
    }
    give_back(shadow->contended, word, words, sizeof *shadow->contended);
}

/* ---- older accesses: lists in one array ---- */

/* Of a launch; of a word. */
enum { MOST_KEPT = 1 << 22, MOST_OF_WORD = 1 << 12 };

static struct kept *kept;
static size_t count, room;
static uint32_t free_one; /* the number of one that was dropped; 0: none. By next there are more */

struct kept *kept_at(uint32_t number)
{
    return number ? &kept[number - 1] : NULL;
}

struct kept *kept_next(const struct kept *k)
{
    return kept_at(k->next);
}

struct kept *kept_first(const struct shadow *shadow, size_t word, uint32_t run)
{
    uint32_t number = shadow->kept[word];
    struct kept *k = number <= count ? kept_at(number) : NULL;

    return k && k->record.run == run && k->word == word && k->shadow == shadow ? k : NULL;
}

uint32_t kept_apart(const struct kept *k)
{
    uint32_t number = free_one;

    if (number)
        free_one = kept[number - 1].next;
    else if (array_room((void **)&kept, count, &room, MOST_KEPT, sizeof *kept))
        number = (uint32_t)++count;
    if (number)
        kept[number - 1] = *k;
    return number;
}

bool kept_add(const struct kept *k)
{
    const struct kept *first = kept_first(k->shadow, k->word, k->record.run);
    struct kept added = *k;

    added.next = first ? k->shadow->kept[k->word] : 0;
    added.count = first ? first->count + 1 : 1;
    uint32_t number = added.count <= MOST_OF_WORD ? kept_apart(&added) : 0;
    if (number)
        k->shadow->kept[k->word] = number;
    return number != 0;
}

void kept_drop(struct kept *before, struct kept *k)
{
    uint32_t *head = &k->shadow->kept[k->word], next = k->next;
    struct kept *first = kept_at(*head);

    first->count--;
    if (!before && next)
        kept_at(next)->count = first->count;
    *(before ? &before->next : head) = next;
    k->record.run = 0;
    k->next = free_one;
    free_one = (uint32_t)(k - kept) + 1;
}

void kept_forget(void)
{
    count = free_one = 0;
}
