/* Who knows of which access, synchronisation by synchronisation. See handover.h for the rules. */
#include "judge/replay.h"
#include "judge/map.h"
#include "judge/sort.h"

#include <stdlib.h>

/* A set of earlier accesses, one a bit. */
enum { SET_WORDS = 4, SET_BITS = 64 * SET_WORDS };
struct set {
    uint64_t word[SET_WORDS];
};

/* What a thread knows to be ordered before what it does next; what it has seen that it may take
 * over at its next fence; what it hands over by an operation. The second and third by scope. */
struct thread_state {
    struct set known, seen[2], given[2];
    uint32_t next; /* next of the block's threads that have a state, + 1 */
};

/* What all its threads know, or hand over, by fences before a barrier. */
struct block_state {
    struct set known, given[2];
    uint32_t batch, threads;
    bool passed; /* has a barrier been passed on that had something to pass on? */
};

/* A word that operations go to: what has been handed over to it for all blocks, and which of the
 * operations themselves a further one sees; who wrote last. version: what was handed over to it for
 * one block counts only as long as the chain of operations is not broken. */
struct cell {
    struct set given, observed;
    uint32_t version, block;
    uint8_t scope;
    bool written;
};

struct cell_of_block {
    struct set given;
    uint32_t batch, version;
};

/* A state of another batch is as good as none: it knows nothing. Most threads and cells have none,
 * and what they do among themselves is skipped: so their batches lie close together. */
struct replay {
    const struct history *h;
    struct thread_state *thread;
    uint32_t *thread_batch;
    struct block_state *block;
    struct cell *cell;
    uint32_t *cell_batch;
    struct cell_of_block *cell_of_block;
    struct map blocks;
    uint32_t batch;
    uint64_t work;
};

/* Steps of a replay, the longer ones counted several times: some ten seconds. */
static const uint64_t most_work = (uint64_t)1 << 31;
enum { WORK_OF_STATE = 8 };

static void set_add(struct set *set, const struct set *more)
{
    for (int i = 0; i < SET_WORDS; i++)
        set->word[i] |= more->word[i];
}

static void set_bit(struct set *set, unsigned bit)
{
    set->word[bit / 64] |= (uint64_t)1 << bit % 64;
}

static bool set_has(const struct set *set, unsigned bit)
{
    return set->word[bit / 64] >> bit % 64 & 1;
}

static struct block_state *block_at(struct replay *r, uint32_t number)
{
    struct block_state *b = &r->block[number];
    if (b->batch != r->batch)
        *b = (struct block_state){.batch = r->batch};
    return b;
}

static struct block_state *block_of(struct replay *r, uint32_t thread)
{
    return block_at(r, thread / r->h->threads);
}

static struct thread_state *thread_at(struct replay *r, uint32_t index)
{
    struct thread_state *t = &r->thread[index];

    if (r->thread_batch[index] == r->batch)
        return t;
    r->thread_batch[index] = r->batch;
    struct block_state *b = block_of(r, index);
    *t = (struct thread_state){.next = b->threads};
    b->threads = index + 1;
    return t;
}

/* Has the thread any state, of its own or by a barrier? */
static bool has_state(const struct replay *r, uint32_t index)
{
    const struct block_state *b = &r->block[index / r->h->threads];
    return r->thread_batch[index] == r->batch || (b->batch == r->batch && b->passed);
}

static bool any_has_state(const struct replay *r, const struct sync *s)
{
    for (uint32_t left = s->lanes; left; left &= left - 1)
        if (has_state(r, s->first + (uint32_t)__builtin_ctz(left)))
            return true;
    return false;
}

static void replay_barrier(struct replay *r, const struct sync *s)
{
    struct block_state *block = block_of(r, s->first);

    for (uint32_t i = block->threads; i; i = r->thread[i - 1].next) {
        struct thread_state *t = &r->thread[i - 1];
        set_add(&block->known, &t->known);
        t->known = (struct set){{0}};
        for (int scope = SCOPE_BLOCK; scope <= SCOPE_DEVICE; scope++) {
            set_add(&block->known, &t->seen[scope]);
            set_add(&block->given[scope], &t->given[scope]);
            t->seen[scope] = (struct set){{0}};
        }
        block->passed = true;
    }
}

static void join(struct thread_state *into, const struct thread_state *from)
{
    set_add(&into->known, &from->known);
    for (int scope = SCOPE_BLOCK; scope <= SCOPE_DEVICE; scope++) {
        set_add(&into->given[scope], &from->given[scope]);
        set_add(&into->seen[scope], &from->seen[scope]);
    }
}

