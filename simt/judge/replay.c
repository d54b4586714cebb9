/* Who knows of which access, synchronisation by synchronisation. See handover.h for the rules. */
#define _GNU_SOURCE
#include "judge/replay.h"
#include "judge/map.h"

#include <stdlib.h>

/* A set of earlier accesses, one a bit. What a thread knows to be ordered before what it does next;
 * what it has seen that it may take over at its next fence; what it hands over by an operation. The
 * second and third by scope. A state of another batch is as good as empty. */
struct thread_state {
    uint64_t known, seen[2], given[2];
    uint32_t batch, next; /* next of the block's threads that have a state, + 1 */
};

struct block_state {
    uint64_t known, given[2]; /* given, as in struct thread_state: by fences before a barrier */
    uint32_t batch, threads;
};

/* A word that operations go to: what has been handed over to it for all blocks, and which of the
 * operations themselves a further one sees; who wrote last. version: what was handed over to it for
 * one block counts only as long as the chain of operations is not broken. */
struct cell {
    uint64_t given, observed;
    uint32_t batch, version, block;
    uint8_t scope;
    bool written;
};

struct cell_of_block {
    uint64_t given;
    uint32_t batch, version;
};

struct replay {
    const struct history *h;
    struct thread_state *thread;
    struct block_state *block;
    struct cell *cell;
    struct cell_of_block *cell_of_block;
    struct map blocks;
    uint32_t batch;
};

static struct block_state *block_at(struct replay *r, uint32_t number)
{
    struct block_state *b = &r->block[number];
    if (b->batch != r->batch)
        *b = (struct block_state){.batch = r->batch};
    return b;
}

static struct thread_state *thread_at(struct replay *r, uint32_t index)
{
    struct thread_state *t = &r->thread[index];

    if (t->batch == r->batch)
        return t;
    struct block_state *b = block_at(r, index / r->h->threads);
    *t = (struct thread_state){.batch = r->batch, .next = b->threads};
    b->threads = index + 1;
    return t;
}

static uint64_t known_to(struct replay *r, uint32_t index)
{
    return thread_at(r, index)->known | block_at(r, index / r->h->threads)->known;
}

static void replay_barrier(struct replay *r, const struct sync *s)
{
    struct block_state *block = block_at(r, s->first / r->h->threads);

    for (uint32_t i = block->threads; i; i = r->thread[i - 1].next) {
        struct thread_state *t = &r->thread[i - 1];
        block->known |= t->known | t->seen[SCOPE_BLOCK] | t->seen[SCOPE_DEVICE];
        for (int scope = SCOPE_BLOCK; scope <= SCOPE_DEVICE; scope++)
            block->given[scope] |= t->given[scope];
        t->known = t->seen[SCOPE_BLOCK] = t->seen[SCOPE_DEVICE] = 0;
    }
}

static void join(struct thread_state *into, const struct thread_state *from)
{
    into->known |= from->known;
    for (int scope = SCOPE_BLOCK; scope <= SCOPE_DEVICE; scope++) {
        into->given[scope] |= from->given[scope];
        into->seen[scope] |= from->seen[scope];
    }
}

static void replay_syncwarp(struct replay *r, const struct sync *s)
{
    struct thread_state joined = {0};

    for (uint32_t left = s->lanes; left; left &= left - 1) {
        uint32_t index = s->first + (uint32_t)__builtin_ctz(left);
        join(&joined, thread_at(r, index));
        joined.known |= known_to(r, index);
    }
    for (uint32_t left = s->lanes; left; left &= left - 1)
        join(thread_at(r, s->first + (uint32_t)__builtin_ctz(left)), &joined);
}

static void replay_fence(struct replay *r, const struct sync *s)
{
    for (uint32_t left = s->lanes; left; left &= left - 1) {
        uint32_t index = s->first + (uint32_t)__builtin_ctz(left);
        struct thread_state *t = thread_at(r, index);
        for (int scope = SCOPE_BLOCK; scope <= s->scope; scope++) {
            t->known |= t->seen[scope];
            t->seen[scope] = 0;
        }
        uint64_t known = known_to(r, index);
        for (int scope = SCOPE_BLOCK; scope <= s->scope; scope++)
            t->given[scope] = known;
    }
}

