/* Compares each access to a word with those before it, and keeps what later ones are to be compared
 * with. See race.h for the rules. */
#include "judge/race.h"
#include "run/array.h"
#include "judge/pairs.h"
#include "judge/sync.h"
#include "judge/word.h"
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
    const uint32_t *time, *passed; /* of each thread; when all of the block met last */
    struct common common[MAX_LANES];
};

static struct words global;
static bool lost; /* an access was not compared with all that it should be */

struct race *race_new(size_t shared_words)
{
    struct race *race = calloc(1, sizeof *race);

    if (!race)
        array_no_memory();
    if (!global.first)
        words_map(&global, memory_words());
    words_map(&race->shared, shared_words);
    race->fences = atomic_program_has_fences();
    race->sync = sync_new();
    race->time = sync_times(race->sync);
    race->passed = sync_passed(race->sync);
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

/* The word, the access that it leaves, its thread and how that stands; takes: it is an atomic that
 * may take a lock. */
struct look {
    struct race *race;
    struct words *words;
    size_t word;
    struct access now;
    unsigned thread;
    uint32_t passed; /* when its block met last */
    const struct stands *stands;
    bool shared, takes, fences;
};

static struct look look_of(struct race *race, const struct touch *touch)
{
    bool atomic = touch->kind == EVENT_ATOMIC;

    return (struct look){
        .race = race,
        .thread = touch->thread,
        .passed = *race->passed,
        .words = touch->shared ? &race->shared : &global,
        .shared = touch->shared,
        .fences = race->fences,
        .takes = atomic && touch->extra & (EXTRA_EXCHANGE | EXTRA_CAS),
        .now = {.run = touch->shared ? race->serial : race->launch,
                .block = race->number,
                .time = race->time[touch->thread],
                .lanes = 1u << touch->thread % WARP_SIZE,
                .pc = touch->pc,
                .warp = touch->thread / WARP_SIZE,
                .wide = touch->size > 8 ? 2 : touch->size > 4,
                .kind = touch->kind,
                .writes = touch->kind != EVENT_LOAD,
                .is_volatile = !atomic && touch->extra & EXTRA_VOLATILE,
                .first = touch->first &&
                         (atomic || (touch->kind == EVENT_STORE && touch->extra & EXTRA_VOLATILE)),
                .block_scope = atomic && touch->extra & EXTRA_BLOCK_SCOPE}};
}

/* Where those of different blocks' shared memories differ. */
static uint64_t name_of(const struct race *race, size_t word, bool shared)
{
    return shared ? (uint64_t)1 << 63 | (uint64_t)race->number << 20 | word : word;
}

static struct actor actor_of(const struct access *a, unsigned lane)
{
    int size = a->wide ? 4 << a->wide : __builtin_popcount(a->bytes);

