/* Clocks of threads and of the words that they synchronise by. */
#include "judge/sync.h"
#include "run/array.h"

#include <string.h>

/* Keys of accesses in clocks: all of a block, of one of its warps, of one of its threads. */
enum { KEY_BITS = 11, KEY_BLOCK = 0, KEY_WARP = 1, KEY_THREAD = 1 << 10 };

/* Blocks that run; the last clock that a word or a lock's section has. The others are theirs. */
static unsigned running;
static clock_number kept;

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint64_t key_of(uint32_t block, unsigned what)
{
    return (uint64_t)block << KEY_BITS | what;
}

static void learn(struct knowledge *k, const struct knowledge *more)
{
    if (more->accesses)
        k->accesses = clock_join(k->accesses, more->accesses);
    if (more->operations)
        k->operations = clock_join(k->operations, more->operations);
}

/* What the thread hands over. */
static void learn_gift(struct knowledge *k, const struct sync *sync, unsigned thread,
                       const struct gift *gift)
{
    unsigned warp = thread / WARP_SIZE;

    learn(k, &gift->known);
    if (!gift->own) /* it passed no fence since the last barrier */
        return;
    k->accesses = clock_with(k->accesses, key_of(sync->number, KEY_BLOCK), gift->block);
    k->accesses = clock_with(k->accesses, key_of(sync->number, KEY_WARP + warp), gift->warp);
    k->accesses = clock_with(k->accesses, key_of(sync->number, KEY_THREAD + thread), gift->own);
}

/* ---- how threads stand ---- */

/* Puts the last operation that it saw to the others that it knows of. */
static void settle_saw(struct stands *s)
{
    s->known.operations = clock_with(s->known.operations, s->saw_chain, s->saw_number);
    s->saw_chain = s->saw_number = 0;
}

/* It saw this one. */
static void see(struct stands *s, uint32_t chain, uint32_t number)
{
    if (s->saw_chain != chain)
        settle_saw(s);
    s->saw_chain = chain;
    s->saw_number = later(s->saw_number, number);
}

static bool saw_last(const struct stands *s, uint32_t chain, uint32_t number)
{
    return s->saw_chain == chain && s->saw_number >= number;
}

bool sync_saw(const struct stands *s, uint32_t chain, uint32_t number)
{
    return saw_last(s, chain, number) || clock_at(s->known.operations, chain) >= number ||
           clock_at(s->seen[SCOPE_DEVICE].operations, chain) >= number;
}

/* How the thread stands, to be changed. */
static struct thread *touch(struct sync *sync, unsigned thread)
{
    struct thread *t = &sync->thread[thread];

    if (sync->epoch_of[thread] == sync->epoch)
        return t;
    t->stands = sync->passed;
    t->passed = SCOPE_DEVICE + 1;
    sync->epoch_of[thread] = sync->epoch;
    sync->touched[sync->touches++] = (uint16_t)thread;
    return t;
}

/* Of the lanes those whose access is not known of. */
static unsigned unknown(const struct knowledge *k, const struct access *old, unsigned lanes)
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

/* A section of a lock: the lock; what it was taken from; its thread's time then; what the thread
 * knew before, or had seen; and the section that it was in. */
static struct section {
    uint64_t lock;
    uint32_t from, time, outer;
    clock_number known[3];
} * sections; /* from 1 on */
static size_t section_count, section_room;

static void enter_section(struct thread *t, uint64_t lock, uint32_t from)
{
    const struct stands *s = &t->stands;

    if (!array_room((void **)&sections, section_count + 1, &section_room, INT32_MAX,
                    sizeof *sections))
        return;
    sections[++section_count] = (struct section){
        lock,
        from,
        ++t->stands.time,
        t->section,
        {s->known.accesses, s->seen[SCOPE_BLOCK].accesses, s->seen[SCOPE_DEVICE].accesses}};
    t->section = (uint32_t)section_count;
    t->passed = 0;
    for (int i = 0; i < 3; i++)
        kept = later(kept, sections[section_count].known[i]);
}

