/* Clocks of threads and of the words that they synchronise by. See handover.h for the rules. */
#include "judge/handover.h"
#include "judge/array.h"
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

/* How a thread stands, and others that it has met. warp_time: behind the last __syncwarp of its
 * whole warp. number: as a standing. */
struct state {
    uint32_t time, warp_time, number;
    struct knowledge known, seen[2];
    struct gift gift[2];
};

struct thread {
    struct state state;
    uint32_t epoch;      /* of the block, when the state was last changed */
    struct group *group; /* the __syncwarp that it waits in, or has left: it stands as that says */
    bool fence, looked;  /* fence: as in struct standing; looked: it made an operation */
    uint32_t section, section_fence;   /* as in struct standing */
    uint32_t last_fence;               /* the time */
    uint32_t merged, merged_epoch;     /* the standing in front of what is merged next */
    uint32_t first, next, behind[256]; /* those behind its next synchronisations, as a ring: a log
                                          has room for fewer. first, next only grow */
};

/* Lanes that meet at a __syncwarp. When they go on all of them have come. */
struct group {
    unsigned mask, lanes; /* lanes: which have come, and not gone on */
    bool left;            /* some have gone on */
    struct state joined;
};

struct handover {
    uint32_t number, epoch; /* the block's index; grows with each barrier */
    unsigned threads;
    bool scopes;         /* are there fences whose scope is the block? */
    struct state passed; /* how all stand behind the last barrier, */
    uint16_t touched[MAX_LANES];
    unsigned touches; /* but for these */
    struct thread thread[MAX_LANES];
    struct group group[MAX_WARPS][WARP_SIZE + 1];
};

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
static void learn_gift(struct knowledge *k, const struct handover *h, unsigned thread,
                       const struct gift *gift)
{
    learn(k, &gift->known);
    learn_key(k, key_of(h->number, 0), gift->block);
    learn_key(k, key_of(h->number, KEY_WARP + thread / WARP_SIZE), gift->warp);
    learn_key(k, key_of(h->number, KEY_THREAD + thread), gift->own);
}

/* ---- threads ---- */

static struct standing standing_in(const struct state *s)
{
    return (struct standing){.time = s->time,
                             .known = s->known.accesses,
                             .seen = {s->seen[0].accesses, s->seen[1].accesses},
                             .known_operations = s->known.operations,
                             .seen_operations = {s->seen[0].operations, s->seen[1].operations}};
}

static void push(struct thread *t, uint32_t number)
{
    t->behind[t->next++ % 256] = number;
}

/* The thread stands elsewhere now, unless it polls. It does so from when that is merged on. */
static void stand(struct thread *t, struct standing now)
{
    struct standing old = standing_of(t->state.number);

    now.section = t->section;
    now.section_fence = t->section ? t->section_fence : 0;
    if (memcmp(&now, &old, sizeof old) != 0)
        t->state.number = standing_keep(&now);
    push(t, t->state.number);
}

/* How the thread stands now, to be changed. */
static struct thread *thread_at(struct handover *h, unsigned thread)
{
    struct thread *t = &h->thread[thread];

    if (t->epoch != h->epoch) {
        t->section_fence = SCOPE_DEVICE + 1; /* a barrier does for one */
        t->state = h->passed;
        t->epoch = h->epoch;
        h->touched[h->touches++] = (uint16_t)thread;
    } else if (t->group) {
        t->state = t->group->joined;
        t->group->left = true;
        t->group->lanes &= ~(1u << thread % WARP_SIZE);
    }
    t->group = NULL;
    return t;
}

struct handover *handover_new(void)
{
    struct handover *h = calloc(1, sizeof *h);

    if (!h)
        array_no_memory();
    h->scopes = atomic_program_has_block_fences();
    return h;
}

void handover_block_begin(struct handover *h, uint32_t block, unsigned threads)
{
    h->number = block;
    h->threads = threads;
    h->epoch++; /* what the place's last block did counts no more */
    h->touches = 0;
    h->passed = (struct state){.time = 0};
    for (unsigned i = 0; i < threads; i++) {
        struct thread *t = &h->thread[i];
        t->fence = t->looked = false;
        t->last_fence = t->section = t->section_fence = 0;
        t->first = t->next;
    }
    memset(h->group, 0, (threads + WARP_SIZE - 1) / WARP_SIZE * sizeof h->group[0]);
}

void handover_fence(struct handover *h, unsigned thread, int scope)
{
    struct thread *t = thread_at(h, thread);
    struct state *s = &t->state;

    s->time++;
    t->last_fence = s->time;
    t->fence = true;
    for (int i = scope; i >= SCOPE_BLOCK; i--) {
        learn(&s->known, &s->seen[i]);
        s->seen[i] = (struct knowledge){0};
    }
    for (int i = SCOPE_BLOCK; i <= scope; i++)
        s->gift[i] = (struct gift){s->known, s->time, s->warp_time, h->passed.time, true};
    if (t->section_fence <= (unsigned)scope)
        t->section_fence = (unsigned)scope + 1;
    stand(t, standing_in(s));
}