static void replay_syncwarp(struct replay *r, const struct sync *s)
{
    struct thread_state joined = {.next = 0};

    for (uint32_t left = s->lanes; left; left &= left - 1)
        join(&joined, thread_at(r, s->first + (uint32_t)__builtin_ctz(left)));
    set_add(&joined.known, &block_of(r, s->first)->known);
    for (uint32_t left = s->lanes; left; left &= left - 1)
        join(thread_at(r, s->first + (uint32_t)__builtin_ctz(left)), &joined);
}

static void replay_fence(struct replay *r, const struct sync *s)
{
    for (uint32_t left = s->lanes; left; left &= left - 1) {
        uint32_t index = s->first + (uint32_t)__builtin_ctz(left);
        if (!has_state(r, index))
            continue;
        struct thread_state *t = thread_at(r, index);
        for (int scope = SCOPE_BLOCK; scope <= s->scope; scope++) {
            set_add(&t->known, &t->seen[scope]);
            t->seen[scope] = (struct set){{0}};
        }
        struct set known = t->known;
        set_add(&known, &block_of(r, index)->known);
        for (int scope = SCOPE_BLOCK; scope <= s->scope; scope++)
            t->given[scope] = known;
    }
}

static struct cell *cell_at(struct replay *r, uint32_t number)
{
    if (r->cell_batch[number] != r->batch)
        r->cell[number] = (struct cell){.written = false};
    r->cell_batch[number] = r->batch;
    return &r->cell[number];
}

static struct cell_of_block *cell_of_block_at(struct replay *r, const struct sync *s)
{
    struct cell_of_block *c = &r->cell_of_block[s->cell_of_block];
    uint32_t version = cell_at(r, s->cell)->version;

    if (c->batch != r->batch || c->version != version)
        *c = (struct cell_of_block){.batch = r->batch, .version = version};
    return c;
}

/* The operation is the last write of the cell. */
static void write_cell(struct cell *cell, const struct sync *s)
{
    cell->written = true;
    cell->block = s->block;
    cell->scope = s->scope;
}

static void hand_to_cell(struct replay *r, const struct sync *s, const struct thread_state *t,
                         bool chained)
{
    const struct block_state *block = block_of(r, s->first);
    struct cell *cell = cell_at(r, s->cell);

    if (!chained) {
        cell->version++;
        cell->given = cell->observed = (struct set){{0}};
    }
    set_add(&cell->given, &t->given[SCOPE_DEVICE]);
    set_add(&cell->given, &block->given[SCOPE_DEVICE]);
    struct cell_of_block *of_block = cell_of_block_at(r, s);
    set_add(&of_block->given, &t->given[SCOPE_BLOCK]);
    set_add(&of_block->given, &block->given[SCOPE_BLOCK]);
    write_cell(cell, s);
}

static void replay_operation(struct replay *r, const struct sync *s)
{
    struct thread_state *t = thread_at(r, s->first + (uint32_t)__builtin_ctz(s->lanes));
    struct cell *cell = cell_at(r, s->cell);
    bool sees = cell->written && (cell->block == s->block ||
                                  (cell->scope == SCOPE_DEVICE && s->scope == SCOPE_DEVICE));
    bool chained = sees && s->effect != EFFECT_STORE;

    if (chained) {
        set_add(&t->seen[SCOPE_BLOCK], &cell_of_block_at(r, s)->given);
        set_add(&t->seen[SCOPE_DEVICE], &cell->given);
        set_add(&t->known, &cell->observed);
    }
    if (s->effect != EFFECT_READ)
        hand_to_cell(r, s, t, chained);
}

/* Does anybody that it concerns have a state? */
static bool concerns_state(const struct replay *r, const struct sync *s)
{
    bool in_block = r->block[s->first / r->h->threads].batch == r->batch;

    if (s->kind == SYNC_OPERATION && r->cell_batch[s->cell] == r->batch)
        return true;
    return in_block && (s->kind == SYNC_BARRIER || any_has_state(r, s));
}

static void replay_sync(struct replay *r, const struct sync *s)
{
    r->work++;
    if (!concerns_state(r, s))
        return;
    r->work += WORK_OF_STATE;
    switch (s->kind) {
    case SYNC_BARRIER: replay_barrier(r, s); break;
    case SYNC_WARP: replay_syncwarp(r, s); break;
    case SYNC_FENCE: replay_fence(r, s); break;
    case SYNC_OPERATION: replay_operation(r, s); break;
    }
}

/* What happens between synchronisations: a question is asked, an access is made. An operation is
 * known of from behind its own synchronisation on, and to who sees it. */
