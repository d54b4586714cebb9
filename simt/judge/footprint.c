/* A bit for each byte, and for each page of them whether it has any: so that taking what was marked
 * costs no more than marking it did. */
#define _GNU_SOURCE
#include "judge/footprint.h"
#include "run/end.h"
#include "run/heap.h"
#include "run/memory.h"

#include <pthread.h>
#include <sys/mman.h>

/* Bytes in a page, whose bits are 64 words; and pages in a book. */
enum { PAGE = 4096, BOOK = 64 * 64 };

static uint64_t *map[TOUCHES], *pages, *books; /* a bit a byte; a page with any; a book with any */
static size_t book_words;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t *map_bits(size_t bits)
{
    size_t size = (bits / 64 + 1) * sizeof(uint64_t);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    if (p == MAP_FAILED)
        end_fatal("no address space for %zu MiB to note accesses (ulimit -v?)", size >> 20);
    return p;
}

static void make_maps(void)
{
    size_t bytes = 4 * memory_words() + PAGE;

    pages = map_bits(bytes / PAGE);
    books = map_bits(bytes / PAGE / BOOK);
    book_words = bytes / PAGE / BOOK / 64 + 1;
    for (int i = 0; i < TOUCHES; i++)
        map[i] = map_bits(bytes);
}

void footprint_begin(void)
{
    pthread_once(&once, make_maps);
}

/* Was any of these bits 0? Another OS thread may set others. */
static bool set(uint64_t *word, uint64_t bits)
{
    if ((~__atomic_load_n(word, __ATOMIC_RELAXED) & bits) == 0)
        return false;
    return (~__atomic_fetch_or(word, bits, __ATOMIC_RELAXED) & bits) != 0;
}

static void mark(enum touch touch, size_t begin, size_t end)
{
    while (begin < end) {
        size_t count = 64 - begin % 64 < end - begin ? 64 - begin % 64 : end - begin;
        size_t page = begin / PAGE;
        if (set(&map[touch][begin / 64], ~(uint64_t)0 >> (64 - count) << begin % 64)) {
            set(&pages[page / 64], (uint64_t)1 << page % 64);
            set(&books[page / BOOK / 64], (uint64_t)1 << page / BOOK % 64);
        }
        begin += count;
    }
}

static enum touch touch_of(const struct warp_event *event)
{
    bool is_volatile = event->extra & EXTRA_VOLATILE;

    switch (event->kind) {
    case EVENT_LOAD: return is_volatile ? TOUCH_LOOK : TOUCH_LOAD;
    case EVENT_STORE: return is_volatile ? TOUCH_ATOMIC : TOUCH_STORE;
    default: return TOUCH_ATOMIC;
    }
}

void footprint_access(const struct warp_event *event, const size_t word[WARP_SIZE])
{
    enum touch touch = touch_of(event);
    size_t begin = 0, end = 0;

    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        size_t first = 4 * word[lane] + event->address[lane] % 4;
        if (heap_has(event->address[lane]))
            continue;
        if (first < begin || first > end) { /* it does not go on where the lanes before it end */
            mark(touch, begin, end);
            begin = end = first;
        }
        if (first + event->size > end)
            end = first + event->size;
    }
    mark(touch, begin, end);
}

static void take_bits(struct spans *set, size_t byte, uint64_t bits)
{
    while (bits) {
        unsigned skip = (unsigned)__builtin_ctzll(bits);
        uint64_t rest = ~(bits >> skip);
        unsigned run = rest ? (unsigned)__builtin_ctzll(rest) : 64;
        spans_add(set, (struct span){byte + skip, byte + skip + run});
        bits = skip + run < 64 ? bits >> (skip + run) << (skip + run) : 0;
    }
}

static void take_page(struct spans touched[TOUCHES], size_t page)
{
    for (size_t i = page * (PAGE / 64); i < (page + 1) * (PAGE / 64); i++) {
        map[TOUCH_LOAD][i] &= ~map[TOUCH_ATOMIC][i];
        for (int touch = 0; touch < TOUCHES; touch++) {
            if (!map[touch][i])
                continue;
            take_bits(&touched[touch], 64 * i, map[touch][i]);
            map[touch][i] = 0;
        }
    }
}

/* Takes the lowest bit of the word, if there is one. */
static bool take_bit(uint64_t *word, size_t *bit)
{
    if (!*word)
        return false;
    *bit = (size_t)__builtin_ctzll(*word);
    *word &= *word - 1;
    return true;
}

static void take_book(struct spans touched[TOUCHES], size_t book)
{
    size_t page;

    for (size_t i = book * (BOOK / 64); i < (book + 1) * (BOOK / 64); i++)
        while (take_bit(&pages[i], &page))
            take_page(touched, 64 * i + page);
}

void footprint_take(struct spans touched[TOUCHES])
{
    size_t book;

    for (size_t i = 0; i < book_words; i++)
        while (take_bit(&books[i], &book))
            take_book(touched, 64 * i + book);
}