static struct cell *cell_at(struct replay *r, uint32_t number)
{
    struct cell *c = &r->cell[number];
    if (c->batch != r->batch)
        *c = (struct cell){.batch = r->batch};
    return c;
}

static struct cell_of_block *cell_of_block_at(struct replay *r, const struct sync *s)
{
    struct cell_of_block *c = &r->cell_of_block[s->cell_of_block];
    uint32_t version = cell_at(r, s->cell)->version;

    if (c->batch != r->batch || c->version != version)
        *c = (struct cell_of_block){.batch = r->batch, .version = version};
    return c;
}

static void replay_operation(struct replay *r, const struct sync *s)
{
    struct thread_state *t = thread_at(r, s->first + (uint32_t)__builtin_ctz(s->lanes));
    struct cell *cell = cell_at(r, s->cell);
    bool sees = cell->written && (cell->block == s->block ||
                                  (cell->scope == SCOPE_DEVICE && s->scope == SCOPE_DEVICE));

    if (sees && s->effect != EFFECT_STORE) {
        t->seen[SCOPE_BLOCK] |= cell_of_block_at(r, s)->given;
        t->seen[SCOPE_DEVICE] |= cell->given;
        t->known |= cell->observed;
    }
    if (s->effect == EFFECT_READ)
        return;
    if (!sees || s->effect == EFFECT_STORE) {
        cell->version++;
        cell->given = cell->observed = 0;
    }
    const struct block_state *block = block_at(r, s->first / r->h->threads);
    cell->given |= t->given[SCOPE_DEVICE] | block->given[SCOPE_DEVICE];
    cell_of_block_at(r, s)->given |= t->given[SCOPE_BLOCK] | block->given[SCOPE_BLOCK];
    cell->written = true;
    cell->block = s->block;
    cell->scope = s->scope;
}

static void replay_sync(struct replay *r, const struct sync *s)
{
    switch (s->kind) {
    case SYNC_BARRIER: replay_barrier(r, s); break;
    case SYNC_WARP: replay_syncwarp(r, s); break;
    case SYNC_FENCE: replay_fence(r, s); break;
    case SYNC_OPERATION: replay_operation(r, s); break;
    }
}

/* What happens between synchronisations: a question is asked, an access is made. An operation is
 * known of from behind its own synchronisation on, and to who sees it. */
struct item {
    uint64_t position;
    enum { ITEM_QUESTION, ITEM_ACCESS, ITEM_OPERATION } type;
    uint32_t question;
    unsigned bit;
};

static int item_order(const void *x, const void *y)
{
    const struct item *a = x, *b = y;

    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return (int)a->type - (int)b->type;
}

static uint32_t thread_of(const struct replay *r, const struct past *past, unsigned lane)
{
    uint32_t block = map_find(&r->blocks, past->block, 0);
    return block * r->h->threads + past->warp * 32u + lane;
}

/* What is ordered before an access. Volatile loads and atomics are made in order: one behind an
 * operation that saw a hand-over needs no fence between. */
static uint64_t known_for(struct replay *r, const struct past *past, unsigned lane)
{
    uint32_t index = thread_of(r, past, lane);
    uint64_t known = known_to(r, index);

    if ((past->is_volatile && past->kind == PAST_LOAD) || past->kind == PAST_ATOMIC)
        known |= thread_at(r, index)->seen[SCOPE_BLOCK] | thread_at(r, index)->seen[SCOPE_DEVICE];
    return known;
}

static void replay_item(struct replay *r, const struct item *item, struct question *question,
                        const struct sync *sync)
{
    const struct past *past = r->h->past;
    uint64_t bit = (uint64_t)1 << item->bit;

    if (item->type == ITEM_QUESTION) {
        question->ordered = known_for(r, &past[question->b], question->lane[1]) & bit;
        return;
    }
    thread_at(r, thread_of(r, &past[question->a], question->lane[0]))->known |= bit;
    if (item->type == ITEM_OPERATION && past_writes(&past[question->a]))
        cell_at(r, sync->cell)->observed |= bit;
}

