/* Packs the entries of blocks that have ended as differences from thread to thread. A launch has
 * millions of threads, and most made the write behind their neighbour's, in the same chain. */
#include "judge/last.h"
#include "run/array.h"
#include "run/lane.h"

#include <string.h>

enum { FIELDS = sizeof(struct last) / sizeof(uint32_t), MOST_ALIKE = 15, CONTINUES = 0x80 };

/* A block. */
struct kept {
    const struct last *running; /* its threads' entries while it runs; NULL: it has ended */
    size_t begin;               /* once it has ended: where its entries begin in `bytes` */
    unsigned threads;           /* how many it has */
    uint32_t latest;            /* time of its last write by an operation; 0: it made none */
};
static struct entries blocks; /* by their linear index */
static unsigned char *bytes;  /* the packed entries of all blocks that have ended */
static size_t room, count;    /* of `bytes` */

void last_begin(uint32_t block, const struct last *running)
{
    struct kept *kept = entries_at(&blocks, sizeof *kept, block, 0);

    kept->running = running;
}

/* The block; NULL: it never began. */
static struct kept *kept_of(uint32_t block)
{
    uint32_t number = map_find(&blocks.numbers, block, 0);

    return number == MAP_NONE ? NULL : (struct kept *)blocks.entry + number;
}

static void put(unsigned byte)
{
    array_room((void **)&bytes, count, &room, SIZE_MAX, 1);
    bytes[count++] = (unsigned char)byte;
}

/* A signed difference, seven bits a byte, the lowest first. */
static void put_difference(uint32_t d)
{
    uint32_t left = d << 1 ^ -(d >> 31);

    for (; left >= CONTINUES; left >>= 7)
        put((left & 0x7f) | CONTINUES);
    put(left);
}

static uint32_t take_difference(const unsigned char **at)
{
    uint32_t d = 0;

    for (unsigned shift = 0;; shift += 7) {
        unsigned byte = *(*at)++;
        d |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < CONTINUES)
            return d >> 1 ^ -(d & 1);
    }
}

/* The entry that the thread behind this one most likely has. */
static struct last expected_behind(struct last last)
{
    last.number += last.number > 0;
    return last;
}

/* Each byte holds how many threads have the expected entry and, for the thread behind them, a bit
 * for each field that differs from it. The differences of these fields follow. */
static void keep(const struct last *threads, unsigned number)
{
    struct last before = {0};
    unsigned alike = 0;

    for (unsigned i = 0; i < number; before = threads[i++]) {
        struct last expected = expected_behind(before);
        uint32_t is[FIELDS], was[FIELDS];
        unsigned unlike = 0;
        memcpy(is, &threads[i], sizeof is);
        memcpy(was, &expected, sizeof was);
        for (unsigned k = 0; k < FIELDS; k++)
            unlike |= (unsigned)(is[k] != was[k]) << k;
        if (!unlike && alike < MOST_ALIKE) {
            alike++;
            continue;
        }
        put(alike << FIELDS | unlike);
        for (unsigned k = 0; k < FIELDS; k++)
            if (unlike >> k & 1)
                put_difference(is[k] - was[k]);
        alike = 0;
    }
    put(alike << FIELDS);
}

void last_end(uint32_t block, unsigned threads)
{
    struct kept *kept = kept_of(block);

    if (!kept)
        return;
    const struct last *running = kept->running;
    *kept = (struct kept){.begin = count, .threads = threads};
    keep(running, threads);
    for (unsigned i = 0; i < threads; i++)
        if (running[i].number > 0 && running[i].time > kept->latest)
            kept->latest = running[i].time;
}

bool last_released_nothing(uint32_t block, uint32_t since)
{
    const struct kept *kept = kept_of(block);

    return kept && !kept->running && kept->latest <= since;
}

/* Reads the entry that differs from the expected one in the fields that `head` names. */
static struct last take(struct last expected, unsigned head, const unsigned char **at)
{
    uint32_t is[FIELDS];
    struct last last;

    memcpy(is, &expected, sizeof is);
    for (unsigned k = 0; k < FIELDS; k++)
        if (head >> k & 1)
            is[k] += take_difference(at);
    memcpy(&last, is, sizeof last);
    return last;
}

static void unpack(struct last *threads, const struct kept *kept)
{
    const unsigned char *at = bytes + kept->begin;
    struct last last = {0};

    for (unsigned i = 0; i < kept->threads;) {
        unsigned head = *at++;
        for (unsigned alike = head >> FIELDS; alike && i < kept->threads; alike--)
            threads[i++] = last = expected_behind(last);
        if (i < kept->threads)
            threads[i++] = last = take(expected_behind(last), head, &at);
    }
}

/* The block that was unpacked last: several questions in a row are about one block. */
static struct last unpacked[MAX_LANES];
static size_t unpacked_from = SIZE_MAX;

struct last last_of(uint32_t block, unsigned thread)
{
    const struct kept *kept = kept_of(block);

    if (!kept)
        return (struct last){0};
    if (kept->running)
        return kept->running[thread];
    if (unpacked_from != kept->begin)
        unpack(unpacked, kept);
    unpacked_from = kept->begin;
    return unpacked[thread];
}

void last_forget(void)
{
    map_forget(&blocks.numbers);
    count = 0;
    unpacked_from = SIZE_MAX;
}
