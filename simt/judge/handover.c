/* Finds the pairs of accesses that nothing orders: gathers the pairs to ask about, then replays the
 * launch's synchronisation. See handover.h for the rules. */
#define _GNU_SOURCE
#include "judge/handover.h"
#include "judge/section.h"

#include <stdlib.h>
#include <string.h>

/* Pairs that are asked about in a launch; those before a word's next write that are compared with
 * it. */
enum { MOST_CHECKS = 1 << 22, MOST_SINCE = 1 << 12 };

/* A pair of lanes: is past[a], by lane[0], ordered before past[b], by lane[1]? */
struct check {
    uint32_t a, b;
    uint8_t lane[2];
    bool ordered;
    uint32_t about; /* of a check on two sections: the check on the accesses in them */
};

/* ---- numbering keys: a hash table ---- */

struct map {
    struct slot {
        uint64_t a;
        uint32_t b, number; /* number + 1; 0: free */
    } * slot;
    size_t room;
    uint32_t count;
};

static bool map_init(struct map *map, size_t keys)
{
    map->room = 16;
    map->count = 0;
    while (map->room < 2 * keys)
        map->room *= 2;
    return (map->slot = calloc(map->room, sizeof *map->slot)) != NULL;
}

static struct slot *map_find(const struct map *map, uint64_t a, uint32_t b)
{
    uint64_t hash = (a * 0x9E3779B97F4A7C15u) ^ ((uint64_t)b * 0xC2B2AE3D27D4EB4Fu);
    size_t i = (size_t)(hash ^ hash >> 29) & (map->room - 1);

    while (map->slot[i].number && (map->slot[i].a != a || map->slot[i].b != b))
        i = (i + 1) & (map->room - 1);
    return &map->slot[i];
}

static uint32_t map_number(struct map *map, uint64_t a, uint32_t b)
{
    struct slot *slot = map_find(map, a, b);

    if (slot->number == 0)
        *slot = (struct slot){a, b, ++map->count};
    return slot->number - 1;
}

/* ---- the accesses to contended words, in order ---- */