    return (struct actor){.pc = a->pc,
                          .block = a->block,
                          .thread = (uint16_t)(a->warp * WARP_SIZE + lane),
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
 * sync_knows. */
static unsigned unordered(const struct look *look, const struct access *old, bool in_order)
{
    const struct access *now = &look->now;

    if (old->block == now->block && old->time < look->passed)
        return 0;
    if (!look->fences && !same_warp(old, now))
        return old->lanes;
    struct happened h = {.block = old->block,
                         .time = old->time,
                         .note = old->note,
                         .warp = old->warp,
                         .lanes = old->lanes};
    return sync_unordered(look->race->sync, look->thread, look->stands, in_order, &h);
}

/* Was the whole word written between two operations, that is, has another chain begun since the one
 * of the first? Then each is compared with that instead. (Of atomics a chain may end for want of
 * scope.) */
static bool is_overwritten_between(const struct access *old, const struct access *now)
{
    return is_strong(old) && is_strong(now) && (old->is_volatile || now->is_volatile) &&
           (old->bytes & now->bytes) == 0xf &&
           sync_note(old->note).chain < sync_note(now->note).before;
}

static bool conflict(const struct access *old, const struct access *now)
{
    if (!(old->bytes & now->bytes) || (!old->writes && !now->writes) ||
        is_overwritten_between(old, now))
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

    return is_strong(old) && is_strong(now) && sync_note((old->writes ? old : now)->note).fence &&
           (!old->writes || !now->writes || (old->kind == EVENT_STORE && look->takes));
}

/* lane: of the older one. */
static struct pair pair_of(const struct look *look, const struct access *old, unsigned lane)
{
    const struct access *now = &look->now;
    struct pair pair = {
        .shared = look->shared,
        .word = name_of(look->race, look->word, look->shared),
        .end = {actor_of(old, lane), actor_of(now, (unsigned)__builtin_ctz(now->lanes))}};

    if (!scopes_meet(old, now))
        return pair;
    pair.flag = looks_at_atomic(old, now) || looks_at_atomic(now, old);
    pair.may_be_flag = !pair.flag && may_be_flag(look, old);
    if (pair.may_be_flag) { /* the writer first */
        const struct access *writer = old->writes ? old : now, *reader = old->writes ? now : old;
        struct actor end[] = {pair.end[!old->writes], pair.end[old->writes]};
        memcpy(pair.end, end, sizeof end);
        pair.time = reader->time;
        pair.written = sync_note(reader->note).written;
        pair.saw = sync_note(reader->note).before == sync_note(writer->note).chain;
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
static void wait_for_store(struct race *race, const struct touch *touch, const struct pair *pair,
                           unsigned lanes)
{
    struct common *common = &race->common[touch->thread];

    if (common->size == 0) {
        common->address = touch->address;
        common->pair = *pair;
        common->pair.same_request = true;
        common->pair.lanes = lanes;
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
    common->pair.equal = memcmp(common->before, (const void *)common->address, common->size) == 0;
    common->size = 0;
    pairs_keep(&common->pair);
}

/* True: it waits for what is stored. */
static bool compare(struct look *look, const struct touch *touch, const struct access *old)
{
    struct access *now = &look->now;
    unsigned lanes = conflict(old, now) ? unordered(look, old, is_in_order(now)) : 0;

    now->raced |= old->raced;
    if (!lanes)
        return false;
    struct pair pair = pair_of(look, old, (unsigned)__builtin_ctz(lanes));
    pair.unfenced = look->fences && !is_in_order(now) && !unordered(look, old, true);
    pair.not_given = look->fences && !pair.unfenced &&
                     sync_saw(look->stands, old->block, pair.end[0].thread, old->time);
    if (is_common(old, now)) {
        wait_for_store(look->race, touch, &pair, lanes | now->lanes);
        return true;
    }
    now->raced |= !pair.flag && !pair.may_be_flag;
    pairs_keep(&pair);
    return false;
}

/* The word's first write was by an operation, and the atomic or volatile load is behind neither
 * that nor any other access: it could have come first, and read what nobody had written. */
static void judge_first(const struct look *look, const struct touch *touch)
{
    const struct access *now = &look->now, *first = NULL;
    bool behind = false;

    if (touch->kind == EVENT_STORE || (touch->kind == EVENT_LOAD && !look->fences) ||
        (touch->kind == EVENT_ATOMIC && touch->extra & EXTRA_EXCHANGE))
        return;
    for (const struct access *a = words_last(look->words, look->word, WRITES); a; a = words_next(a))
        if (a->first && a->run == now->run)
            first = a;
    for (int list = READS; first && list <= WRITES; list++)
        for (const struct access *a =
                 words_first(look->words, look->word, (enum list)list, now->run);
             a; a = words_next(a))
            behind |= (list == WRITES || is_strong(a)) && unordered(look, a, true) != a->lanes;
    if (first && !behind)
        pairs_keep(&(struct pair){.shared = look->shared,
                                  .unwritten = true,
                                  .word = name_of(look->race, look->word, look->shared),
                                  .end = {actor_of(now, (unsigned)__builtin_ctz(now->lanes)),
                                          actor_of(first, (unsigned)__builtin_ctz(first->lanes))}});
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

/* One that is like another, but for its lane. */
static bool is_like(const struct access *a, const struct access *b)
{
    return a->time == b->time && a->pc == b->pc && same_warp(a, b) && a->bytes == b->bytes &&
           a->wide == b->wide && a->kind == b->kind && a->writes == b->writes &&
           a->is_volatile == b->is_volatile && a->block_scope == b->block_scope &&
           sync_same_note(a->note, b->note);
}

/* Which of the older access's lanes are still to be compared with later ones? *seen: of accesses in
 * other blocks, and in other warps of the block, one that says as much as any was there before. */
static unsigned still_needed(const struct look *look, const struct access *old, bool seen[2])
{
    const struct access *now = &look->now;
    bool fences = look->fences, elsewhere = old->block != now->block;

    if (now->kind == EVENT_STORE && old->kind == EVENT_STORE)
        return old->bytes & ~now->bytes || (now->is_volatile && !old->is_volatile) ? old->lanes : 0;
    if (now->kind == EVENT_STORE)
        return now->is_volatile || old->bytes & ~now->bytes || old->time == now->time
                   ? old->lanes
                   : unordered(look, old, false);
    if (!says_as_much(now, old))
        return old->lanes;
    bool chain = fences && old->kind == EVENT_ATOMIC && old->writes;
    if (chain && !elsewhere)
        return 0;
    if (!fences ? !same_warp(old, now) : chain && !old->block_scope) {
        bool before = seen[elsewhere];
        seen[elsewhere] = true;
        if (before || chain) /* an atomic of the block's own scope may race with the last one */
            return before ? 0 : old->lanes;
    }
    return unordered(look, old, false);
}

/* Of what only reads the last few are thinned out. */
enum { FEW = 16 };

/* Whoever is behind one that is no longer there would seem to come first (judge_first). */
static void forget_first(const struct look *look)
{
    for (struct access *a = words_first(look->words, look->word, WRITES, look->now.run); a;
         a = words_next(a))
        a->first = false;
}

/* Compares it with those on a list, which are thinned out; true: one on it is like it. */
static bool go_through(struct look *look, const struct touch *touch, enum list list, bool *waits)
{
    struct access *before = NULL, *now = &look->now, *next;
    bool seen[2] = {false, false}, there = false, compares = now->writes || list == WRITES;
    int looks = list == READS && !now->writes && !is_strong(now) ? FEW : INT32_MAX;

    for (struct access *a = words_first(look->words, look->word, list, now->run); a && looks-- > 0;
         a = next) {
        next = words_next(a);
        if (compares)
            *waits |= compare(look, touch, a);
        if (!there && is_like(a, now)) {
            a->lanes |= now->lanes;
            a->raced |= now->raced;
            there = true;
        } else if (!a->first) {
            unsigned left = still_needed(look, a, seen);
            if (is_strong(a) && a->lanes & ~left)
                forget_first(look);
            if (left == 0) {
                words_drop(look->words, look->word, list, before);
                continue;
            }
            a->lanes = left;
        }
        before = a;
    }
    return there;
}

/* Is there none on a word's list in this run, or one that the thread itself made, or its block
 * before it met last? */
static inline bool is_behind(const struct race *race, const struct words *words, size_t word,
                             enum list list, uint32_t run, unsigned thread)
{
    const struct access *a = words_last(words, word, list);

    if (!a || a->run != run)
        return true;
    if (a->next || a->block != race->number || a->raced || a->first || a->note)
        return false;
    return a->time < *race->passed || (a->warp == thread / WARP_SIZE &&
                                       words_lanes(words, word, list) == 1u << thread % WARP_SIZE);
}

/* Who polls reads a word again and again. */
static bool is_read_again(const struct look *look)
{
    struct access *a = words_first(look->words, look->word, READS, look->now.run);

    while (a && !is_like(a, &look->now))
        a = words_next(a);
    if (a)
        a->lanes |= look->now.lanes;
    return a;
}

/* True: it waits for what is stored. */
static bool take_word(struct look *look, const struct touch *touch)
{
    enum list own = look->now.writes ? WRITES : READS;
    bool waits = false, there[2] = {false, false};
    bool plain = look->now.bytes == 0xf && !is_strong(&look->now);

    if (is_strong(&look->now))
        judge_first(look, touch);
    for (int list = WRITES; list >= READS; list--) {
        if (list == READS && own == READS && is_strong(&look->now) && is_read_again(look))
            return false;
        bool behind = is_behind(look->race, look->words, look->word, (enum list)list, look->now.run,
                                look->thread);
        if (behind && plain && (own == WRITES || list == READS))
            words_forget_list(look->words, look->word, (enum list)list);
        else if (!behind || own == WRITES || list == READS)
            there[list] = go_through(look, touch, (enum list)list, &waits);
    }
    if (!there[own] && !words_add(look->words, look->word, own, &look->now))
        lost = true;
    return waits;
}

static bool take_words(struct look *look, const struct touch *touch)
{
    bool waits = false;

    for (unsigned k = 0; k < event_words(touch->address, touch->size); k++) {
        look->word = touch->word + k;
        look->now.bytes = event_bytes(touch->address, touch->size, k);
        look->now.raced = false;
        waits |= take_word(look, touch);
    }
    return waits;
}

/* Is it a plain read within the word by a thread of the block since that met last? */
static inline bool is_recent_read(const struct race *race, const struct access *a, uint32_t run,
                                  unsigned bytes)
{
    return a && a->run == run && a->block == race->number && a->bytes == bytes && !a->note &&
           !a->is_volatile && !a->wide && a->time >= *race->passed;
}

bool race_reads_again(struct race *race, bool shared, size_t word, unsigned thread, uint32_t pc,
                      unsigned bytes)
{
    struct words *words = shared ? &race->shared : &global;
    const struct access *read = words_last(words, word, READS), *other;
    uint32_t run = shared ? race->serial : race->launch, lane = 1u << thread % WARP_SIZE;

    if (!is_recent_read(race, read, run, bytes) ||
        !is_behind(race, words, word, WRITES, run, thread))
        return false;
    if (read->warp == thread / WARP_SIZE && read->pc == pc && read->time == race->time[thread]) {
        if (!(words_lanes(words, word, READS) & lane))
            words_first(words, word, READS, run)->lanes |= lane;
        return true;
    }
    other = words_next(read);
    return !race->fences && is_recent_read(race, other, run, bytes) && other->warp != read->warp &&
           (read->pc == pc || other->pc == pc);
}

bool race_access(struct race *race, const struct touch *touch)
{
    struct look look = look_of(race, touch);

    look.stands = sync_stands(race->sync, touch->thread);
    return take_words(&look, touch);
}

bool race_operation(struct race *race, const struct touch *touch, unsigned effect)
{
    struct look look = look_of(race, touch);
    uint32_t note;

    look.stands =
        sync_operation(race->sync, touch->thread, name_of(race, touch->word, touch->shared),
                       look.now.block_scope ? SCOPE_BLOCK : SCOPE_DEVICE, (enum effect)effect,
                       look.now.is_volatile, &note);
    look.now.note = note;
    look.now.writes =
        touch->kind == EVENT_STORE || (touch->kind == EVENT_ATOMIC && effect != EFFECT_READ);
    look.now.first &= look.now.writes;
    return take_words(&look, touch);
}

void race_excuse(struct race *race, unsigned thread, size_t word, bool shared, uint32_t read_pc)
{
    pairs_excuse(&(struct excuse){.word = name_of(race, word, shared),
                                  .block = race->number,
                                  .pc = read_pc,
                                  .thread = thread});
}

/* ---- what others ask ---- */

void race_forget(size_t word, size_t count)
{
    if (global.first)
        words_forget(&global, word, count);
}

bool race_was_in_one(const struct race *race, size_t word, unsigned launch)
{
    for (int list = READS; list <= WRITES; list++)
        for (const struct access *a =
                 words_last(race ? &race->shared : &global, word, (enum list)list);
             a; a = words_next(a))
            if (a->raced && a->run == (race ? race->serial : launch))
                return true;
    return false;
}

bool race_touched(size_t word, unsigned bytes, unsigned launch, bool store, bool *writes)
{
    for (int list = WRITES; global.first && list >= READS; list--) {
        *writes = list == WRITES;
        for (const struct access *a = words_last(&global, word, (enum list)list); a;
             a = words_next(a))
            if (a->run == launch && a->bytes & bytes && (*writes || (store && !a->is_volatile)))
                return true;
    }
    return false;
}

bool race_last_writer(size_t word, unsigned launch, struct actor *writer)
{
    const struct access *last = global.first ? words_last(&global, word, WRITES) : NULL;

    if (!last || last->run != launch)
        return false;
    *writer = actor_of(last, (unsigned)__builtin_ctz(words_lanes(&global, word, WRITES)));
    return true;
}

void race_judge(const struct launch *launch)
{
    if (lost || sync_is_full())
        end_not_judged("kernel %s synchronises or shares words too often for the race checks",
                       launch->site.kernel);
    lost = false;
    pairs_judge(launch);
    sync_forget();
}
