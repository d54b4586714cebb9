/* Clocks of threads and of the words that they synchronise by. */
#define _GNU_SOURCE
#include "judge/sync.h"
#include "run/array.h"
#include "run/atomic.h"

#include <stdlib.h>
#include <string.h>

/* What is known. It may be all that the how manieth operation of a chain handed on, or a part of
 * it: then it is a part of what any later one hands on, and need not be joined with that. */
struct knowledge {
    clock_number accesses, operations;
    uint32_t chain, number;
    bool whole;
};

/* What a thread hands over by an operation. What it did itself, up to its fence, is put into the
 * clock only if it comes to that: its own accesses before `own`, its warp's before `warp`, its
 * block's before `block`. */
struct gift {
    struct knowledge known;
    uint32_t own, warp, block;
    bool fresh; /* of a fence since the last barrier: it has all that older ones have */
};

/* What it knows; and has seen others hand over, by scope, which it takes over at a fence. */
struct stands {
    uint32_t time, warp_time; /* warp_time: behind the last __syncwarp of its whole warp */
    struct knowledge known, seen[2];
    struct gift gift[2];
};

struct thread {
    struct stands stands;
    uint32_t met[WARP_SIZE]; /* of its warp's lanes what is earlier is before what it does now */
    uint32_t epoch;          /* of the block, when this was last changed */
    bool fence, looked;      /* fence: as in struct note; looked: it made an operation */
    uint32_t note, written;  /* of its last operation; how many of these wrote */
    uint32_t last_fence;     /* the time */
};

struct sync {
    uint32_t number, epoch; /* the block's index; grows with each barrier */
    unsigned threads;
    bool fences, scopes;  /* are there fences? such whose scope is the block? */
    struct stands passed; /* how all stand behind the last barrier, */
    uint16_t touched[MAX_LANES];
    unsigned touches;     /* but for these */
    struct stands before; /* the last operation */
    uint32_t time[MAX_LANES];
    struct thread thread[MAX_LANES];
};

/* Keys of accesses in clocks: all of a block, of one of its warps, of one of its threads. */
enum { KEY_BITS = 11, KEY_WARP = 1, KEY_THREAD = 1 << 10 };

static uint64_t key_of(uint32_t block, unsigned what)
{
    return (uint64_t)block << KEY_BITS | what;
}

/* ---- notes ---- */

enum { MOST_NOTES = 20 << 20 };

static struct note *notes; /* from 1 on */
static size_t note_count, note_room;
static bool full;

struct note sync_note(uint32_t number)
{
    return number ? notes[number] : (struct note){0};
}

bool sync_same_note(uint32_t a, uint32_t b)
{
    struct note x = sync_note(a), y = sync_note(b);
    return a == b || memcmp(&x, &y, sizeof x) == 0;
}

/* The number of the note, which may be the same as the last one. */
static uint32_t keep_note(struct note note, uint32_t last)
{
    struct note same = sync_note(last);

    if (memcmp(&same, &note, sizeof note) == 0)
        return last;
    if (!array_room((void **)&notes, note_count + 1, &note_room, MOST_NOTES, sizeof *notes)) {
        full = true;
        return 0;
    }
    notes[++note_count] = note;
    return (uint32_t)note_count;
}

/* ---- knowledge ---- */

/* Is it known that all accesses in a are in b, too? */
static bool is_part(const struct knowledge *a, const struct knowledge *b)
{
    return !a->accesses || (b->whole && a->chain == b->chain && a->number <= b->number);
}

static void learn(struct knowledge *k, const struct knowledge *more)
{
    clock_number operations = clock_join(k->operations, more->operations);

    if (is_part(k, more)) {
        *k = *more;
    } else if (!is_part(more, k)) {
        struct knowledge joined = {.accesses = clock_join(k->accesses, more->accesses)};
        if (k->chain == more->chain) { /* parts of one */
            joined.chain = k->chain;
            joined.number = k->number > more->number ? k->number : more->number;
        }
        if (joined.accesses != k->accesses)
            *k = joined;
    }
    k->operations = operations;
}

static void learn_key(struct knowledge *k, uint64_t key, uint32_t time)
{
    clock_number accesses = clock_with(k->accesses, key, time);

    if (accesses != k->accesses) {
        k->chain = 0;
        k->whole = false;
    }
    k->accesses = accesses;
}