/* Of the outer one it is no longer known what it has passed: that counts as a fence. */
static bool leaves_section(struct thread *t, uint64_t lock)
{
    if (!t->section || sections[t->section].lock != lock)
        return false;
    t->section = sections[t->section].outer;
    t->passed = SCOPE_DEVICE + 1;
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
        lanes = unknown(&(struct knowledge){own->known[i], 0}, &taken, lanes);
    return lanes;
}

/* ---- does one know of the other? ---- */

unsigned sync_unordered(const struct look *look, const struct access *old, unsigned lanes,
                        bool in_order)
{
    const struct sync *sync = look->sync;
    const struct stands *s = look->stands;
    const uint32_t *met = sync->thread[look->touch->thread].met;
    bool same_block = old->block == look->now.block;

    if (same_block && old->time < sync->passed.time)
        return 0;
    if (same_block && old->warp == look->now.warp) {
        lanes &= ~look->lanes;
        for (unsigned left = lanes; left; left &= left - 1)
            if (old->time < met[__builtin_ctz(left)])
                lanes &= ~(left & -left);
    }
    if (!look->fences)
        return lanes;
    bool saw = old->order.number && saw_last(s, old->order.chain, old->order.number);
    unsigned left = saw ? 0 : unknown(&s->known, old, lanes);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE && in_order; i++)
        left = unknown(&s->seen[i], old, left);
    left |= sync_lacks_fence(look, old, lanes & ~left);
    return clocks_lack() ? 0 : left;
}

/* ---- words ---- */

/* What operations on a word hand over to those that see them, and who wrote it last: as the how
 * manieth of a chain, which is broken by a store, and by an operation that may not see the last
 * write. What they hand over to those of one block alone, by fences of its scope, too, is in a cell
 * of its own, of which only the chain and what is given count. */
struct cell {
    struct knowledge given;
    uint32_t chain, number, block;
    enum scope scope;
};

static uint32_t chains;
static struct entries cells[2]; /* by scope */

/* ---- where threads meet ---- */

/* What one of several that meet adds to what all of them know then. */
static void meet(struct stands *joined, const struct sync *sync, unsigned thread)
{
    const struct stands *s = &sync->thread[thread].stands;

    joined->time = later(joined->time, s->time + 1);
    joined->warp_time = later(joined->warp_time, s->warp_time);
    learn(&joined->known, &s->known);
    if (s->saw_chain)
        see(joined, s->saw_chain, s->saw_number);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE; i++) {
        learn(&joined->seen[i], &s->seen[i]);
        if (s->gives[i].fresh && !joined->gives[i].fresh)
            joined->gives[i] = (struct gift){.fresh = true};
        if (s->gives[i].fresh)
            learn_gift(&joined->gives[i].known, sync, thread, &s->gives[i]);
    }
}

/* What was handed over up to this scope is taken over. */
static void take_over(struct stands *s, enum scope scope)
{
    for (int i = (int)scope; i >= SCOPE_BLOCK; i--) {
        learn(&s->known, &s->seen[i]);
        s->seen[i] = (struct knowledge){0};
    }
}

/* All stand so from here on. */
static void go_on(struct sync *sync, const struct stands *passed)
{
    sync->epoch++;
    sync->touches = 0;
    sync->passed = *passed;
}

/* Times go on from block to block: what the place's last one did counts no more. */
void sync_block_begin(struct sync *sync, uint32_t block, unsigned threads)
{
    running++;
    sync->threads = threads;
    sync->scopes = atomic_program_has_block_fences();
    struct stands passed = {.time = sync->passed.time + 1};
    for (unsigned i = 0; i < sync->touches; i++)
        passed.time = later(passed.time, sync->thread[sync->touched[i]].stands.time + 1);
    go_on(sync, &passed);
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
        uint32_t fence = sync->thread[i].last_fence, barrier = sync->passed.time;
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
    struct stands joined = sync->passed;

    joined.time++;
    for (unsigned i = 0; i < sync->touches; i++)
        meet(&joined, sync, sync->touched[i]);
    take_over(&joined, SCOPE_DEVICE);
    joined.gives[SCOPE_BLOCK].fresh = joined.gives[SCOPE_DEVICE].fresh = false;
    go_on(sync, &joined);
}