enum item_type { ITEM_QUESTION, ITEM_ACCESS, ITEM_OPERATION };
struct item {
    uint64_t position;
    enum item_type type;
    uint32_t question;
    unsigned bit;
};

uint32_t replay_threads(const struct replay *r)
{
    return r->blocks.count * r->h->threads;
}

uint32_t replay_thread(const struct replay *r, const struct past *past, unsigned lane)
{
    uint32_t block = map_find(&r->blocks, past->block, 0);
    return block * r->h->threads + past->warp * 32u + lane;
}

/* Is the access of this bit ordered before this one? Volatile loads and atomics are made in order:
 * one behind an operation that saw a hand-over needs no fence between. */
static bool knows(struct replay *r, const struct past *past, unsigned lane, unsigned bit)
{
    uint32_t index = replay_thread(r, past, lane);
    const struct thread_state *t = thread_at(r, index);

    if (set_has(&t->known, bit) || set_has(&block_of(r, index)->known, bit))
        return true;
    return ((past->is_volatile && past->kind == PAST_LOAD) || past->kind == PAST_ATOMIC) &&
           (set_has(&t->seen[SCOPE_BLOCK], bit) || set_has(&t->seen[SCOPE_DEVICE], bit));
}

/* sync: of an operation, its own. */
static void replay_item(struct replay *r, const struct item *item, struct question *question,
                        const struct sync *sync)
{
    const struct past *past = r->h->past;

    if (item->type == ITEM_QUESTION) {
        question->ordered = knows(r, &past[question->b], question->lane[1], item->bit);
        return;
    }
    set_bit(&thread_at(r, replay_thread(r, &past[question->a], question->lane[0]))->known,
            item->bit);
    if (item->type == ITEM_OPERATION && past_writes(&past[question->a])) {
        struct cell *cell = cell_at(r, sync->cell);
        set_bit(&cell->observed, item->bit);
        write_cell(cell, sync);
    }
}

/* Items in the order of their keys: by position, and there by type. */
struct items {
    struct item *item;
    struct keyed *order;
    size_t count;
};

static void add_item(struct items *items, uint64_t position, enum item_type type, size_t question,
                     unsigned bit)
{
    items->order[items->count] =
        (struct keyed){position << 2 | (unsigned)type, (uint32_t)items->count};
    items->item[items->count++] = (struct item){position, type, (uint32_t)question, bit};
}

/* Does the items from *i on that come in front of the synchronisation, or with `behind` those that
 * come right behind it. */
static void replay_items(struct replay *r, struct question *questions, const struct items *items,
                         size_t *i, const struct sync *sync, bool behind)
{
    for (; *i < items->count; ++*i) {
        const struct item *item = &items->item[items->order[*i].index];
        bool here = item->position == sync->position;
        if (behind ? !here || item->type != ITEM_OPERATION
                   : item->position > sync->position || (here && item->type == ITEM_OPERATION))
            return;
        replay_item(r, item, &questions[item->question], sync);
    }
}

/* Answers the questions among the items, and leaves none; false: no memory, or it was too much
 * work. */
static bool replay_batch(struct replay *r, struct question *questions, struct items *items)
{
    const struct history *h = r->h;
    size_t i = 0;

    if (!sort_keyed(items->order, items->count))
        return false;
    r->batch++;
    for (size_t s = history_sync_at(h, items->item[items->order[0].index].position);
         s < h->syncs && i < items->count && r->work <= most_work; s++) {
        replay_items(r, questions, items, &i, &h->sync[s], false);
        replay_sync(r, &h->sync[s]);
        replay_items(r, questions, items, &i, &h->sync[s], true);
    }
    for (; i < items->count && r->work <= most_work; i++) { /* behind all synchronisation */
        const struct item *item = &items->item[items->order[i].index];
        replay_item(r, item, &questions[item->question], NULL);
    }
    bool all = i == items->count;
    items->count = 0;
    return all;
}

/* Numbers the blocks and cells that the history names; false: no memory. */
static bool number_all(struct replay *r, struct history *h, struct map *words,
                       struct map *words_of_block)
{
    for (size_t i = 0; i < h->pasts; i++)
        if (map_number(&r->blocks, h->past[i].block, 0) == MAP_NONE)
            return false;
    for (size_t i = 0; i < h->syncs; i++) {
        struct sync *s = &h->sync[i];
        uint32_t block = map_number(&r->blocks, s->block, 0);
        s->first = block * h->threads + s->warp * 32u;
        if (s->kind == SYNC_OPERATION) {
            s->cell = map_number(words, s->word, 0);
            s->cell_of_block = map_number(words_of_block, s->word, s->block);
        }
        if (block == MAP_NONE ||
            (s->kind == SYNC_OPERATION && (s->cell == MAP_NONE || s->cell_of_block == MAP_NONE)))
            return false;
    }
    return true;
}

