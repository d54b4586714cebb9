/* The views of threads, and what barriers, fences and operations do to them. */
#include "judge/sync.h"
#include "run/array.h"

#include <string.h>

/* ---- views: joins, releases and acquires ---- */

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* A key of a clock: the block (what = 0), one of its warps, one of its threads; a chain. */
enum { KEY_BITS = 11, KEY_BLOCK = 0, KEY_WARP = 1, KEY_THREAD = 1 << 10 };
static uint64_t key_of(uint32_t block, unsigned what)
{
    return (uint64_t)block << KEY_BITS | what;
}

static uint64_t key_of_chain(uint32_t chain)
{
    return (uint64_t)1 << 48 | chain;
}

/* Moves the last operation that the thread saw into its clock. */
static void keep_last_seen(struct view *view)
{
    vector_clock_add(&view->current, key_of_chain(view->saw_chain), view->saw_number);
    view->saw_chain = view->saw_number = 0;
}

/* The thread sees an operation: this number of the chain. */
static void see(struct view *view, uint32_t chain, uint32_t number)
{
    if (view->saw_chain != chain)
        keep_last_seen(view);
    view->saw_chain = chain;
    view->saw_number = later(view->saw_number, number);
}

/* Acquires what the thread saw by operations up to this scope. */
static void acquire(struct view *view, enum scope scope)
{
    for (int i = (int)scope; i >= SCOPE_BLOCK; i--) {
        vector_clock_join(&view->current, view->acquirable[i]);
        view->acquirable[i] = 0;
    }
}

bool view_saw(const struct view *view, uint32_t chain, uint32_t number)
{
    return view_saw_last(view, chain, number) ||
           vector_clock_at(view->current, key_of_chain(chain)) >= number ||
           vector_clock_at(view->acquirable[SCOPE_DEVICE], key_of_chain(chain)) >= number;
}

unsigned view_unordered(vector_clock known, const struct access *access, unsigned lanes)
{
    const struct order *order = &access->order;
    uint32_t block = access->block, time = access->time;

    if (!lanes || !known)
        return lanes;
    if ((order->number && vector_clock_at(known, key_of_chain(order->chain)) >= order->number) ||
        vector_clock_at(known, key_of(block, KEY_BLOCK)) > time ||
        vector_clock_at(known, key_of(block, KEY_WARP + access->warp)) > time)
        return 0;
    EACH_LANE(i, lanes) {
        unsigned thread = access->warp * WARP_SIZE + (unsigned)i;
        if (vector_clock_at(known, key_of(block, KEY_THREAD + thread)) > time)
            lanes &= ~(1u << i);
    }
    return lanes;
}

/* ---- words by which threads synchronise ---- */

/* A word by which threads synchronise. Operations that see each other form a chain (PTX: a release
 * sequence, or morally strong operations in a row). A store begins a new chain, and so does an
 * operation whose scope may not see the last write. Fences of the block's scope release within one
 * block alone: what they release is in a second cell, of the word and the block. */
struct cell {
    vector_clock released; /* what an operation that sees the word's last write can acquire */
    uint32_t chain;        /* its chain */
    /* not in the second cell: */
    uint32_t number;  /* of the chain's last write */
    uint32_t block;   /* that made it */
    enum scope scope; /* of that write */
};

static unsigned running;        /* blocks that run */
static uint32_t chains;         /* how many there have been */
static struct entries cells[2]; /* by scope */

static struct section {
    uint64_t lock;      /* name of the word (words_name) */
    uint32_t from;      /* hash of the value from which the lock was taken (run/event.h) */
    uint32_t time;      /* the thread's logical time then */
    uint32_t outer;     /* number of the section in which it was taken; 0: none */
    vector_clock known; /* what the thread knew then, or would know behind a fence */
} * sections;           /* by their numbers, from 1 on */
static size_t section_count, section_room;

static vector_clock last_clock; /* that a cell or section has: later ones are threads' alone */

/* The thread, with a view of its own from now on. */
static struct thread *own_view(struct sync *sync, unsigned thread)
{
    struct thread *t = &sync->thread[thread];

    if (sync->epoch_of[thread] == sync->epoch)
        return t;
    t->view = sync->behind_barrier;
    t->holding.fences = HOLDING_FENCED;
    sync->epoch_of[thread] = sync->epoch;
    return t;
}

/* ---- where threads meet ---- */

/* Adds what the thread's next write by an operation releases. */
static void release(vector_clock *clock, const struct sync *sync, unsigned thread, enum scope scope)
{
    const struct view *view = &sync->thread[thread].view;

    vector_clock_join(clock, view->released[scope]);
    if (!view->fence[scope])
        return;
    vector_clock_add(clock, key_of(sync->number, KEY_BLOCK), sync->behind_barrier.time);
    vector_clock_add(clock, key_of(sync->number, KEY_WARP + thread / WARP_SIZE), view->warp_time);
    vector_clock_add(clock, key_of(sync->number, KEY_THREAD + thread), view->fence[scope]);
}