/* What one of several that meet adds to what all of them know then. */
static void meet(struct state *joined, const struct handover *h, unsigned thread,
                 const struct state *s)
{
    learn(&joined->known, &s->known);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE; i++) {
        learn(&joined->seen[i], &s->seen[i]);
        if (s->gift[i].fresh && !joined->gift[i].fresh)
            joined->gift[i] = (struct gift){.fresh = true};
        if (s->gift[i].fresh)
            learn_gift(&joined->gift[i].known, h, thread, &s->gift[i]);
    }
    if (s->time >= joined->time)
        joined->time = s->time + 1;
}

static struct group *group_at(struct handover *h, unsigned warp, unsigned mask)
{
    struct group *free = NULL;

    for (int i = 0; i <= WARP_SIZE; i++) {
        struct group *g = &h->group[warp][i];
        if (g->lanes && !g->left && g->mask == mask)
            return g;
        if (!g->lanes)
            free = g;
    }
    *free = (struct group){.mask = mask, .joined = h->passed};
    free->joined.number = standing_reserve();
    return free;
}

void handover_syncwarp(struct handover *h, unsigned thread, unsigned mask)
{
    struct thread *t = thread_at(h, thread);
    unsigned warp = thread / WARP_SIZE, left = h->threads - warp * WARP_SIZE;
    unsigned all = left >= WARP_SIZE ? ~0u : (1u << left) - 1;
    struct group *group = group_at(h, warp, mask);
    struct state *joined = &group->joined;

    group->lanes |= 1u << thread % WARP_SIZE;
    meet(joined, h, thread, &t->state);
    joined->warp_time = t->state.warp_time;
    if ((mask & all) == all)
        joined->warp_time = joined->time;
    else
        learn_key(&joined->known, key_of(h->number, KEY_THREAD + thread), t->state.time + 1);
    struct standing now = standing_in(joined);
    standing_settle(joined->number, &now);
    t->group = group;
    push(t, joined->number);
}

void handover_barrier(struct handover *h)
{
    struct state joined = h->passed;

    joined.time++;
    for (unsigned i = 0; i < h->touches; i++)
        meet(&joined, h, h->touched[i], &thread_at(h, h->touched[i])->state);
    for (int i = SCOPE_DEVICE; i >= SCOPE_BLOCK; i--) {
        learn(&joined.known, &joined.seen[i]);
        joined.seen[i] = (struct knowledge){0};
        joined.gift[i].fresh = false;
    }
    struct standing now = standing_in(&joined);
    joined.number = standing_keep(&now);
    h->epoch++;
    h->touches = 0;
    h->passed = joined;
}

/* ---- words ---- */

/* What operations on a word hand over to those that see them, and who wrote it last: as the how
 * manieth of a chain, which is broken by a store, and by an operation that may not see the last
 * write. */
struct cell {
    struct knowledge given;
    uint32_t chain, number, block;
    int scope;
};

/* What they hand over to those of one block, by fences of its scope, too. */
struct cell_of_block {
    struct knowledge given;
    uint32_t chain; /* the cell's that it belongs to */
    bool more;      /* it is not a part of what is handed over to all */
};

static uint32_t chains;

/* The entry of a key in an array of things of `size` bytes, a new one if need be. */
struct table {
    struct map numbers;
    void *entry;
    size_t room;
};

static void *entry_of(struct table *table, size_t size, uint64_t a, uint32_t b)
{
    uint32_t count = table->numbers.count, number = map_number(&table->numbers, a, b);

    if (number == MAP_NONE || !array_room(&table->entry, number, &table->room, SIZE_MAX, size))
        array_no_memory();
    void *entry = (char *)table->entry + number * size;
    return number == count ? memset(entry, 0, size) : entry;
}

static struct table cells, cells_of_blocks;

static void give(struct handover *h, unsigned thread, struct cell *cell,
                 struct cell_of_block *of_block, const struct gift gift[2])
{
    learn_gift(&cell->given, h, thread, &gift[SCOPE_DEVICE]);
    cell->given.chain = cell->chain;
    cell->given.number = cell->number;
    cell->given.whole = true;
    if (!of_block)
        return;
    if (of_block->chain != cell->chain)
        *of_block = (struct cell_of_block){.chain = cell->chain};
    learn_gift(&of_block->given, h, thread, &gift[SCOPE_BLOCK]);
    of_block->more |= gift[SCOPE_BLOCK].own != gift[SCOPE_DEVICE].own ||
                      gift[SCOPE_BLOCK].known.accesses != gift[SCOPE_DEVICE].known.accesses;
    of_block->given.chain = of_block->more ? 0 : cell->chain;
    of_block->given.number = cell->number;
    of_block->given.whole = false;
}

/* A section of a lock: of which, when it was taken, how the thread stood before, and the section
 * that it was in. */
struct section {
    uint64_t lock;
    uint32_t time, before, outer;
};
static struct section *sections; /* from 1 on */
static size_t section_count, section_room;

