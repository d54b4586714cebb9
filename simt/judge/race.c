/* Compares each access to a word with those before it, and keeps what later ones are to be compared
 * with. See race.h for the rules. */
#include "judge/race.h"
#include "judge/pairs.h"
#include "judge/sync.h"
#include "run/array.h"
#include "run/atomic.h"
#include "run/end.h"
#include "run/memory.h"

#include <stdlib.h>
#include <string.h>

/* A store by one of several lanes that store to one word: what stood there before it. Of a long
 * structure the begin will do. */
struct common {
    uintptr_t address;
    size_t size; /* 0: there is none */
    char before[64];
    struct pair pair;
};

struct race {
    uint32_t number, serial, launch; /* the block's index and its number in this place; launch's */
    struct words shared;
    bool fences; /* has the program any? */
    struct sync *sync;
    struct common common[MAX_LANES];
};

static struct words global;
static bool lost; /* an access was not compared with all that it should be */

struct race *race_new(size_t shared_words)
{
    struct race *race = calloc(1, sizeof *race);

    if (!race)
        array_no_memory();
    if (!global.first[READS])
        words_map(&global, memory_words());
    words_map(&race->shared, shared_words);
    race->fences = atomic_program_has_fences();
    race->sync = sync_new();
    return race;
}

void race_block_begin(struct race *race, const struct block *block)
{
    race->serial++;
    race->launch = block->launch->number;
    race->number = block_number(block);
    sync_block_begin(race->sync, race->number, block->launch->threads);
}

void race_block_end(struct race *race)
{
    sync_block_end(race->sync);
}

void race_fence(struct race *race, unsigned thread, bool device)
{
    sync_fence(race->sync, thread, device ? SCOPE_DEVICE : SCOPE_BLOCK);
}

void race_warp(struct race *race, unsigned warp, unsigned mask)
{
    sync_warp(race->sync, warp, mask);
}

void race_barrier(struct race *race)
{
    sync_barrier(race->sync);
}

/* ---- one access, word by word ---- */

/* The word, the access that it leaves, its thread and how that stands; before: the chain of the
 * operation before it, as of sync_operation. */
struct look {
    struct race *race;
    const struct touch *touch;
    struct words *words;
    size_t word;
    struct access now;
    uint32_t lanes, before;
    const struct stands *stands;
};

/* Where those of different blocks' shared memories differ. */
static uint64_t name_of(const struct race *race, size_t word, bool shared)
{
    return shared ? (uint64_t)1 << 63 | (uint64_t)race->number << 20 | word : word;
}

static struct look look_of(struct race *race, const struct touch *touch)
{
    bool atomic = touch->kind == EVENT_ATOMIC;

    return (struct look){
        .race = race,
        .touch = touch,
        .words = touch->shared ? &race->shared : &global,
        .lanes = 1u << touch->thread % WARP_SIZE,
        .now = {.run = touch->shared ? race->serial : race->launch,
                .block = race->number,
                .time = race->sync->time[touch->thread],
                .pc = touch->pc,
                .warp = touch->thread / WARP_SIZE,
                .wide = touch->size > 8 ? 2 : touch->size > 4,
                .kind = touch->kind,
                .writes = touch->kind != EVENT_LOAD,
                .is_volatile = !atomic && touch->extra & EXTRA_VOLATILE,
                .block_scope = atomic && touch->extra & EXTRA_BLOCK_SCOPE}};
}

static struct actor actor_of(const struct access *a, unsigned lanes)
{
    int size = a->wide ? 4 << a->wide : __builtin_popcount(a->bytes);

    return (struct actor){.pc = a->pc,
                          .block = a->block,
                          .thread = (uint16_t)(a->warp * WARP_SIZE + __builtin_ctz(lanes)),
                          .operation = (uint8_t)a->kind,
                          .size = (uint8_t)size};
}

static bool same_warp(const struct access *a, const struct access *b)
{
    return a->block == b->block && a->warp == b->warp;
}

static bool scopes_meet(const struct access *a, const struct access *b)
{
    return a->block == b->block || (!a->block_scope && !b->block_scope);
}

static bool is_strong(const struct access *a)
{
    return a->kind == EVENT_ATOMIC || a->is_volatile;
}

static bool is_in_order(const struct access *a)
{
    return a->kind == EVENT_ATOMIC || (a->kind == EVENT_LOAD && a->is_volatile);
}

/* Of the older access's lanes, those that are not ordered before the newer access. in_order: as of
 * sync_unordered. */
