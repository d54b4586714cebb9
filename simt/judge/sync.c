/* Vector clocks of threads and of the words by which they synchronise. */
#include "judge/sync.h"
#include "run/array.h"

#include <string.h>

/* A key of a clock of accesses is a block, one of its warps or one of its threads. */
enum { KEY_BITS = 11, KEY_BLOCK = 0, KEY_WARP = 1, KEY_THREAD = 1 << 10 };

static unsigned running;  /* blocks that run */
static clock_number kept; /* the last clock that a word or a section has; threads have the others */

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint64_t key_of(uint32_t block, unsigned what)
{
    return (uint64_t)block << KEY_BITS | what;
}

static void join(struct knowledge *k, const struct knowledge *more)
{
    if (more->accesses)
        k->accesses = clock_join(k->accesses, more->accesses);
    if (more->operations)
        k->operations = clock_join(k->operations, more->operations);
}

/* Joins what the thread hands over. */
static void join_release(struct knowledge *k, const struct sync *sync, unsigned thread,
                         const struct release *release)
{
    unsigned warp = thread / WARP_SIZE;

    join(k, &release->known);
    if (!release->own) /* it passed no fence since the last barrier */
        return;
    k->accesses = clock_with(k->accesses, key_of(sync->number, KEY_BLOCK), release->block);
    k->accesses = clock_with(k->accesses, key_of(sync->number, KEY_WARP + warp), release->warp);
    k->accesses = clock_with(k->accesses, key_of(sync->number, KEY_THREAD + thread), release->own);
}

/* ---- views ---- */

/* Moves the last operation that the thread saw into its clock. */
static void keep_last_seen(struct view *s)
{
    s->current.operations = clock_with(s->current.operations, s->saw_chain, s->saw_number);
    s->saw_chain = s->saw_number = 0;
}

/* The thread sees this operation. */
static void see(struct view *s, uint32_t chain, uint32_t number)
{
    if (s->saw_chain != chain)
        keep_last_seen(s);
    s->saw_chain = chain;
    s->saw_number = later(s->saw_number, number);
}

static bool saw_just_now(const struct view *s, uint32_t chain, uint32_t number)
{
    return s->saw_chain == chain && s->saw_number >= number;
}

bool sync_saw(const struct view *s, uint32_t chain, uint32_t number)
{
    return saw_just_now(s, chain, number) || clock_at(s->current.operations, chain) >= number ||
           clock_at(s->acquirable[SCOPE_DEVICE].operations, chain) >= number;
}

/* The thread, with a view of its own from now on. */
static struct thread *own_view(struct sync *sync, unsigned thread)
{
    struct thread *t = &sync->thread[thread];

    if (sync->epoch_of[thread] == sync->epoch)
        return t;
    t->view = sync->behind_barrier;
    t->fences = SCOPE_DEVICE + 1;
    sync->epoch_of[thread] = sync->epoch;
    sync->touched[sync->touches++] = (uint16_t)thread;
    return t;
}

/* The lanes whose access is not in what is known. */
static unsigned unordered_in(const struct knowledge *k, const struct access *old, unsigned lanes)
{
    const struct order *order = &old->order;

    if (!lanes || (!k->accesses && !k->operations))
        return lanes;
    if ((order->number && clock_at(k->operations, order->chain) >= order->number) ||
        clock_at(k->accesses, key_of(old->block, KEY_BLOCK)) > old->time ||
        clock_at(k->accesses, key_of(old->block, KEY_WARP + old->warp)) > old->time)
        return 0;
    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned thread = old->warp * WARP_SIZE + (unsigned)__builtin_ctz(left);
        if (clock_at(k->accesses, key_of(old->block, KEY_THREAD + thread)) > old->time)
            lanes &= ~(left & -left);
    }
    return lanes;
}

/* ---- locks ---- */

/* A critical section: from taking a lock to the thread's next operation on it. */
static struct section {
    uint64_t lock;         /* the word's name */
    uint32_t from;         /* the value from which it was taken (order_of) */
    uint32_t time;         /* the thread's then */
    uint32_t outer;        /* the section in which it was taken; 0: none */
    clock_number known[3]; /* accesses that the thread knew then, or would by a fence */
} * sections;              /* from 1 on */
static size_t section_count, section_room;

static void enter_section(struct thread *t, uint64_t lock, uint32_t from)
{
    const struct view *s = &t->view;

    if (!array_room((void **)&sections, section_count + 1, &section_room, INT32_MAX,
                    sizeof *sections))
        return;
    sections[++section_count] =
        (struct section){lock,
                         from,
                         ++t->view.time,
                         t->section,
                         {s->current.accesses, s->acquirable[SCOPE_BLOCK].accesses,
                          s->acquirable[SCOPE_DEVICE].accesses}};
    t->section = (uint32_t)section_count;
    t->fences = 0;
    for (int i = 0; i < 3; i++)
        kept = later(kept, sections[section_count].known[i]);
}

/* The outer section counts as fenced: the fences that it passed are no longer known. */
static bool leaves_section(struct thread *t, uint64_t lock)
{
    if (!t->section || sections[t->section].lock != lock)
        return false;
    t->section = sections[t->section].outer;
    t->fences = SCOPE_DEVICE + 1;
    return true;
}

