/* Writes the synchronisation of blocks down, and drops that of blocks which share nothing. */
#include "judge/journal.h"
#include "judge/array.h"

#include <stdlib.h>
#include <string.h>

/* Of a launch, in one place. Beyond, not all is judged. */
enum { MOST_SYNCS = 1 << 22, MOST_PASTS = 1 << 22 };

void journal_block_begin(struct journal *j, uint32_t block, unsigned threads)
{
    memset(j->level, 0, threads * sizeof *j->level);
    memset(j->polling, 0, threads * sizeof *j->polling);
    j->threads = threads;
    j->block = block;
    j->block_level = 0;
    j->serial = 1; /* 0 is no position */
    j->epoch = 0;
    j->block_syncs = j->syncs;
    j->block_matters = false;
}

void journal_block_end(struct journal *j)
{
    if (!j->block_matters)
        j->syncs = j->block_syncs;
}

/* ---- synchronisation ---- */

static uint64_t level_of(const struct journal *j, unsigned thread)
{
    return j->level[thread] > j->block_level ? j->level[thread] : j->block_level;
}

unsigned journal_together(const struct journal *j, unsigned warp, unsigned lanes)
{
    unsigned together = 0, thread = warp * WARP_SIZE;
    uint64_t level = level_of(j, thread + (unsigned)__builtin_ctz(lanes));

    for (unsigned left = lanes; left; left &= left - 1)
        if (level_of(j, thread + (unsigned)__builtin_ctz(left)) == level)
            together |= left & -left;
    return together;
}

static struct sync *add_sync(struct journal *j, const struct sync *sync)
{
    if (j->serial + 1 == 1u << POSITION_SERIAL_BITS ||
        !array_room((void **)&j->sync, j->syncs, &j->sync_room, MOST_SYNCS, sizeof *j->sync)) {
        j->overflow = true;
        return NULL;
    }
    j->serial++;
    j->sync[j->syncs] = *sync;
    j->sync[j->syncs].block = j->block;
    j->sync[j->syncs].epoch = j->epoch;
    return &j->sync[j->syncs++];
}

void journal_syncwarp(struct journal *j, unsigned warp, unsigned mask)
{
    uint64_t level = 0;

    for (unsigned left = mask; left; left &= left - 1) {
        uint64_t own = level_of(j, warp * WARP_SIZE + (unsigned)__builtin_ctz(left));
        level = own > level ? own : level;
    }
    for (unsigned left = mask; left; left &= left - 1) {
        unsigned thread = warp * WARP_SIZE + (unsigned)__builtin_ctz(left);
        j->level[thread] = level;
        j->polling[thread].count = 0;
    }
    add_sync(j, &(struct sync){.position = position_of(level, j->serial),
                               .kind = SYNC_WARP,
                               .warp = (uint8_t)warp,
                               .lanes = mask});
}

void journal_fence(struct journal *j, const struct warp_event *event, unsigned warp)
{
    j->block_matters = true;
    for (unsigned left = event->lanes; left;) {
        unsigned lanes = journal_together(j, warp, left), first = (unsigned)__builtin_ctz(left);
        add_sync(j, &(struct sync){.position = journal_position(j, warp * WARP_SIZE + first),
                                   .kind = SYNC_FENCE,
                                   .warp = (uint8_t)warp,
                                   .lanes = lanes,
                                   .scope = (uint8_t)event->address[first]});
        for (unsigned i = lanes; i; i &= i - 1)
            j->polling[warp * WARP_SIZE + (unsigned)__builtin_ctz(i)].count = 0;
        left &= ~lanes;
    }
}

void journal_barrier(struct journal *j)
{
    for (unsigned i = 0; i < j->threads; i++)
        if (j->level[i] > j->block_level)
            j->block_level = j->level[i];
    add_sync(j, &(struct sync){.position = position_of(j->block_level, j->serial),
                               .kind = SYNC_BARRIER});
    j->epoch++;
}

/* ---- operations ---- */

/* A thread that polls goes to one word again and again, and changes nothing: its first operation
 * and its last one stand for all. */
static bool polls_on(struct journal *j, unsigned thread, const struct sync *now)
{
    struct polling *p = &j->polling[thread];
    const struct sync *before = p->count ? &j->sync[p->last] : NULL;

    if (!before || before->word != now->word || before->pc != now->pc ||
        before->epoch != j->epoch || before->effect != now->effect)
        return false;
    if (p->count < 2)
        return false;
    j->sync[p->last].position = now->position;
    return true;
}

static void note_polling(struct journal *j, unsigned thread, const struct sync *added)
{
    struct polling *p = &j->polling[thread];
    bool looks = added && (added->effect == EFFECT_READ || added->effect == EFFECT_SAME);
    bool again = looks && p->count && j->sync[p->last].pc == added->pc &&
                 j->sync[p->last].word == added->word && j->sync[p->last].effect == added->effect;

    *p = (struct polling){looks ? (uint32_t)(added - j->sync) : 0, !looks ? 0 : again ? 2 : 1};
}

void journal_operation(struct journal *j, const struct sync *operation, unsigned lanes)
{
    for (unsigned left = lanes; left; left &= left - 1) {
        struct sync *last = &j->last[operation->warp * WARP_SIZE + (unsigned)__builtin_ctz(left)];
        *last = *operation;
        last->lanes = left & -left;
    }
}

void journal_order(struct journal *j, const struct warp_event *event, unsigned warp)
{
    j->block_matters = true;
    for (unsigned left = event->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), thread = warp * WARP_SIZE + lane;
        uint64_t number = event->address[lane] >> 2;
        struct sync sync = j->last[thread];

        j->level[thread] = number;
        sync.position = position_of(number, j->serial);
        sync.effect = (uint8_t)(event->address[lane] & 3);
        if (!polls_on(j, thread, &sync))
            note_polling(j, thread, add_sync(j, &sync));
    }
}

/* ---- accesses ---- */

void journal_access(struct journal *j, const struct past *past)
{
    j->block_matters |= past->contended;
    if (array_room((void **)&j->past, j->pasts, &j->past_room, MOST_PASTS, sizeof *j->past))
        j->past[j->pasts++] = *past;
    else
        j->overflow = true;
}

/* ---- the launch's end ---- */

/* Both arrays in one; both are given up for it. */
static void *joined(void *first, size_t count, void *second, size_t more, size_t size)
{
    if (count == 0) {
        free(first);
        return second;
    }
    if (more && !(first = realloc(first, (count + more) * size)))
        array_no_memory();
    if (more)
        memcpy((char *)first + count * size, second, more * size);
    free(second);
    return first;
}

bool journal_move(struct history *into, struct journal *j)
{
    bool all = !j->overflow;

    into->sync = joined(into->sync, into->syncs, j->sync, j->syncs, sizeof *j->sync);
    into->past = joined(into->past, into->pasts, j->past, j->pasts, sizeof *j->past);
    into->syncs += j->syncs;
    into->pasts += j->pasts;
    into->room = into->pasts;
    j->sync = NULL;
    j->past = NULL;
    j->syncs = j->sync_room = j->pasts = j->past_room = 0;
    j->overflow = false;
    return all;
}