static unsigned unordered(const struct look *look, const struct access *old, unsigned lanes,
                          bool in_order)
{
    const struct sync *sync = look->race->sync;

    if (old->block == look->now.block && old->time < sync->passed.time)
        return 0;
    if (same_warp(old, &look->now) && lanes == look->lanes)
        return 0;
    if (!same_warp(old, &look->now) && !look->race->fences)
        return lanes;
    return sync_unordered(sync, look->touch->thread, look->stands, in_order, old, lanes);
}

/* Was the whole word written between two operations, that is, has another chain begun since the one
 * of the first? Then each is compared with that instead. (Of atomics a chain may end for want of
 * scope.) */
static bool is_overwritten_between(const struct access *old, const struct look *look)
{
    return is_strong(old) && is_strong(&look->now) && (old->is_volatile || look->now.is_volatile) &&
           (old->bytes & look->now.bytes) == 0xf && old->order.chain < look->before;
}

static bool conflict(const struct access *old, const struct look *look)
{
    const struct access *now = &look->now;

    if (!(old->bytes & now->bytes) || (!old->writes && !now->writes) ||
        is_overwritten_between(old, look))
        return false;
    return old->kind != EVENT_ATOMIC || now->kind != EVENT_ATOMIC || !scopes_meet(old, now);
}

/* ---- pairs ---- */

/* Is one of them a volatile look at what the other one changes by an atomic? */
static bool looks_at_atomic(const struct access *a, const struct access *b)
{
    return a->kind == EVENT_LOAD && a->is_volatile && b->kind == EVENT_ATOMIC;
}

/* May it be a flag, of two accesses that nothing orders: both volatile or atomic, and the writer
 * passed a fence before? It is one if the other passes a fence, or a barrier, later, and saw what
 * was written. Then what lies behind is ordered, the word itself is not. Who takes a lock that a
 * volatile store gave back counts as a reader. */
static bool may_be_flag(const struct look *look, const struct access *old)
{
    const struct access *now = &look->now;
    bool takes = now->kind == EVENT_ATOMIC && look->touch->extra & (EXTRA_EXCHANGE | EXTRA_CAS);

    return is_strong(old) && is_strong(now) && (old->writes ? old : now)->order.fenced &&
           (!old->writes || !now->writes || (old->kind == EVENT_STORE && takes));
}

static struct pair pair_of(const struct look *look, const struct access *old, unsigned lanes)
{
    const struct access *now = &look->now, *reader = old->writes ? now : old;
    bool shared = look->touch->shared, swap = !old->writes;
    struct actor end[] = {actor_of(old, lanes), actor_of(now, look->lanes)};
    struct pair pair = {.kind = shared ? FINDING_SHARED_RACE : FINDING_GLOBAL_RACE,
                        .shared = shared,
                        .word = name_of(look->race, look->word, shared),
                        .end = {end[0], end[1]}};

    if (look->race->fences && !is_in_order(now) && !unordered(look, old, lanes, true))
        pair.lacks = LACKS_FENCE_OF_TAKER;
    else if (look->race->fences && sync_saw(look->stands, old->block, end[0].thread, old->time))
        pair.lacks = LACKS_FENCE_OF_GIVER;
    if (!scopes_meet(old, now))
        return pair;
    if (looks_at_atomic(old, now) || looks_at_atomic(now, old)) {
        pair.kind = FINDING_VOLATILE_FLAG;
    } else if (may_be_flag(look, old)) {
        pair.may_be_flag = true;
        pair.end[0] = end[swap], pair.end[1] = end[!swap];
        pair.time = reader->time;
        pair.round = reader->order.round;
        pair.saw = (swap ? reader->order.chain == now->order.chain
                         : look->before == old->order.chain);
    }
    return pair;
}

/* Do lanes of a warp store to one word by one instruction? */
static bool is_common(const struct access *old, const struct access *now)
{
    return old->kind == EVENT_STORE && now->kind == EVENT_STORE && same_warp(old, now) &&
           old->pc == now->pc && old->time == now->time && old->bytes == now->bytes;
}

/* A structure comes piece by piece. */
static void wait_for_store(struct common *common, const struct touch *touch, const struct pair *pair)
{
    if (common->size == 0) {
        common->address = touch->address;
        common->pair = *pair;
    }
    if (touch->address != common->address + common->size ||
        common->size + touch->size > sizeof common->before)
        return;
    memcpy(common->before + common->size, (const void *)touch->address, touch->size);
    common->size += touch->size;
}

void race_settle(struct race *race, unsigned thread)
{
    struct common *common = &race->common[thread];

    if (common->size == 0)
        return;
    if (memcmp(common->before, (const void *)common->address, common->size) == 0)
        common->pair.kind = FINDING_COMMON_STORE;
    common->size = 0;
    pairs_keep(&common->pair);
}