unsigned sync_lacks_fence(const struct look *look, const struct access *old, unsigned lanes)
{
    const struct section *its = &sections[old->section];
    const struct section *own = &sections[look->sync->thread[look->touch->thread].section];

    if (!lanes || !old->section || own == sections || its->lock != own->lock ||
        its->from != own->from || access_is_in_order(old) ||
        (old->block == look->now.block && old->fenced))
        return 0;
    struct access taken = {.block = old->block, .warp = old->warp, .time = its->time};
    for (int i = 0; i < 3; i++)
        lanes = unordered_in(&(struct knowledge){own->known[i], 0}, &taken, lanes);
    return lanes;
}

/* ---- is one ordered before the other? ---- */

unsigned sync_unordered(const struct look *look, const struct access *old, unsigned lanes,
                        bool in_order)
{
    const struct sync *sync = look->sync;
    const struct view *s = look->view;
    const uint32_t *met = sync->thread[look->touch->thread].met;
    bool same_block = old->block == look->now.block;

    if (same_block && old->time < sync->behind_barrier.time)
        return 0;
    if (same_block && old->warp == look->now.warp) {
        lanes &= ~look->lanes;
        for (unsigned left = lanes; left; left &= left - 1)
            if (old->time < met[__builtin_ctz(left)])
                lanes &= ~(left & -left);
    }
    if (!look->fences)
        return lanes;
    bool saw = old->order.number && saw_just_now(s, old->order.chain, old->order.number);
    unsigned left = saw ? 0 : unordered_in(&s->current, old, lanes);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE && in_order; i++)
        left = unordered_in(&s->acquirable[i], old, left);
    left |= sync_lacks_fence(look, old, lanes & ~left);
    return clocks_lack() ? 0 : left;
}

/* ---- words ---- */

/* A word by which threads synchronise. Operations that see each other form a chain (PTX: a release
 * sequence, or morally strong operations in a row); a store begins a new one, and so does an
 * operation whose scope may not see the last write. What fences of the block's scope hand over
 * within a block is a second cell of the word and block, with `released` and `chain` alone. */
struct cell {
    struct knowledge released; /* what those who see the word's operations can acquire */
    uint32_t chain;
    uint32_t number; /* of the last write in the chain */
    uint32_t block;  /* that wrote it */
    enum scope scope;
};

static uint32_t chains;         /* so far */
static struct entries cells[2]; /* by scope */

/* ---- where threads meet ---- */

/* Adds the view of one of several threads that meet to what all of them know then. */
static void meet(struct view *joined, const struct sync *sync, unsigned thread)
{
    const struct view *s = &sync->thread[thread].view;

    joined->time = later(joined->time, s->time + 1);
    joined->warp_time = later(joined->warp_time, s->warp_time);
    join(&joined->current, &s->current);
    if (s->saw_chain)
        see(joined, s->saw_chain, s->saw_number);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE; i++) {
        join(&joined->acquirable[i], &s->acquirable[i]);
        if (s->release[i].fresh && !joined->release[i].fresh)
            joined->release[i] = (struct release){.fresh = true};
        if (s->release[i].fresh)
            join_release(&joined->release[i].known, sync, thread, &s->release[i]);
    }
}

/* Acquires what was seen up to this scope. */
static void acquire(struct view *s, enum scope scope)
{
    for (int i = (int)scope; i >= SCOPE_BLOCK; i--) {
        join(&s->current, &s->acquirable[i]);
        s->acquirable[i] = (struct knowledge){0};
    }
}

/* All threads of the block have this view from now on. */
static void set_barrier_view(struct sync *sync, const struct view *view)
{
    sync->epoch++;
    sync->touches = 0;
    sync->behind_barrier = *view;
}

/* Times go on from block to block, so the accesses of the place's last block are all earlier. */
void sync_block_begin(struct sync *sync, uint32_t block, unsigned threads)
{
    running++;
    sync->threads = threads;
    sync->scopes = atomic_program_has_block_fences();
    struct view view = {.time = sync->behind_barrier.time + 1};
    for (unsigned i = 0; i < sync->touches; i++)
        view.time = later(view.time, sync->thread[sync->touched[i]].view.time + 1);
    set_barrier_view(sync, &view);
    sync->number = block;
    for (unsigned i = 0; i < threads; i++) {
        struct thread *t = &sync->thread[i];
        t->fenced = t->operated = false;
        t->last_fence = t->round = t->section = 0;
        sync->last[i] = (struct last){0};
    }
}

void sync_block_end(struct sync *sync)
{
    for (unsigned i = 0; i < sync->threads; i++) {
        uint32_t fence = sync->thread[i].last_fence, barrier = sync->behind_barrier.time;
        if (sync->thread[i].operated)
            sync->last[i].fence = later(fence, barrier);
    }
    lasts_end(sync->number, sync->threads);
    if (--running == 0) {
        clocks_drop(kept);
        map_forget(&cells[SCOPE_BLOCK].numbers);
    }
}