void sync_warp(struct sync *sync, unsigned warp, unsigned mask)
{
    unsigned first = warp * WARP_SIZE, left = sync->threads - first;
    unsigned all = left >= WARP_SIZE ? ~0u : (1u << left) - 1, come = mask & all;
    struct stands joined = sync->passed;
    uint32_t met[WARP_SIZE] = {0};

    for (unsigned i = come; i; i &= i - 1) {
        const struct thread *t = touch(sync, first + (unsigned)__builtin_ctz(i));
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
        t->stands = joined;
        t->passed = SCOPE_DEVICE + 1; /* maybe another one's */
        memcpy(t->met, met, sizeof met);
    }
}

/* What a thread knows that passes a fence now, and what it has done, it hands over. */
void sync_fence(struct sync *sync, unsigned thread, enum scope scope)
{
    struct thread *t = touch(sync, thread);
    struct stands *s = &t->stands;
    uint32_t met = later(sync->passed.time, s->warp_time);
    unsigned first = thread / WARP_SIZE * WARP_SIZE;

    t->last_fence = ++s->time;
    t->passed = t->passed > scope ? t->passed : (uint8_t)(scope + 1);
    t->fenced = true;
    take_over(s, scope);
    settle_saw(s);
    struct gift gift = {s->known, s->time, s->warp_time, sync->passed.time, true};
    for (unsigned i = 0; i < WARP_SIZE; i++)
        if (t->met[i] > met && i != thread % WARP_SIZE)
            gift.known.accesses = clock_with(
                gift.known.accesses, key_of(sync->number, KEY_THREAD + first + i), t->met[i]);
    for (unsigned i = SCOPE_BLOCK; i <= scope; i++)
        s->gives[i] = gift;
}

uint32_t sync_operation(struct sync *sync, unsigned thread, uint64_t word, enum effect effect,
                        uint32_t takes, struct access *access)
{
    enum scope scope = access->block_scope ? SCOPE_BLOCK : SCOPE_DEVICE, i;
    enum scope least = sync->scopes ? SCOPE_BLOCK : SCOPE_DEVICE;
    struct thread *t = touch(sync, thread);
    struct cell *cell[2], *last;
    uint32_t before;

    for (i = least; i <= SCOPE_DEVICE; i++)
        cell[i] = entries_at(&cells[i], sizeof *last, word, i == SCOPE_BLOCK ? sync->number : 0);
    last = cell[SCOPE_DEVICE];
    before = last->chain;
    bool sees = before && (last->block == sync->number ||
                           (last->scope == SCOPE_DEVICE && scope == SCOPE_DEVICE));
    bool chained = sees && effect != EFFECT_STORE, writes = effect != EFFECT_READ;

    if (writes && !leaves_section(t, word) && takes)
        enter_section(t, word, takes);
    if (chained)
        see(&t->stands, last->chain, last->number);
    for (i = least; i <= SCOPE_DEVICE && chained; i++)
        if (cell[i]->chain == last->chain)
            learn(&t->stands.seen[i], &cell[i]->given);
    if (writes && !chained)
        *last = (struct cell){.chain = ++chains};
    for (i = least; i <= SCOPE_DEVICE && writes; i++) {
        if (cell[i]->chain != last->chain)
            *cell[i] = (struct cell){.chain = last->chain};
        learn_gift(&cell[i]->given, sync, thread, &t->stands.gives[i]);
        kept = later(kept, later(cell[i]->given.accesses, cell[i]->given.operations));
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