/* True: it waits for what is stored. */
static bool compare(struct look *look, const struct access *old, unsigned lanes)
{
    struct access *now = &look->now;

    if (!conflict(old, look) || !(lanes = unordered(look, old, lanes, is_in_order(now))))
        return false;
    struct pair pair = pair_of(look, old, lanes);
    if (!is_common(old, now)) {
        pairs_keep(&pair);
        return false;
    }
    pair.lanes = lanes | look->lanes;
    wait_for_store(&look->race->common[look->touch->thread], look->touch, &pair);
    return true;
}

/* The word's first write was by an operation, and the atomic or volatile load is behind no write: it
 * could have come first, and read what nobody had written. */
static void judge_first(const struct look *look)
{
    const struct touch *touch = look->touch;
    const struct entry *first = NULL, *all = words_first(look->words, look->word, WRITES,
                                                         look->now.run);

    if (touch->kind == EVENT_STORE || (touch->kind == EVENT_LOAD && !look->race->fences) ||
        (touch->kind == EVENT_ATOMIC && touch->extra & EXTRA_EXCHANGE))
        return;
    for (const struct entry *e = all; e; e = words_next(e))
        if (e->first)
            first = e;
    for (const struct entry *e = all; first && e; e = words_next(e))
        if (unordered(look, words_made(e), e->lanes, true) != e->lanes)
            first = NULL;
    if (first)
        pairs_keep(&(struct pair){.kind = touch->shared ? FINDING_UNINITIALISED : FINDING_UNWRITTEN,
                                  .shared = touch->shared,
                                  .end = {actor_of(&look->now, look->lanes),
                                          actor_of(words_made(first), first->lanes)}});
}

/* ---- what is kept ---- */

/* Would whoever races with the older access of one kind race with the newer one, too, if he is not
 * ordered behind it? */
static bool says_as_much(const struct access *now, const struct access *old)
{
    return now->kind == old->kind && !(old->bytes & ~now->bytes) &&
           (!now->is_volatile || old->is_volatile) && old->writes == now->writes &&
           old->block_scope <= now->block_scope;
}

/* Which of the older access's lanes are still to be compared with later ones? *seen: of accesses in
 * other blocks, and in other warps of the block, one that says as much as any was there before. */
static unsigned still_needed(const struct look *look, const struct access *old, unsigned lanes,
                             bool seen[2])
{
    const struct access *now = &look->now;
    bool fences = look->race->fences, elsewhere = old->block != now->block;

    if (now->kind == EVENT_STORE && old->kind == EVENT_STORE)
        return old->bytes & ~now->bytes || (now->is_volatile && !old->is_volatile) ? lanes : 0;
    if (now->kind == EVENT_STORE)
        return now->is_volatile || old->bytes & ~now->bytes || old->time == now->time
                   ? lanes
                   : unordered(look, old, lanes, false);
    if (!says_as_much(now, old))
        return lanes;
    /* of a chain the last is enough, but of the block's own scope, which may race with that */
    bool chain = fences && old->kind == EVENT_ATOMIC && old->writes;
    if (chain && !elsewhere)
        return 0;
    if (!chain || old->block_scope)
        lanes = unordered(look, old, lanes, false);
    if (lanes && (chain ? !old->block_scope : !fences && !same_warp(old, now))) {
        bool before = seen[elsewhere];
        seen[elsewhere] = true;
        return before ? 0 : lanes;
    }
    return lanes;
}

/* Whoever is behind one that is no longer there would seem to come first (judge_first). */
static void forget_first(const struct look *look)
{
    for (struct entry *e = words_first(look->words, look->word, WRITES, look->now.run); e;
         e = words_next(e))
        e->first = false;
}

/* So many are compared with one access; of what only reads the last few are thinned out. */
enum { MOST = 1 << 12, FEW = 16 };

/* Compares it with those on a list, which are thinned out; true: it is there already. */
static bool go_through(struct look *look, enum list list, uint32_t access, bool *waits)
{
    struct entry *before = NULL, *e = words_first(look->words, look->word, list, look->now.run);
    bool seen[2] = {false, false}, there = false, compares = look->now.writes || list == WRITES;
    int looks = compares || is_strong(&look->now) ? MOST : FEW;

    while (e && looks-- > 0) {
        const struct access *old = words_made(e);
        if (compares)
            *waits |= compare(look, old, e->lanes);
        if (e->access == access) {
            e->lanes |= look->lanes;
            there = true;
        } else if (!e->first) {
            unsigned left = still_needed(look, old, e->lanes, seen);
            if (is_strong(old) && e->lanes & ~left)
                forget_first(look);
            if (left == 0) {
                e = words_drop(before, e);
                continue;
            }
            e->lanes = left;
        }
        before = e;
        e = words_next(e);
    }
    lost |= e && compares;
    return there;
}