void sync_barrier(struct sync *sync)
{
    struct view joined = sync->behind_barrier;

    joined.time++;
    for (unsigned i = 0; i < sync->touches; i++)
        meet(&joined, sync, sync->touched[i]);
    acquire(&joined, SCOPE_DEVICE);
    joined.release[SCOPE_BLOCK].fresh = joined.release[SCOPE_DEVICE].fresh = false;
    set_barrier_view(sync, &joined);
}

void sync_warp(struct sync *sync, unsigned warp, unsigned mask)
{
    unsigned first = warp * WARP_SIZE, left = sync->threads - first;
    unsigned all = left >= WARP_SIZE ? ~0u : (1u << left) - 1, come = mask & all;
    struct view joined = sync->behind_barrier;
    uint32_t met[WARP_SIZE] = {0};

    for (unsigned i = come; i; i &= i - 1) {
        const struct thread *t = own_view(sync, first + (unsigned)__builtin_ctz(i));
        meet(&joined, sync, first + (unsigned)__builtin_ctz(i));
        for (unsigned k = 0; k < WARP_SIZE; k++)
            met[k] = later(met[k], t->met[k]);
    }
    if (come == all)
        joined.warp_time = joined.time;
    for (unsigned i = come; i; i &= i - 1)
        met[__builtin_ctz(i)] = joined.time;
    for (unsigned i = come; i; i &= i - 1) {
        struct thread *t = &sync->thread[first + (unsigned)__builtin_ctz(i)];
        t->view = joined;
        t->fences = SCOPE_DEVICE + 1; /* perhaps another lane passed it */
        memcpy(t->met, met, sizeof met);
    }
}

/* Acquires, and prepares what the next write releases: what the thread knows, and what it did. */
void sync_fence(struct sync *sync, unsigned thread, enum scope scope)
{
    struct thread *t = own_view(sync, thread);
    struct view *s = &t->view;
    uint32_t met = later(sync->behind_barrier.time, s->warp_time);
    unsigned first = thread / WARP_SIZE * WARP_SIZE;

    t->last_fence = ++s->time;
    t->fences = t->fences > scope ? t->fences : (uint8_t)(scope + 1);
    t->fenced = true;
    acquire(s, scope);
    keep_last_seen(s);
    struct release release = {s->current, s->time, s->warp_time, sync->behind_barrier.time, true};
    for (unsigned i = 0; i < WARP_SIZE; i++)
        if (t->met[i] > met && i != thread % WARP_SIZE)
            release.known.accesses = clock_with(
                release.known.accesses, key_of(sync->number, KEY_THREAD + first + i), t->met[i]);
    for (unsigned i = SCOPE_BLOCK; i <= scope; i++)
        s->release[i] = release;
}

uint32_t sync_operation(struct sync *sync, unsigned thread, uint64_t word, enum effect effect,
                        uint32_t taken_from, struct access *access)
{
    enum scope scope = access->block_scope ? SCOPE_BLOCK : SCOPE_DEVICE, i;
    enum scope least = sync->scopes ? SCOPE_BLOCK : SCOPE_DEVICE;
    struct thread *t = own_view(sync, thread);
    struct cell *cell[2], *last;
    uint32_t before;

    for (i = least; i <= SCOPE_DEVICE; i++)
        cell[i] = entries_at(&cells[i], sizeof *last, word, i == SCOPE_BLOCK ? sync->number : 0);
    last = cell[SCOPE_DEVICE];
    before = last->chain;
    bool sees = before && (last->block == sync->number ||
                           (last->scope == SCOPE_DEVICE && scope == SCOPE_DEVICE));
    bool chained = sees && effect != EFFECT_STORE, writes = effect != EFFECT_READ;

    if (writes && !leaves_section(t, word) && taken_from)
        enter_section(t, word, taken_from);
    if (chained)
        see(&t->view, last->chain, last->number);
    for (i = least; i <= SCOPE_DEVICE && chained; i++)
        if (cell[i]->chain == last->chain)
            join(&t->view.acquirable[i], &cell[i]->released);
    if (writes && !chained)
        *last = (struct cell){.chain = ++chains};
    for (i = least; i <= SCOPE_DEVICE && writes; i++) {
        if (cell[i]->chain != last->chain)
            *cell[i] = (struct cell){.chain = last->chain};
        join_release(&cell[i]->released, sync, thread, &t->view.release[i]);
        kept = later(kept, later(cell[i]->released.accesses, cell[i]->released.operations));
    }
    if (writes) {
        last->number++;
        last->block = sync->number;
        last->scope = scope;
        sync->last[thread] = (struct last){last->chain, last->number, access->time, 0};
    }
    access->order = (struct order){last->chain, writes ? last->number : 0, t->round, t->fenced};
    t->round += writes;
    t->operated = true;
    t->fenced &= access->is_volatile && effect == EFFECT_STORE;
    return before;
}

bool sync_forget(void)
{
    chains = 0;
    section_count = 0;
    kept = 0;
    lasts_forget();
    map_forget(&cells[SCOPE_BLOCK].numbers);
    map_forget(&cells[SCOPE_DEVICE].numbers);
    return clocks_forget();
}