static bool make_tables(struct replay *r, uint32_t cells, uint32_t cells_of_blocks)
{
    size_t threads = (size_t)r->blocks.count * r->h->threads;

    r->thread = calloc(threads + 32, sizeof *r->thread);
    r->thread_batch = calloc(threads + 32, sizeof *r->thread_batch);
    r->block = calloc(r->blocks.count + 1, sizeof *r->block);
    r->cell = calloc(cells + 1, sizeof *r->cell);
    r->cell_batch = calloc(cells + 1, sizeof *r->cell_batch);
    r->cell_of_block = calloc(cells_of_blocks + 1, sizeof *r->cell_of_block);
    return r->thread && r->thread_batch && r->block && r->cell && r->cell_batch && r->cell_of_block;
}

struct replay *replay_new(struct history *h)
{
    struct replay *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->h = h;
    struct map words = {.slot = NULL}, words_of_block = {.slot = NULL};
    bool made = number_all(r, h, &words, &words_of_block) &&
                make_tables(r, words.count, words_of_block.count);
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
    free(r->thread_batch);
    free(r->block);
    free(r->cell);
    free(r->cell_batch);
    free(r->cell_of_block);
    free(r);
}

/* The thread of a question's earlier access, and what that is: with its position a key, by which
 * questions on one access get one bit. So do those on one unwritten word, for all accesses to it.
 */
static uint64_t earlier_of(const struct replay *r, const struct question *q)
{
    const struct past *a = &r->h->past[q->a];
    return q->unwritten ? (uint64_t)1 << 63 | q->about
                        : (uint64_t)replay_thread(r, a, q->lane[0]) << 1 | past_is_strong(a);
}

static uint64_t position_of_earlier(const struct replay *r, const struct question *q)
{
    return r->h->past[q->unwritten ? q->about : q->a].position;
}

static bool sort_by_earlier(const struct replay *r, struct questions *questions)
{
    size_t count = questions->count;
    struct keyed *keyed = malloc((count + 1) * sizeof *keyed);

    for (size_t i = 0; keyed && i < count; i++)
        keyed[i] = (struct keyed){earlier_of(r, &questions->question[i]), (uint32_t)i};
    bool sorted = keyed && sort_keyed(keyed, count);
    for (size_t i = 0; sorted && i < count; i++)
        keyed[i].key = position_of_earlier(r, &questions->question[keyed[i].index]);
    sorted = sorted && sort_keyed(keyed, count);
    sorted = sorted &&
             sort_apply((void **)&questions->question, sizeof *questions->question, keyed, count);
    questions->room = sorted ? count : questions->room;
    free(keyed);
    return sorted;
}

static bool same_earlier(const struct replay *r, const struct question *x, const struct question *y)
{
    return position_of_earlier(r, x) == position_of_earlier(r, y) &&
           earlier_of(r, x) == earlier_of(r, y);
}

static bool answer_all(struct replay *r, struct questions *questions, struct items *items)
{
    struct question *question = questions->question;
    unsigned bit = 0;

    for (size_t i = 0; i < questions->count; i++) {
        const struct past *a = &r->h->past[question[i].a], *b = &r->h->past[question[i].b];
        bool another = i == 0 || !same_earlier(r, &question[i - 1], &question[i]);
        if (another && i > 0 && ++bit == SET_BITS) {
            if (!replay_batch(r, question, items))
                return false;
            bit = 0;
        }
        if (another || question[i].unwritten)
            add_item(items, a->position, past_is_strong(a) ? ITEM_OPERATION : ITEM_ACCESS, i, bit);
        add_item(items, b->position, ITEM_QUESTION, i, bit);
    }
    return items->count == 0 || replay_batch(r, question, items);
}

bool replay_answer(struct replay *r, struct questions *questions)
{
    size_t most = 2 * questions->count + SET_BITS;
    struct items items = {malloc(most * sizeof *items.item), malloc(most * sizeof *items.order), 0};

    for (size_t i = 0; i < questions->count; i++)
        questions->question[i].ordered = true;
    bool answered = items.item && items.order && sort_by_earlier(r, questions) &&
                    answer_all(r, questions, &items);
    free(items.item);
    free(items.order);
    return answered;
}
