/* Lists in one array of all accesses. */
#define _GNU_SOURCE
#include "judge/word.h"
#include "run/end.h"

#include <stddef.h>
#include <string.h>
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

static uint32_t take(void)
{
    uint32_t number = free_one;

    if (number)
        free_one = words_all[number].next;
    else if (count + 1 < most)
        number = ++count;
    return number;
}

static void give_back(uint32_t number)
{
    words_all[number].many = 0;
    words_all[number].next = free_one;
    free_one = number;
}

static void forget(uint32_t *first)
{
    if (*first & WORDS_ONE) {
        struct access *many = words_at(*first);
        if (--many->lanes == 0)
            give_back((uint32_t)(many - words_all));
        *first = 0;
    }
    for (uint32_t next; *first; *first = next) {
        next = words_all[*first].next;
        give_back(*first);
    }
}

/* ---- accesses that stand for many ---- */

/* The last ones, by their places in the code. */
enum { RECENT = 64 };
static uint32_t recent[RECENT];

/* But for the lane. */
static bool says_the_same(const struct access *many, const struct access *one)
{
    return many->many &&
           memcmp(many, one, offsetof(struct access, note) + 2 * sizeof one->note) == 0 &&
           many->bytes == one->bytes;
}

/* The number by which one that stands for many stands for this, too; 0: there is no room. */
static uint32_t join_many(const struct access *one)
{
    uint32_t *last = &recent[(one->pc / 4 + one->bytes) % RECENT];

    if (!*last || !says_the_same(&words_all[*last], one)) {
        if ((*last = take()) == 0 || *last >> (31 - LANE_BITS))
            return *last = 0;
        words_all[*last] = *one;
        words_all[*last].many = 1;
        words_all[*last].lanes = 0;
        words_all[*last].next = 0;
    }
    words_all[*last].lanes++;
    return WORDS_ONE | *last << LANE_BITS | (uint32_t)__builtin_ctz(one->lanes);
}

/* A number that stands for one lane of many becomes one of its own. */
static void part_from_many(uint32_t *first)
{
    struct access own = *words_at(*first);
    uint32_t number = take();

    own.lanes = 1u << (*first & 31);
    own.many = 0;
    own.count = 1;
    forget(first);
    if (number)
        words_all[ *first = number] = own;
}

/* ---- lists ---- */

struct access *words_first(struct words *words, size_t word, enum list list, uint32_t run)
{
    uint32_t *first = &words->first[word][list];

    if (*first && words_at(*first)->run != run)
        forget(first);
    if (*first & WORDS_ONE)
        part_from_many(first);
    return words_at(*first);
}

bool words_add(struct words *words, size_t word, enum list list, const struct access *access)
{
    uint32_t *first = &words->first[word][list], number;
    unsigned behind = *first ? words_all[*first].count : 0;

    if (!*first && !access->raced && !access->first && (*first = join_many(access)) != 0)
        return true;
    if (behind == MOST_OF_WORD || (number = take()) == 0)
        return false;
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
    give_back(number);
}

void words_forget_list(struct words *words, size_t word, enum list list)
{
    forget(&words->first[word][list]);
}

void words_forget(struct words *words, size_t word, size_t words_count)
{
    for (size_t i = word; i < word + words_count; i++)
        for (int list = READS; list <= WRITES; list++)
            forget(&words->first[i][list]);
    char *begin = (char *)(words->first + word), *end = (char *)(words->first + word + words_count);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    begin += -(uintptr_t)begin % page;
    end -= (uintptr_t)end % page;
    if (begin < end)
        madvise(begin, (size_t)(end - begin), MADV_DONTNEED);
}