/* What the thread hands over. */
static void learn_gift(struct knowledge *k, const struct sync *sync, unsigned thread,
                       const struct gift *gift)
{
    learn(k, &gift->known);
    learn_key(k, key_of(sync->number, 0), gift->block);
    learn_key(k, key_of(sync->number, KEY_WARP + thread / WARP_SIZE), gift->warp);
    learn_key(k, key_of(sync->number, KEY_THREAD + thread), gift->own);
}

/* Of these lanes those whose access is not in them. */
static unsigned not_in(clock_number accesses, clock_number operations,
                       const struct happened *access, unsigned lanes)
{
    struct note note = sync_note(access->note);

    if (!lanes || (!accesses && !operations))
        return lanes;
    if ((note.number && clock_at(operations, note.chain) >= note.number) ||
        clock_at(accesses, key_of(access->block, 0)) > access->time ||
        clock_at(accesses, key_of(access->block, KEY_WARP + access->warp)) > access->time)
        return 0;
    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned thread = access->warp * WARP_SIZE + (unsigned)__builtin_ctz(left);
        if (clock_at(accesses, key_of(access->block, KEY_THREAD + thread)) > access->time)
            lanes &= ~(left & -left);
    }
    return lanes;
}

/* ---- threads ---- */

/* How the thread stands, to be changed. */
static struct thread *thread_at(struct sync *sync, unsigned thread)
{
    struct thread *t = &sync->thread[thread];

    if (t->epoch == sync->epoch)
        return t;
    t->stands = sync->passed;
    t->epoch = sync->epoch;
    sync->touched[sync->touches++] = (uint16_t)thread;
    return t;
}

const struct stands *sync_stands(struct sync *sync, unsigned thread)
{
    const struct thread *t = &sync->thread[thread];
    return t->epoch == sync->epoch ? &t->stands : &sync->passed;
}

const uint32_t *sync_passed(const struct sync *sync)
{
    return &sync->passed.time;
}

const uint32_t *sync_times(const struct sync *sync)
{
    return sync->time;
}

/* Of the lanes those that their block's meetings do not order. */
static unsigned not_met(const struct sync *sync, unsigned thread, const struct happened *access)
{
    const struct thread *t = &sync->thread[thread];
    unsigned lanes = access->lanes;

    if (access->block != sync->number)
        return lanes;
    if (access->time < sync->passed.time)
        return 0;
    if (access->warp != thread / WARP_SIZE)
        return lanes;
    lanes &= ~(1u << thread % WARP_SIZE);
    if (t->epoch != sync->epoch)
        return lanes;
    if (access->time < t->stands.warp_time)
        return 0;
    for (unsigned left = lanes; left; left &= left - 1)
        if (access->time < t->met[__builtin_ctz(left)])
            lanes &= ~(left & -left);
    return lanes;
}

unsigned sync_unordered(const struct sync *sync, unsigned thread, const struct stands *s,
                        bool in_order, const struct happened *access)
{
    unsigned lanes = not_met(sync, thread, access);

    if (!sync->fences)
        return lanes;
    lanes = not_in(s->known.accesses, s->known.operations, access, lanes);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE && in_order; i++)
        lanes = not_in(s->seen[i].accesses, s->seen[i].operations, access, lanes);
    return lanes;
}

/* ---- where threads meet ---- */

struct sync *sync_new(void)
{
    struct sync *sync = calloc(1, sizeof *sync);

    if (!sync)
        array_no_memory();
    sync->fences = atomic_program_has_fences();
    sync->scopes = atomic_program_has_block_fences();
    return sync;
}

/* What one of several that meet adds to what all of them know then. */
static void meet(struct stands *joined, const struct sync *sync, unsigned thread,
                 const struct stands *s)
{
    if (s->time >= joined->time)
        joined->time = s->time + 1;
    if (s->warp_time > joined->warp_time)
        joined->warp_time = s->warp_time;
    if (!sync->fences)
        return;
    learn(&joined->known, &s->known);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE; i++) {
        learn(&joined->seen[i], &s->seen[i]);
        if (s->gift[i].fresh && !joined->gift[i].fresh)
            joined->gift[i] = (struct gift){.fresh = true};
        if (s->gift[i].fresh)
            learn_gift(&joined->gift[i].known, sync, thread, &s->gift[i]);
    }
}

