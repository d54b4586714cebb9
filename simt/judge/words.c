/* The lists of accesses. The first entry of a list lies in an array that is indexed by the word,
 * because most lists have no other; all other entries, and the accesses, lie in an array each. */
#include "judge/words.h"
#include "run/end.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct access *words_accesses;
struct entry *words_entries;

uint32_t words_recent[WORDS_RECENT];

/* Which indices of an array are in use. */
struct numbers {
    uint32_t most;  /* the array's length */
    uint32_t count; /* the largest index that was ever used */
    uint32_t free;  /* head of the list of unused indices below that; 0: the list is empty */
};
static struct numbers accesses, entries;

/* Huge pages save most page faults. But clearing one takes as long as a small program runs, so the
 * first 256 KiB are small pages. */
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

struct entry *words_map(size_t count)
{
    if (!words_accesses) {
        accesses.most = entries.most =
            count < 1 << 27 ? 2 * (uint32_t)count + (1 << 20) : (1 << 29) - 1;
        words_accesses = map(accesses.most * sizeof *words_accesses);
        words_entries = map(entries.most * sizeof *words_entries);
    }
    return map(count * sizeof(struct entry));
}

/* Takes an unused index; 0: there is none. next: the one behind the head of the free list. */
static uint32_t take_number(struct numbers *numbers, uint32_t next)
{
    uint32_t number = numbers->free;

    if (number)
        numbers->free = next;
    else if (numbers->count + 1 < numbers->most)
        number = ++numbers->count;
    return number;
}

static void give_back(struct numbers *numbers, uint32_t number, uint32_t *next)
{
    *next = numbers->free;
    numbers->free = number;
}

static void let_go(uint32_t access)
{
    if (--words_accesses[access].users == 0)
        give_back(&accesses, access, &words_accesses[access].run);
}

uint32_t words_number(const struct access *access)
{
    uint32_t *last = words_recent_at(access->pc, access->bytes);

    if (*last && words_equal(&words_accesses[*last], access))
        return *last;
    if (*last)
        let_go(*last);
    if ((*last = take_number(&accesses, words_accesses[accesses.free].run)) != 0) {
        words_accesses[*last] = *access;
        words_accesses[*last].users = 1;
    }
    return *last;
}

struct entry *words_drop(struct entry *before, struct entry *entry)
{
    uint32_t next = entry->next;

    let_go(entry->access);
    if (next) {
        *entry = words_entries[next];
        entry->crowd = CROWD_NONE;
        give_back(&entries, next, &words_entries[next].access);
        return entry;
    }
    entry->access = 0;
    if (before)
        give_back(&entries, before->next, &entry->access), before->next = 0;
    return NULL;
}

__attribute__((noinline)) static void forget(struct entry *word)
{
    uint32_t number = word->next;

    if (word->access)
        let_go(word->access);
    word->access = 0;
    while (number) {
        struct entry *entry = &words_entries[number];
        uint32_t next = entry->next;
        let_go(entry->access);
        give_back(&entries, number, &entry->access);
        number = next;
    }
}

void words_begin(struct entry *word, uint32_t access, uint32_t lanes)
{
    if (word->access && word->next)
        forget(word);
    else if (word->access)
        let_go(word->access);
    words_accesses[access].users++;
    *word = (struct entry){access, lanes, 0, false, CROWD_NONE};
}

bool words_add(struct entry *word, struct entry *behind, uint32_t access, uint32_t lanes,
               bool first)
{
    uint32_t new = 0;

    if (word->access && words_access_of(word)->run != words_accesses[access].run)
        forget(word);
    if (word->access && !(new = take_number(&entries, words_entries[entries.free].access)))
        return false;
    words_accesses[access].users++;
    if (behind && new) {
        words_entries[new] = (struct entry){access, lanes, behind->next, first, CROWD_NONE};
        behind->next = new;
        return true;
    }
    if (new)
        words_entries[new] = *word;
    *word = (struct entry){access, lanes, new, first, CROWD_NONE};
    return true;
}

void words_forget(struct entry *words, size_t count)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)words + page - 1) & -page,
              end = (uintptr_t)(words + count) & -page;

    for (struct entry *word = words; word < words + count; word++)
        forget(word);
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED);
}