/* Adds the view of one of the threads that meet to the view that all of them then have. */
static void meet(struct view *joined, const struct sync *sync, unsigned thread)
{
    const struct view *s = &sync->thread[thread].view;

    joined->time = later(joined->time, s->time + 1);
    joined->warp_time = later(joined->warp_time, s->warp_time);
    vector_clock_join(&joined->current, s->current);
    if (s->saw_chain)
        see(joined, s->saw_chain, s->saw_number);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE; i++) {
        vector_clock_join(&joined->acquirable[i], s->acquirable[i]);
        release(&joined->released[i], sync, thread, i);
    }
}

/* All threads of the block have this view from now on. */
static void set_barrier_view(struct sync *sync, const struct view *view)
{
    sync->epoch++;
    sync->phase += sync->arrived == 0;
    sync->arrived = 0;
    sync->behind_barrier = *view;
}

/* Times go on from block to block: all accesses of the block that ran here before are earlier. */
void sync_block_begin(struct sync *sync, uint32_t block, unsigned threads)
{
    running++;
    sync->scopes = atomic_program_has_block_fences();
    struct view view = {.time = sync->behind_barrier.time + 1};
    for (unsigned i = 0; i < sync->threads; i++)
        view.time = later(view.time, sync_view(sync, i)->time + 1);
    sync->arrived = 0;
    set_barrier_view(sync, &view);
    sync->number = block;
    sync->threads = threads;
    for (unsigned i = 0; i < threads; i++) {
        struct thread *t = &sync->thread[i];
        t->fenced = t->operated = false;
        t->last_fence = t->round = 0;
        t->holding = (struct holding){0};
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
    last_end(sync->number, sync->threads);
    if (--running == 0) {
        vector_clock_drop(last_clock);
        map_forget(&cells[SCOPE_BLOCK].numbers);
    }
}

/* All threads of the block meet. If they have passed a fence at one time, the block's key stands
 * for those of its threads: else the clocks of a grid that waits for itself have a key for each of
 * its threads. */
static void release_as_one(struct sync *sync, struct view *joined, enum scope scope)
{
    uint32_t time = sync->thread[0].view.fence[scope];

    for (unsigned i = 0; i < sync->threads; i++)
        if (sync->epoch_of[i] != sync->epoch || sync->thread[i].view.fence[scope] != time)
            return;
    for (unsigned i = 0; i < sync->threads; i++)
        sync->thread[i].view.fence[scope] = 0;
    vector_clock_add(&joined->released[scope], key_of(sync->number, KEY_BLOCK), time);
}

void sync_barrier(struct sync *sync)
{
    struct view joined = sync->behind_barrier;

    joined.time++;
    release_as_one(sync, &joined, SCOPE_BLOCK);
    release_as_one(sync, &joined, SCOPE_DEVICE);
    for (unsigned i = 0; i < sync->threads; i++)
        if (sync->epoch_of[i] == sync->epoch)
            meet(&joined, sync, i);
    joined.time -= joined.time == sync->arrived + 1;
    acquire(&joined, SCOPE_DEVICE);
    set_barrier_view(sync, &joined);
}

/* Threads that have yet to come may pass so many fences before. */
enum { BEFORE_ARRIVAL = 64 };

void sync_arrive(struct sync *sync, unsigned thread)
{
    uint32_t *time = &own_view(sync, thread)->view.time;

    if (sync->arrived == 0)
        sync->arrived = *time + BEFORE_ARRIVAL;
    *time = later(*time, sync->arrived);
}

void sync_warp(struct sync *sync, unsigned warp, unsigned mask)
{
    unsigned first = warp * WARP_SIZE, all = lanes_of_warp(sync->threads, warp), come = mask & all;
    struct view joined = sync->behind_barrier;
    uint32_t met[WARP_SIZE] = {0};

    EACH_LANE(i, come) {
        const struct thread *t = own_view(sync, first + (unsigned)i);
        meet(&joined, sync, first + (unsigned)i);
        for (unsigned k = 0; k < WARP_SIZE; k++)
            met[k] = later(met[k], t->met[k]);
    }
    if (come == all)
        joined.warp_time = joined.time;
    EACH_LANE(i, come) {
        met[i] = joined.time;
    }
    EACH_LANE(i, come) {
        struct thread *t = &sync->thread[first + (unsigned)i];
        t->view = joined;
        t->holding.fences = HOLDING_FENCED; /* another lane may have passed the fence */
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
    t->holding.fences = (uint8_t)later(t->holding.fences, scope + 1);
    t->fenced = true;
    acquire(s, scope);
    keep_last_seen(s);
    vector_clock released = s->current;
    for (unsigned i = 0; i < WARP_SIZE; i++)
        if (t->met[i] > met && i != thread % WARP_SIZE)
            vector_clock_add(&released, key_of(sync->number, KEY_THREAD + first + i), t->met[i]);
    for (unsigned i = SCOPE_BLOCK; i <= scope; i++) {
        s->released[i] = released;
        s->fence[i] = s->time;
    }
}

/* ---- critical sections ---- */

/* The thread takes the lock, the word of this name. Its time goes on by one. */
static void take_lock(struct holding *holding, struct view *view, uint64_t lock, uint32_t from)
{
    if (!array_room((void **)&sections, section_count + 1, &section_room, INT32_MAX,
                    sizeof *sections))
        return;
    struct view known = *view;
    acquire(&known, SCOPE_DEVICE);
    view->time++;
    sections[++section_count] =
        (struct section){lock, from, view->time, holding->section, known.current};
    *holding = (struct holding){.section = (uint32_t)section_count};
    last_clock = later(last_clock, known.current);
}

/* The thread writes the word by an operation. Does it leave the section of this lock? The outer
 * section counts as fenced, because its fences are no longer known. */
static bool leaves_section(struct holding *holding, uint64_t lock)
{
    if (!holding->section || sections[holding->section].lock != lock)
        return false;
    *holding = (struct holding){sections[holding->section].outer, HOLDING_FENCED};
    return true;
}

unsigned sync_lacks_fence(const struct sync *sync, unsigned thread, const struct access *old,
                          unsigned lanes)
{
    const struct holding *holding = &sync->thread[thread].holding;
    const struct section *its = &sections[old->section], *own = &sections[holding->section];

    if (!lanes || !old->section || !holding->section || its->lock != own->lock ||
        its->from != own->from || access_is_in_order(old) ||
        (old->block == sync->number && old->fenced))
        return 0;
    /* more than the lock orders them if the thread knew already that the lock was taken */
    struct access taken = {.block = old->block, .warp = old->warp, .time = its->time};
    return view_unordered(own->known, &taken, lanes);
}

/* ---- operations ---- */

/* The cells of the word, of which a program without fences of the block's scope has one alone: from
 * *least on. */
static void find_cells(const struct sync *sync, uint64_t word, struct cell *cell[2], int *least)
{
    *least = sync->scopes ? SCOPE_BLOCK : SCOPE_DEVICE;
    for (int i = *least; i <= SCOPE_DEVICE; i++)
        cell[i] = entries_at(&cells[i], sizeof *cell[i], word, i == SCOPE_BLOCK ? sync->number : 0);
}

/* The thread writes the word: its release joins what the word's chain has released. */
static void release_to(struct cell *cell[2], int least, const struct sync *sync, unsigned thread)
{
    for (int i = least; i <= SCOPE_DEVICE; i++) {
        if (cell[i]->chain != cell[SCOPE_DEVICE]->chain)
            *cell[i] = (struct cell){.chain = cell[SCOPE_DEVICE]->chain};
        release(&cell[i]->released, sync, thread, i);
        last_clock = later(last_clock, cell[i]->released);
    }
}

uint32_t sync_operation(struct sync *sync, unsigned thread, uint64_t word, enum effect effect,
                        uint32_t taken_from, struct access *access)
{
    enum scope scope = access->block_scope ? SCOPE_BLOCK : SCOPE_DEVICE;
    struct thread *t = own_view(sync, thread);
    struct cell *cell[2], *last;
    int least;

    find_cells(sync, word, cell, &least);
    last = cell[SCOPE_DEVICE];
    uint32_t before = last->chain;
    bool sees = before && (last->block == sync->number ||
                           (last->scope == SCOPE_DEVICE && scope == SCOPE_DEVICE));
    bool chained = sees && effect != EFFECT_STORE, writes = effect != EFFECT_READ;

    bool leaves = writes && leaves_section(&t->holding, word);
    if (writes && !leaves && taken_from)
        take_lock(&t->holding, &t->view, word, taken_from);
    if (chained)
        see(&t->view, last->chain, last->number);
    for (int i = least; i <= SCOPE_DEVICE && chained; i++)
        if (cell[i]->chain == last->chain)
            vector_clock_join(&t->view.acquirable[i], cell[i]->released);
    if (writes && !chained)
        *last = (struct cell){.chain = ++chains};
    if (writes) {
        release_to(cell, least, sync, thread);
        last->number++;
        last->block = sync->number;
        last->scope = scope;
        sync->last[thread] = (struct last){last->chain, last->number, access->time, 0};
    }
    access->order = (struct order){last->chain, writes ? last->number : 0, t->round, t->fenced};
    t->round += writes;
    t->operated = true;
    t->fenced &= !leaves || t->holding.section;
    return before;
}

void sync_forget(void)
{
    chains = last_clock = section_count = 0;
    last_forget();
    map_forget(&cells[SCOPE_BLOCK].numbers);
    map_forget(&cells[SCOPE_DEVICE].numbers);
    vector_clock_forget();
}