/* Times go on from block to block: what the place's last one did counts no more. */
void sync_block_begin(struct sync *sync, uint32_t block, unsigned threads)
{
    sync->threads = threads;
    sync_barrier(sync);
    sync->passed = (struct stands){.time = sync->passed.time};
    sync->number = block;
    for (unsigned i = 0; i < threads; i++) {
        struct thread *t = &sync->thread[i];
        t->fence = t->looked = false;
        t->last_fence = t->note = t->written = 0;
    }
}

void sync_barrier(struct sync *sync)
{
    struct stands joined = sync->passed;

    joined.time++;
    for (unsigned i = 0; i < sync->touches; i++)
        meet(&joined, sync, sync->touched[i], &sync->thread[sync->touched[i]].stands);
    for (int i = SCOPE_DEVICE; i >= SCOPE_BLOCK; i--) {
        learn(&joined.known, &joined.seen[i]);
        joined.seen[i] = (struct knowledge){0};
        joined.gift[i].fresh = false;
    }
    sync->epoch++;
    sync->touches = 0;
    sync->passed = joined;
    for (unsigned i = 0; i < sync->threads; i++)
        sync->time[i] = joined.time;
}

void sync_warp(struct sync *sync, unsigned warp, unsigned mask)
{
    unsigned first = warp * WARP_SIZE, left = sync->threads - first;
    unsigned all = left >= WARP_SIZE ? ~0u : (1u << left) - 1, whole = (mask & all) == all;
    struct stands joined = sync->passed;
    uint32_t met[WARP_SIZE] = {0};

    for (unsigned i = mask & all; i; i &= i - 1) {
        unsigned lane = (unsigned)__builtin_ctz(i);
        const struct thread *t = thread_at(sync, first + lane);
        meet(&joined, sync, first + lane, &t->stands);
        for (unsigned k = 0; k < WARP_SIZE; k++)
            met[k] = t->met[k] > met[k] ? t->met[k] : met[k];
        if (!whole && sync->fences)
            learn_key(&joined.known, key_of(sync->number, KEY_THREAD + first + lane),
                      t->stands.time + 1);
    }
    if (whole)
        joined.warp_time = joined.time;
    for (unsigned i = mask & all; i; i &= i - 1)
        met[__builtin_ctz(i)] = joined.time;
    for (unsigned i = mask & all; i; i &= i - 1) {
        struct thread *t = &sync->thread[first + (unsigned)__builtin_ctz(i)];
        t->stands = joined;
        sync->time[t - sync->thread] = joined.time;
        memcpy(t->met, met, sizeof met);
    }
}

void sync_fence(struct sync *sync, unsigned thread, enum scope scope)
{
    struct thread *t = thread_at(sync, thread);
    struct stands *s = &t->stands;

    sync->time[thread] = ++s->time;
    t->last_fence = s->time;
    t->fence = true;
    for (int i = (int)scope; i >= SCOPE_BLOCK; i--) {
        learn(&s->known, &s->seen[i]);
        s->seen[i] = (struct knowledge){0};
    }
    for (unsigned i = SCOPE_BLOCK; i <= scope; i++)
        s->gift[i] = (struct gift){s->known, s->time, s->warp_time, sync->passed.time, true};
}

/* ---- words ---- */

/* Of threads that wrote words by operations: the note of the last one, and its time; when their
 * block has ended, also that of their last fence or barrier. */
struct last {
    uint32_t note, time, fence;
};
static struct entries lasts;

bool sync_saw(const struct stands *s, uint32_t block, unsigned thread, uint32_t since)
{
    uint32_t number = map_find(&lasts.numbers, block, thread);
    struct last last = number == MAP_NONE ? (struct last){0} : ((struct last *)lasts.entry)[number];
    struct note note = sync_note(last.note);

    return note.number && last.time >= since &&
           (clock_at(s->known.operations, note.chain) >= note.number ||
            clock_at(s->seen[SCOPE_DEVICE].operations, note.chain) >= note.number);
}

/* What operations on a word hand over to those that see them, and who wrote it last: as the how
 * manieth of a chain, which is broken by a store, and by an operation that may not see the last
 * write. */