static void replay_batch(struct replay *r, struct question *questions, struct item *items,
                         size_t count)
{
    const struct history *h = r->h;
    size_t i = 0;

    qsort(items, count, sizeof *items, item_order);
    r->batch++;
    for (size_t s = history_sync_at(h, items[0].position); s < h->syncs && i < count; s++) {
        const struct sync *sync = &h->sync[s];
        while (i < count &&
               (items[i].position < sync->position ||
                (items[i].position == sync->position && items[i].type != ITEM_OPERATION)))
            replay_item(r, &items[i], &questions[items[i].question], sync), i++;
        replay_sync(r, sync);
        while (i < count && items[i].position == sync->position && items[i].type == ITEM_OPERATION)
            replay_item(r, &items[i], &questions[items[i].question], sync), i++;
    }
    for (; i < count; i++)
        replay_item(r, &items[i], &questions[items[i].question], NULL);
}

/* Numbers the blocks and cells that the synchronisation names, and makes their tables. */
static bool make_tables(struct replay *r, struct history *h, struct map *words,
                        struct map *words_of_block)
{
    if (!r->blocks.slot || !words->slot || !words_of_block->slot)
        return false;
    for (size_t i = 0; i < h->pasts; i++)
        map_number(&r->blocks, h->past[i].block, 0);
    for (size_t i = 0; i < h->syncs; i++) {
        struct sync *s = &h->sync[i];
        s->first = map_number(&r->blocks, s->block, 0) * h->threads + s->warp * 32u;
        if (s->kind != SYNC_OPERATION)
            continue;
        s->cell = map_number(words, s->word, 0);
        s->cell_of_block = map_number(words_of_block, s->word, s->block);
    }
    r->thread = calloc((size_t)r->blocks.count * h->threads + 32, sizeof *r->thread);
    r->block = calloc(r->blocks.count + 1, sizeof *r->block);
    r->cell = calloc(words->count + 1, sizeof *r->cell);
    r->cell_of_block = calloc(words_of_block->count + 1, sizeof *r->cell_of_block);
    return r->thread && r->block && r->cell && r->cell_of_block;
}

struct replay *replay_new(struct history *h)
{
    struct replay *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->h = h;
    r->blocks = map_new(h->syncs + h->pasts);
    struct map words = map_new(h->syncs), words_of_block = map_new(h->syncs);
    bool made = make_tables(r, h, &words, &words_of_block);
    free(words.slot);
    free(words_of_block.slot);
    if (made)
        return r;
    replay_free(r);
    return NULL;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    free(r->blocks.slot);
    free(r->thread);
    free(r->block);
    free(r->cell);
    free(r->cell_of_block);
    free(r);
}

/* The earlier access of a question, as a key: questions of one such access get one bit. */
static int by_earlier(const void *x, const void *y, void *past)
{
    const struct question *a = x, *b = y;
    const struct past *p = (const struct past *)past + a->a, *q = (const struct past *)past + b->a;

    if (p->position != q->position)
        return p->position < q->position ? -1 : 1;
    if (p->block != q->block)
        return p->block < q->block ? -1 : 1;
    if (p->warp != q->warp)
        return (int)p->warp - (int)q->warp;
    if (a->lane[0] != b->lane[0])
        return (int)a->lane[0] - (int)b->lane[0];
    return (int)past_is_strong(p) - (int)past_is_strong(q);
}

bool replay_answer(struct replay *r, struct questions *questions)
{
    const struct past *past = r->h->past;
    struct item *items = malloc((questions->count + 64) * sizeof *items);
    size_t count = 0;
    unsigned bit = 0;

    if (!items)
        return false;
    if (questions->count)
        qsort_r(questions->question, questions->count, sizeof *questions->question, by_earlier,
                r->h->past);
    for (size_t i = 0; i < questions->count; i++) {
        const struct question *q = &questions->question[i];
        bool another = i == 0 || by_earlier(q - 1, q, r->h->past) != 0;
        if (another && i > 0 && ++bit == 64) {
            replay_batch(r, questions->question, items, count);
            count = 0;
            bit = 0;
        }
        if (another)
            items[count++] = (struct item){
                past[q->a].position, past_is_strong(&past[q->a]) ? ITEM_OPERATION : ITEM_ACCESS,
                (uint32_t)i, bit};
        items[count++] = (struct item){past[q->b].position, ITEM_QUESTION, (uint32_t)i, bit};
    }
    if (count)
        replay_batch(r, questions->question, items, count);
    free(items);
    return true;
}