static void enter_section(struct thread *t, uint64_t lock, uint32_t before)
{
    if (!array_room((void **)&sections, section_count + 1, &section_room, UINT32_MAX,
                    sizeof *sections))
        return;
    sections[++section_count] = (struct section){lock, t->state.time, before, t->section};
    t->section = (uint32_t)section_count;
    t->section_fence = 0;
}

/* Of the outer one it is no longer known what it has passed: it counts as fenced. */
static void leave_section(struct thread *t, uint64_t lock)
{
    if (t->section == 0 || sections[t->section].lock != lock)
        return;
    t->section = sections[t->section].outer;
    t->section_fence = SCOPE_DEVICE + 1;
}

bool handover_lacks_fence(const struct standing *first, const struct happened *access,
                          const struct standing *second, uint32_t second_block)
{
    const struct section *a = &sections[first->section], *b = &sections[second->section];
    unsigned scope = access->block == second_block ? SCOPE_BLOCK : SCOPE_DEVICE;

    if (!first->section || !second->section || first->section_fence > scope || a->lock != b->lock)
        return false;
    struct happened taken = {.block = access->block, .thread = access->thread, .time = a->time};
    struct standing before = standing_of(b->before);
    return !standing_knows(&before, false, &taken);
}

void handover_operation(struct handover *h, unsigned thread, uint64_t word, int scope,
                        enum effect effect, bool is_volatile, bool is_cas)
{
    struct thread *t = thread_at(h, thread);
    struct state *s = &t->state;
    struct cell *cell = entry_of(&cells, sizeof *cell, word, 0);
    struct cell_of_block *of_block =
        h->scopes ? entry_of(&cells_of_blocks, sizeof *of_block, word, h->number) : NULL;
    bool sees = cell->chain && (cell->block == h->number ||
                                (cell->scope == SCOPE_DEVICE && scope == SCOPE_DEVICE));
    bool chained = sees && effect != EFFECT_STORE;
    uint32_t before = cell->chain, stood = s->number;

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
        cell->number++;
        cell->block = h->number;
        cell->scope = scope;
        give(h, thread, cell, of_block, s->gift);
        leave_section(t, word);
        if (is_cas && effect == EFFECT_CHANGE)
            enter_section(t, word, stood);
    }
    struct standing behind = standing_in(s);
    behind.before = before;
    behind.chain = cell->chain;
    behind.number = effect == EFFECT_READ ? 0 : cell->number;
    behind.fence = t->fence;
    t->fence &= is_volatile && effect == EFFECT_STORE;
    stand(t, behind);
}

/* ---- as it is merged ---- */

void handover_merged(struct handover *h, unsigned warp, unsigned lanes)
{
    for (unsigned left = lanes; left; left &= left - 1) {
        struct thread *t = &h->thread[warp * WARP_SIZE + (unsigned)__builtin_ctz(left)];
        if (t->first == t->next)
            continue;
        t->merged = t->behind[t->first++ % 256];
        t->merged_epoch = h->epoch;
    }
}

uint32_t handover_now(const struct handover *h, unsigned thread)
{
    const struct thread *t = &h->thread[thread];
    return t->merged_epoch == h->epoch ? t->merged : h->passed.number;
}

uint32_t handover_behind(const struct handover *h, unsigned thread)
{
    const struct thread *t = &h->thread[thread];
    return t->first == t->next ? 0 : t->behind[t->first % 256];
}

unsigned handover_together(const struct handover *h, unsigned warp, unsigned lanes, bool operation)
{
    unsigned first = warp * WARP_SIZE + (unsigned)__builtin_ctz(lanes), together = lanes & -lanes;

    for (unsigned left = lanes & (lanes - 1); left; left &= left - 1) {
        unsigned thread = warp * WARP_SIZE + (unsigned)__builtin_ctz(left);
        if (standings_alike(handover_now(h, first), handover_now(h, thread)) &&
            (!operation ||
             standings_looked_alike(handover_behind(h, first), handover_behind(h, thread))))
            together |= left & -left;
    }
    return together;
}

/* ---- the block's and the launch's end ---- */

/* Of threads that made operations, the time of their last fence or barrier. */
static struct table last_fences;

void handover_block_end(struct handover *h)
{
    for (unsigned i = 0; i < h->threads; i++) {
        const struct thread *t = &h->thread[i];
        uint32_t last = t->last_fence > h->passed.time ? t->last_fence : h->passed.time;
        if (t->looked)
            *(uint32_t *)entry_of(&last_fences, sizeof last, h->number, i) = last;
    }
}

bool handover_followed(uint32_t block, unsigned thread, uint32_t time)
{
    uint32_t number = map_find(&last_fences.numbers, block, thread);
    return number != MAP_NONE && ((uint32_t *)last_fences.entry)[number] > time;
}

void handover_forget(void)
{
    chains = 0;
    section_count = 0;
    standings_forget();
    map_forget(&cells.numbers);
    map_forget(&cells_of_blocks.numbers);
    map_forget(&last_fences.numbers);
}