struct cell {
    struct knowledge given;
    uint32_t chain, number, block;
    enum scope scope;
};

/* What they hand over to those of one block, by fences of its scope, too. */
struct cell_of_block {
    struct knowledge given;
    uint32_t chain; /* the cell's that it belongs to */
    bool more;      /* it is not a part of what is handed over to all */
};

static uint32_t chains;

static struct entries cells, cells_of_blocks;

static void give(struct sync *sync, unsigned thread, struct cell *cell,
                 struct cell_of_block *of_block, const struct gift gift[2])
{
    learn_gift(&cell->given, sync, thread, &gift[SCOPE_DEVICE]);
    cell->given.chain = cell->chain;
    cell->given.number = cell->number;
    cell->given.whole = true;
    if (!of_block)
        return;
    if (of_block->chain != cell->chain)
        *of_block = (struct cell_of_block){.chain = cell->chain};
    learn_gift(&of_block->given, sync, thread, &gift[SCOPE_BLOCK]);
    of_block->more |= gift[SCOPE_BLOCK].own != gift[SCOPE_DEVICE].own ||
                      gift[SCOPE_BLOCK].known.accesses != gift[SCOPE_DEVICE].known.accesses;
    of_block->given.chain = of_block->more ? 0 : cell->chain;
    of_block->given.number = cell->number;
    of_block->given.whole = false;
}

const struct stands *sync_operation(struct sync *sync, unsigned thread, uint64_t word,
                                    enum scope scope, enum effect effect, bool is_volatile,
                                    uint32_t *note)
{
    struct thread *t = thread_at(sync, thread);
    struct stands *s = &t->stands;
    struct cell *cell = entries_at(&cells, sizeof *cell, word, 0);
    struct cell_of_block *of_block =
        sync->scopes ? entries_at(&cells_of_blocks, sizeof *of_block, word, sync->number) : NULL;
    bool sees = cell->chain && (cell->block == sync->number ||
                                (cell->scope == SCOPE_DEVICE && scope == SCOPE_DEVICE));
    bool chained = sees && effect != EFFECT_STORE;
    struct note left = {.before = cell->chain, .fence = t->fence, .written = t->written};

    sync->before = *s;
    t->looked = true;
    if (chained) {
        if (of_block && of_block->chain == cell->chain)
            learn(&s->seen[SCOPE_BLOCK], &of_block->given);
        learn(&s->seen[SCOPE_DEVICE], &cell->given);
        s->known.operations = clock_with(s->known.operations, cell->chain, cell->number);
    }
    if (effect != EFFECT_READ) {
        if (!chained)
            *cell = (struct cell){.chain = ++chains};
        left.number = ++cell->number;
        t->written++;
        cell->block = sync->number;
        cell->scope = scope;
        give(sync, thread, cell, of_block, s->gift);
    }
    left.chain = cell->chain;
    t->fence &= is_volatile && effect == EFFECT_STORE;
    *note = t->note = keep_note(left, t->note);
    if (left.number) {
        struct last *last = entries_at(&lasts, sizeof *last, sync->number, thread);
        last->note = *note;
        last->time = s->time;
    }
    return &sync->before;
}

/* ---- the block's and the launch's end ---- */

void sync_block_end(struct sync *sync)
{
    for (unsigned i = 0; sync->fences && i < sync->threads; i++) {
        const struct thread *t = &sync->thread[i];
        uint32_t last = t->last_fence > sync->passed.time ? t->last_fence : sync->passed.time;
        if (t->looked)
            ((struct last *)entries_at(&lasts, sizeof(struct last), sync->number, i))->fence = last;
    }
}

bool sync_followed(uint32_t block, unsigned thread, uint32_t time)
{
    uint32_t number = map_find(&lasts.numbers, block, thread);
    return number != MAP_NONE && ((struct last *)lasts.entry)[number].fence > time;
}

bool sync_is_full(void)
{
    return full || clocks_are_full();
}

void sync_forget(void)
{
    chains = 0;
    note_count = 0;
    full = false;
    clocks_forget();
    map_forget(&cells.numbers);
    map_forget(&cells_of_blocks.numbers);
    map_forget(&lasts.numbers);
}