static int by_word(const void *x, const void *y)
{
    const struct past *a = x, *b = y;

    if (a->word != b->word)
        return a->word < b->word ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static int by_position(const void *x, const void *y)
{
    const struct sync *a = x, *b = y;
    return (a->position > b->position) - (a->position < b->position);
}

static bool is_contended(const struct map *words, uint64_t word)
{
    return map_find(words, word, 0)->number != 0;
}

static struct past past_of(const struct sync *sync, unsigned k)
{
    enum past_kind kind = !sync->is_volatile             ? PAST_ATOMIC
                          : sync->effect == EFFECT_STORE ? PAST_STORE
                                                         : PAST_LOAD;

    return (struct past){.word = sync->word + k,
                         .position = sync->position,
                         .block = sync->block,
                         .lanes = sync->lanes,
                         .pc = sync->pc,
                         .epoch = sync->epoch,
                         .warp = sync->warp,
                         .kind = (uint8_t)kind,
                         .bytes = sync->words > 1 ? 0xf : sync->bytes,
                         .wide = sync->wide,
                         .scope = sync->scope,
                         .effect = sync->effect,
                         .is_volatile = sync->is_volatile};
}

static bool add_past(struct handover *h, const struct past *past)
{
    if (h->pasts == h->room) {
        size_t room = h->room ? 2 * h->room : 64;
        struct past *larger = realloc(h->past, room * sizeof *larger);
        if (!larger)
            return false;
        h->past = larger;
        h->room = room;
    }
    h->past[h->pasts++] = *past;
    return true;
}

/* Operations on contended words are accesses, too. */
static bool add_operations(struct handover *h, const struct map *words)
{
    for (size_t i = 0; i < h->syncs; i++) {
        const struct sync *sync = &h->sync[i];
        for (unsigned k = 0; sync->kind == SYNC_OPERATION && k < sync->words; k++) {
            struct past past = past_of(sync, k);
            if (is_contended(words, past.word) && !add_past(h, &past))
                return false;
        }
    }
    return true;
}

/* Leaves in past[] all accesses to contended words, word by word and in order. */
static bool select_contended(struct handover *h)
{
    struct map words;
    size_t kept = 0;

    if (!map_init(&words, h->pasts))
        return false;
    for (size_t i = 0; i < h->pasts; i++)
        if (h->past[i].contended)
            map_number(&words, h->past[i].word, 0);
    for (size_t i = 0; i < h->pasts; i++)
        if (is_contended(&words, h->past[i].word))
            h->past[kept++] = h->past[i];
    h->pasts = kept;
    bool added = kept == 0 || add_operations(h, &words);
    free(words.slot);
    if (added && h->pasts > 1)
        qsort(h->past, h->pasts, sizeof *h->past, by_word);
    return added;
}

/* ---- which pairs to ask about ---- */

/* What a word's next access must be compared with: indices of accesses. What is left out is ordered
 * before something that is in, or is in a race with it. */
struct word_state {
    uint32_t write[4];          /* of each byte, + 1; 0: none */
    uint32_t since[MOST_SINCE]; /* reads and atomics since the last write of the whole word */
    unsigned count;
};

struct checks {
    struct check *check;
    size_t count, room;
    bool all; /* none was left out */
};

static void ask(struct checks *checks, uint32_t a, uint32_t b, unsigned lane_a, unsigned lane_b)
{
    if (checks->count == checks->room) {
        size_t room = checks->room ? 2 * checks->room : 256;
        struct check *larger =
            room > MOST_CHECKS ? NULL : realloc(checks->check, room * sizeof *larger);
        if (!larger) {
            checks->all = false;
            return;
        }
        checks->check = larger;
        checks->room = room;
    }
    checks->check[checks->count++] =
        (struct check){.a = a, .b = b, .lane = {(uint8_t)lane_a, (uint8_t)lane_b}};
}

static bool is_strong(const struct past *p)
{
    return p->kind == PAST_ATOMIC || p->is_volatile;
}

/* Are these two operations atomic with respect to each other? */
static bool scopes_meet(const struct past *a, const struct past *b)
{
    return a->block == b->block || (a->scope == SCOPE_DEVICE && b->scope == SCOPE_DEVICE);
}

static bool writes(const struct past *p)
{
    return p->kind == PAST_STORE || (p->kind == PAST_ATOMIC && p->effect != EFFECT_READ);
}

static bool conflict(const struct past *a, const struct past *b)
{
    if (!(a->bytes & b->bytes) || (!writes(a) && !writes(b)))
        return false;
    return a->kind != PAST_ATOMIC || b->kind != PAST_ATOMIC || !scopes_meet(a, b);
}

static void compare(struct checks *checks, const struct past *past, uint32_t a, uint32_t b)
{
    const struct past *x = &past[a], *y = &past[b];

    if (!conflict(x, y) || (x->block == y->block && x->epoch < y->epoch))
        return;
    bool same_warp = x->block == y->block && x->warp == y->warp;
    for (uint32_t i = x->lanes; i; i &= i - 1)
        for (uint32_t j = y->lanes; j; j &= j - 1)
            if (!same_warp || __builtin_ctz(i) != __builtin_ctz(j))
                ask(checks, a, b, (unsigned)__builtin_ctz(i), (unsigned)__builtin_ctz(j));
}

/* The same threads did the like before, or an atomic changes what this one saw: the older access is
 * ordered before whatever the newer one is. */
static bool replaces(const struct past *now, const struct past *old)
{
    if (old->bytes & ~now->bytes)
        return false;
    if (now->kind == PAST_ATOMIC && old->kind == PAST_ATOMIC && writes(now) && writes(old))
        return scopes_meet(now, old) && old->scope >= now->scope;
    return now->kind == old->kind && writes(now) == writes(old) && now->block == old->block &&
           now->warp == old->warp && (old->lanes & ~now->lanes) == 0;
}

static void remember(struct word_state *state, const struct past *past, uint32_t b,
                     struct checks *checks)
{
    unsigned kept = 0;

    if (past[b].kind == PAST_STORE) {
        for (int k = 0; k < 4; k++)
            if (past[b].bytes >> k & 1)
                state->write[k] = b + 1;
        if (past[b].bytes == 0xf)
            state->count = 0;
        return;
    }
    for (unsigned i = 0; i < state->count; i++)
        if (!replaces(&past[b], &past[state->since[i]]))
            state->since[kept++] = state->since[i];
    state->count = kept;
    if (kept == MOST_SINCE)
        checks->all = false;
    else
        state->since[state->count++] = b;
}

static void ask_about_word(struct checks *checks, struct word_state *state, const struct past *past,
                           uint32_t first, uint32_t end)
{
    memset(state->write, 0, sizeof state->write);
    state->count = 0;
    for (uint32_t b = first; b < end; b++) {
        for (int k = 0; k < 4; k++) {
            bool told = false;
            for (int before = 0; before < k; before++)
                told |= state->write[before] == state->write[k];
            if (state->write[k] && !told)
                compare(checks, past, state->write[k] - 1, b);
        }
        for (unsigned i = 0; i < state->count; i++)
            compare(checks, past, state->since[i], b);
        remember(state, past, b, checks);
    }
}

static struct checks ask_about_all(const struct handover *h)
{
    struct checks checks = {.all = true};
    struct word_state *state = malloc(sizeof *state);

    checks.all = state != NULL;
    for (size_t first = 0, end; state && first < h->pasts; first = end) {
        for (end = first; end < h->pasts && h->past[end].word == h->past[first].word;)
            end++;
        ask_about_word(&checks, state, h->past, (uint32_t)first, (uint32_t)end);
    }
    free(state);
    return checks;
}

/* ---- the replay ---- */

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
    const struct handover *h;
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
    uint32_t check;
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
    uint32_t block = map_find(&r->blocks, past->block, 0)->number - 1;
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

static void replay_item(struct replay *r, const struct item *item, struct check *check,
                        const struct sync *sync)
{
    const struct past *past = r->h->past;
    uint64_t bit = (uint64_t)1 << item->bit;

    if (item->type == ITEM_QUESTION) {
        check->ordered = known_for(r, &past[check->b], check->lane[1]) & bit;
        return;
    }
    thread_at(r, thread_of(r, &past[check->a], check->lane[0]))->known |= bit;
    if (item->type == ITEM_OPERATION && writes(&past[check->a]))
        cell_at(r, sync->cell)->observed |= bit;
}

static size_t first_sync_at(const struct handover *h, uint64_t position)
{
    size_t low = 0, high = h->syncs;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->sync[middle].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void replay_batch(struct replay *r, struct check *checks, struct item *items, size_t count)
{
    const struct handover *h = r->h;
    size_t i = 0;

    qsort(items, count, sizeof *items, item_order);
    r->batch++;
    for (size_t s = first_sync_at(h, items[0].position); s < h->syncs && i < count; s++) {
        const struct sync *sync = &h->sync[s];
        while (i < count &&
               (items[i].position < sync->position ||
                (items[i].position == sync->position && items[i].type != ITEM_OPERATION)))
            replay_item(r, &items[i], &checks[items[i].check], sync), i++;
        replay_sync(r, sync);
        while (i < count && items[i].position == sync->position && items[i].type == ITEM_OPERATION)
            replay_item(r, &items[i], &checks[items[i].check], sync), i++;
    }
    for (; i < count; i++)
        replay_item(r, &items[i], &checks[items[i].check], NULL);
}

/* Numbers the blocks and cells that the synchronisation names, and makes their tables. */
static bool replay_init(struct replay *r, struct handover *h)
{
    struct map words = {0}, words_of_block = {0};
    bool made = map_init(&r->blocks, h->syncs + h->pasts) && map_init(&words, h->syncs) &&
                map_init(&words_of_block, h->syncs);

    for (size_t i = 0; made && i < h->pasts; i++)
        map_number(&r->blocks, h->past[i].block, 0);
    for (size_t i = 0; made && i < h->syncs; i++) {
        struct sync *s = &h->sync[i];
        s->first = map_number(&r->blocks, s->block, 0) * h->threads + s->warp * 32u;
        if (s->kind != SYNC_OPERATION)
            continue;
        s->cell = map_number(&words, s->word, 0);
        s->cell_of_block = map_number(&words_of_block, s->word, s->block);
    }
    if (made) {
        r->thread = calloc((size_t)r->blocks.count * h->threads + 32, sizeof *r->thread);
        r->block = calloc(r->blocks.count + 1, sizeof *r->block);
        r->cell = calloc(words.count + 1, sizeof *r->cell);
        r->cell_of_block = calloc(words_of_block.count + 1, sizeof *r->cell_of_block);
    }
    free(words.slot);
    free(words_of_block.slot);
    return made && r->thread && r->block && r->cell && r->cell_of_block;
}

static void replay_free(struct replay *r)
{
    free(r->blocks.slot);
    free(r->thread);
    free(r->block);
    free(r->cell);
    free(r->cell_of_block);
}

/* The earlier access of a check, as a key: checks of one such access get one bit. */
static int by_earlier(const void *x, const void *y, void *past)
{
    const struct check *a = x, *b = y;
    const struct past *p = (const struct past *)past + a->a, *q = (const struct past *)past + b->a;

    if (p->position != q->position)
        return p->position < q->position ? -1 : 1;
    if (p->block != q->block)
        return p->block < q->block ? -1 : 1;
    if (p->warp != q->warp)
        return (int)p->warp - (int)q->warp;
    if (a->lane[0] != b->lane[0])
        return (int)a->lane[0] - (int)b->lane[0];
    return (int)is_strong(p) - (int)is_strong(q);
}

static bool replay_all(struct replay *r, struct checks *checks)
{
    const struct past *past = r->h->past;
    struct item *items = malloc((checks->count + 64) * sizeof *items);
    size_t count = 0;
    unsigned bit = 0;

    if (!items)
        return false;
    if (checks->count)
        qsort_r(checks->check, checks->count, sizeof *checks->check, by_earlier, r->h->past);
    for (size_t i = 0; i < checks->count; i++) {
        const struct check *c = &checks->check[i];
        bool another = i == 0 || by_earlier(c - 1, c, r->h->past) != 0;
        if (another && i > 0 && ++bit == 64) {
            replay_batch(r, checks->check, items, count);
            count = 0;
            bit = 0;
        }
        if (another)
            items[count++] = (struct item){past[c->a].position,
                                           is_strong(&past[c->a]) ? ITEM_OPERATION : ITEM_ACCESS,
                                           (uint32_t)i, bit};
        items[count++] = (struct item){past[c->b].position, ITEM_QUESTION, (uint32_t)i, bit};
    }
    if (count)
        replay_batch(r, checks->check, items, count);
    free(items);
    return true;
}

/* ---- critical sections that could have come in the other order ---- */

/* Asks whether anything but the lock had the section of the first access come first. */
static bool ask_about_sections(struct handover *h, struct checks *swaps, const struct check *c,
                               uint32_t about, const struct section *first,
                               const struct section *second)
{
    struct past begin[2] = {h->past[c->a], h->past[c->b]};
    size_t count = swaps->count;

    begin[0].position = first->taken;
    begin[1].position = second->taken;
    for (int i = 0; i < 2; i++) {
        begin[i].kind = PAST_STORE;
        begin[i].is_volatile = false;
        if (!add_past(h, &begin[i]))
            return false;
    }
    ask(swaps, (uint32_t)h->pasts - 2, (uint32_t)h->pasts - 1, c->lane[0], c->lane[1]);
    if (swaps->count > count)
        swaps->check[count].about = about;
    return true;
}

static bool ask_about_all_sections(struct handover *h, const struct checks *checks,
                                   struct checks *swaps)
{
    struct sections sections = sections_find(h->sync, h->syncs);
    bool asked = sections.section != NULL;

    for (size_t i = 0; asked && sections.count && i < checks->count; i++) {
        const struct check *c = &checks->check[i];
        const struct past *a = &h->past[c->a], *b = &h->past[c->b];
        const struct section *first = section_of(&sections, a, c->lane[0]);
        const struct section *second = section_of(&sections, b, c->lane[1]);
        bool in_order = a->kind == PAST_ATOMIC || (a->kind == PAST_LOAD && a->is_volatile);
        if (!c->ordered || in_order || !first || !second || first->word != second->word)
            continue;
        if (section_is_bare(first, a, a->block == b->block ? SCOPE_BLOCK : SCOPE_DEVICE))
            asked = ask_about_sections(h, swaps, c, (uint32_t)i, first, second);
    }
    free(sections.section);
    return asked;
}

/* Accesses that are ordered only because one section of a lock came before another one. */
static bool swap_sections(struct replay *r, struct handover *h, struct checks *checks)
{
    struct checks swaps = {.all = true};
    bool judged = ask_about_all_sections(h, checks, &swaps) && replay_all(r, &swaps);

    for (size_t i = 0; judged && i < swaps.count; i++)
        if (!swaps.check[i].ordered)
            checks->check[swaps.check[i].about].ordered = false;
    free(swaps.check);
    return judged && swaps.all;
}

/* ---- what is told ---- */

static bool is_by(const struct sync *s, const struct past *p, unsigned lane)
{
    if (s->block != p->block)
        return false;
    return s->kind == SYNC_BARRIER || (s->warp == p->warp && s->lanes >> lane & 1);
}

/* Did the thread pass a fence before this write, to set a flag? Other flags may have been set
 * since, and barriers passed; an atomic in between is what the fence was for. */
static bool sets_flag(const struct handover *h, const struct past *p, unsigned lane)
{
    for (size_t i = first_sync_at(h, p->position); i-- > 0;) {
        const struct sync *s = &h->sync[i];
        if (!is_by(s, p, lane))
            continue;
        if (s->kind == SYNC_FENCE)
            return true;
        if (s->kind == SYNC_OPERATION && !(s->is_volatile && s->effect == EFFECT_STORE))
            return false;
    }
    return false;
}

/* Does the thread pass a fence, or a barrier, after this read? */
static bool waits_for_flag(const struct handover *h, const struct past *p, unsigned lane)
{
    for (size_t i = first_sync_at(h, p->position); i < h->syncs; i++)
        if (is_by(&h->sync[i], p, lane) &&
            (h->sync[i].kind == SYNC_FENCE || h->sync[i].kind == SYNC_BARRIER))
            return true;
    return false;
}

/* A word that is written and read by volatile or atomic operations: the writer passed a fence
 * before, the reader passes one, or a barrier, later. */
static bool is_flag(const struct handover *h, const struct unordered *u)
{
    bool first_writes = writes(u->a);
    const struct past *writer = first_writes ? u->a : u->b, *reader = first_writes ? u->b : u->a;

    if (!is_strong(u->a) || !is_strong(u->b) || writes(reader) || !scopes_meet(writer, reader))
        return false;
    return sets_flag(h, writer, u->lane[!first_writes]) &&
           waits_for_flag(h, reader, u->lane[first_writes]);
}

/* Looking for fences takes time: of very many pairs, those of the same two places as the one before
 * get its answer. */
enum { MOST_FLAGS = 1 << 12 };

static bool is_flag_as_before(const struct handover *h, const struct unordered *u,
                              struct unordered *before, unsigned *asked)
{
    bool same = before->a && before->a->pc == u->a->pc && before->b->pc == u->b->pc;

    if (!same || (*asked)++ < MOST_FLAGS) {
        *before = *u;
        before->flag = is_flag(h, u);
    }
    return before->flag;
}

static void tell_all(const struct replay *r, const struct checks *checks,
                     void (*told)(void *, const struct unordered *), void *context)
{
    const struct past *past = r->h->past;
    struct unordered before = {.a = NULL};
    unsigned asked = 0;

    for (size_t i = 0; i < checks->count; i++) {
        const struct check *c = &checks->check[i];
        if (c->ordered)
            continue;
        struct unordered pair = {&past[c->a], &past[c->b], {c->lane[0], c->lane[1]}, false};
        pair.flag = is_flag_as_before(r->h, &pair, &before, &asked);
        told(context, &pair);
    }
}

bool handover_judge(struct handover *h, void (*told)(void *context, const struct unordered *pair),
                    void *context)
{
    struct replay replay = {.h = h};

    if (!select_contended(h))
        return false;
    if (h->pasts == 0)
        return true;
    if (h->syncs > 1)
        qsort(h->sync, h->syncs, sizeof *h->sync, by_position);
    struct checks checks = ask_about_all(h);
    bool replayed = replay_init(&replay, h) && replay_all(&replay, &checks) &&
                    swap_sections(&replay, h, &checks);
    if (replayed)
        tell_all(&replay, &checks, told, context);
    replay_free(&replay);
    bool all = checks.all && replayed;
    free(checks.check);
    return all;
}