/* Who polls reads a word again and again. */
static bool is_read_again(const struct look *look, uint32_t access)
{
    struct entry *e = words_first(look->words, look->word, READS, look->now.run);

    while (e && e->access != access)
        e = words_next(e);
    if (e)
        e->lanes |= look->lanes;
    return e;
}

/* True: it waits for what is stored. */
static bool take_word(struct look *look)
{
    enum list own = look->now.writes ? WRITES : READS;
    uint32_t access = words_access(&look->now);
    bool waits = false, there[2] = {false, false};
    bool strong = is_strong(&look->now), first = look->touch->first && own == WRITES && strong;

    if (strong)
        judge_first(look);
    for (int list = WRITES; list >= READS; list--)
        there[list] = (list == READS && own == READS && strong && is_read_again(look, access)) ||
                      go_through(look, (enum list)list, access, &waits);
    if (!access || (!there[own] && !words_add(look->words, look->word, own,
                                              (struct entry){access, look->lanes, 0, first})))
        lost = true;
    return waits;
}

bool race_access(struct race *race, const struct touch *touch, int effect)
{
    struct look look = look_of(race, touch);
    bool waits = false;

    struct stands stands;

    look.stands = sync_stands(race->sync, touch->thread);
    if (effect != PLAIN) {
        stands = *look.stands, look.stands = &stands;
        look.now.writes = effect != EFFECT_READ;
        look.before = sync_operation(race->sync, touch->thread,
                                     name_of(race, touch->word, touch->shared),
                                     (enum effect)effect, &look.now);
    }
    for (unsigned k = 0; k < event_words(touch->address, touch->size); k++) {
        look.word = touch->word + k;
        look.now.bytes = event_bytes(touch->address, touch->size, k);
        waits |= take_word(&look);
    }
    return waits;
}

/* Is it a plain read within the word by a thread of the block since that met last? */
static inline bool is_recent_read(const struct race *race, const struct access *a, unsigned bytes)
{
    return a->block == race->number && a->bytes == bytes && !is_strong(a) && !a->wide &&
           a->time >= race->sync->passed.time;
}

bool race_reads_again(struct race *race, bool shared, size_t word, unsigned thread, uint32_t pc,
                      unsigned bytes)
{
    const struct words *words = shared ? &race->shared : &global;
    uint32_t run = shared ? race->serial : race->launch, lane = 1u << thread % WARP_SIZE;
    struct entry *last = words_first(words, word, READS, run);
    const struct entry *write = words_first(words, word, WRITES, run), *other;
    const struct access *read, *wrote;

    if (!last || !is_recent_read(race, read = words_made(last), bytes))
        return false;
    if (write && (write->next || (wrote = words_made(write))->block != race->number ||
                  (wrote->time >= race->sync->passed.time &&
                   (wrote->warp != thread / WARP_SIZE || write->lanes != lane))))
        return false;
    if (read->warp == thread / WARP_SIZE && read->pc == pc &&
        read->time == race->sync->time[thread]) {
        last->lanes |= lane;
        return true;
    }
    if (race->fences || !(other = words_next(last)) ||
        !is_recent_read(race, words_made(other), bytes))
        return false;
    return words_made(other)->warp != read->warp &&
           (read->pc == pc || words_made(other)->pc == pc);
}

void race_excuse(struct race *race, unsigned thread, size_t word, bool shared, uint32_t read_pc)
{
    pairs_excuse(name_of(race, word, shared), race->number, thread, read_pc);
}

/* ---- what others ask ---- */

void race_forget(size_t word, size_t count)
{
    if (global.first[READS])
        words_forget(&global, word, count);
}

bool race_touched(size_t word, unsigned bytes, unsigned launch, bool store, bool *writes)
{
    for (int list = WRITES; global.first[list] && list >= READS; list--) {
        *writes = list == WRITES;
        for (const struct entry *e = words_first(&global, word, (enum list)list, launch); e;
             e = words_next(e))
            if (words_made(e)->bytes & bytes &&
                (*writes || (store && !words_made(e)->is_volatile)))
                return true;
    }
    return false;
}

bool race_last_writer(size_t word, unsigned launch, struct actor *writer)
{
    const struct entry *last =
        global.first[WRITES] ? words_first(&global, word, WRITES, launch) : NULL;

    if (last)
        *writer = actor_of(words_made(last), last->lanes);
    return last;
}

void race_judge(const struct launch *launch)
{
    pairs_judge(launch);
    if (!sync_forget() || lost)
        end_not_judged("kernel %s synchronises or shares words too often for the race checks",
                       launch->site.kernel);
    lost = false;
}
