/* Compares each access to a word with those before it, and keeps what later ones are to be compared
 * with. See race.h for the rules. */
#include "judge/race.h"
#include "judge/pairs.h"
#include "run/array.h"
#include "run/end.h"
#include "run/memory.h"

#include <stdlib.h>

struct words race_global;
static bool lost; /* an access was not compared with all that it should be */

struct race *race_new(size_t shared_words)
{
    struct race *race = calloc(1, sizeof *race);

    if (!race)
        array_no_memory();
    if (!race_global.first[READS])
        words_map(&race_global, memory_words());
    words_map(&race->shared, shared_words);
    race->fences = atomic_program_has_fences();
    return race;
}

void race_block_begin(struct race *race, const struct block *block)
{
    race->serial++;
    race->launch = block->launch->number;
    race->number = block_number(block);
    sync_block_begin(&race->sync, race->number, block->launch->threads);
}

/* ---- does it race with an older one? ---- */

static bool same_warp(const struct access *a, const struct access *b)
{
    return a->block == b->block && a->warp == b->warp;
}

/* Was the whole word written between two operations, that is, has another chain begun since the one
 * of the first? Then each is compared with that instead. (Of atomics a chain may end for want of
 * scope.) */
static bool is_overwritten_between(const struct access *old, const struct look *look)
{
    return access_is_strong(old) && access_is_strong(&look->now) &&
           (old->is_volatile || look->now.is_volatile) && (old->bytes & look->now.bytes) == 0xf &&
           old->order.chain < look->before;
}

static bool conflict(const struct access *old, const struct look *look)
{
    const struct access *now = &look->now;

    if (!(old->bytes & now->bytes) || (!old->writes && !now->writes) ||
        is_overwritten_between(old, look))
        return false;
    return old->kind != EVENT_ATOMIC || now->kind != EVENT_ATOMIC || !access_scopes_meet(old, now);
}

/* True: it waits for what is stored. */
static bool compare(const struct look *look, const struct access *old, unsigned lanes)
{
    return conflict(old, look) &&
           (lanes = sync_unordered(look, old, lanes, access_is_in_order(&look->now))) &&
           pairs_race(look, old, lanes);
}

/* The word's first write was by an operation, and the atomic or volatile load is behind no write:
 * it could have come first, and read what nobody had written. */
static void judge_first(const struct look *look)
{
    const struct touch *touch = look->touch;
    const struct entry *first = NULL;
    const struct entry *all = words_first(look->words, look->word, WRITES, look->now.run);

    if (touch->kind == EVENT_STORE || (touch->kind == EVENT_LOAD && !look->fences) ||
        (touch->kind == EVENT_ATOMIC && touch->extra & EXTRA_EXCHANGE))
        return;
    for (const struct entry *e = all; e; e = words_next(e))
        if (e->first)
            first = e;
    for (const struct entry *e = all; first && e; e = words_next(e))
        if (sync_unordered(look, words_made(e), e->lanes, true) != e->lanes)
            first = NULL;
    if (first)
        pairs_early(look, words_made(first), first->lanes);
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
    bool fences = look->fences, elsewhere = old->block != now->block;

    if (now->kind == EVENT_STORE && old->kind == EVENT_STORE)
        return old->bytes & ~now->bytes || (now->is_volatile && !old->is_volatile) ? lanes : 0;
    if (now->kind == EVENT_STORE)
        return now->is_volatile || old->bytes & ~now->bytes || old->time == now->time
                   ? lanes
                   : sync_unordered(look, old, lanes, false);
    if (!says_as_much(now, old))
        return lanes;
    /* of a chain the last is enough, but of the block's own scope, which may race with that */
    bool chain = fences && old->kind == EVENT_ATOMIC && old->writes;
    if (chain && !elsewhere)
        return 0;
    if (!chain || old->block_scope)
        lanes = sync_unordered(look, old, lanes, false);
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
static bool go_through(const struct look *look, enum list list, uint32_t access, bool *waits)
{
    struct entry *before = NULL, *e = words_first(look->words, look->word, list, look->now.run);
    bool seen[2] = {false, false}, there = false, compares = look->now.writes || list == WRITES;
    int looks = compares || access_is_strong(&look->now) ? MOST : FEW;

    while (e && looks-- > 0) {
        const struct access *old = words_made(e);
        if (compares)
            *waits |= compare(look, old, e->lanes);
        if (e->access == access) {
            e->lanes |= look->lanes;
            there = true;
        } else if (!e->first) {
            unsigned left = still_needed(look, old, e->lanes, seen);
            if (access_is_strong(old) && e->lanes & ~left)
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
static bool take_word(const struct look *look)
{
    enum list own = look->now.writes ? WRITES : READS;
    uint32_t access = words_access(&look->now);
    bool waits = false, there[2] = {false, false}, strong = access_is_strong(&look->now);
    struct entry entry = {access, look->lanes, 0, look->touch->first && own == WRITES && strong};

    if (strong)
        judge_first(look);
    for (int list = WRITES; list >= READS; list--)
        there[list] = (list == READS && own == READS && strong && is_read_again(look, access)) ||
                      go_through(look, (enum list)list, access, &waits);
    if (!access || (!there[own] && !words_add(look->words, look->word, own, entry)))
        lost = true;
    return waits;
}

bool race_access(struct race *race, const struct touch *touch, int effect)
{
    bool atomic = touch->kind == EVENT_ATOMIC, waits = false;
    struct look look = {
        .sync = &race->sync,
        .fences = race->fences,
        .touch = touch,
        .words = touch->shared ? &race->shared : &race_global,
        .lanes = 1u << touch->thread % WARP_SIZE,
        .stands = sync_stands(&race->sync, touch->thread),
        .now = {.run = touch->shared ? race->serial : race->launch,
                .block = race->number,
                .time = race->sync.time[touch->thread],
                .pc = touch->pc,
                .warp = touch->thread / WARP_SIZE,
                .wide = touch->size > 8 ? 2 : touch->size > 4,
                .kind = touch->kind,
                .writes = effect == PLAIN ? touch->kind != EVENT_LOAD : effect != EFFECT_READ,
                .is_volatile = !atomic && touch->extra & EXTRA_VOLATILE,
                .block_scope = atomic && touch->extra & EXTRA_BLOCK_SCOPE}};
    struct stands stands;

    if (effect != PLAIN) { /* it is ordered by what its thread knew before */
        stands = *look.stands;
        look.stands = &stands;
        look.before = sync_operation(&race->sync, touch->thread,
                                     words_name(race->number, touch->word, touch->shared),
                                     (enum effect)effect, &look.now);
        if (look.now.writes)
            pairs_operated(&look);
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
    return a->block == race->number && a->bytes == bytes && !access_is_strong(a) && !a->wide &&
           a->time >= race->sync.passed.time;
}

/* Is it a write of another thread that may race with this one's read? */
static inline bool may_race(const struct race *race, const struct entry *write, unsigned thread)
{
    const struct access *a = words_made(write);

    return write->next || a->block != race->number ||
           (a->time >= race->sync.passed.time &&
            (a->warp != thread / WARP_SIZE || write->lanes != 1u << thread % WARP_SIZE));
}

bool race_reads_again(struct race *race, bool shared, size_t word, unsigned thread, uint32_t pc,
                      unsigned bytes)
{
    const struct words *words = shared ? &race->shared : &race_global;
    uint32_t run = shared ? race->serial : race->launch;
    struct entry *last = words_first(words, word, READS, run);
    const struct entry *write = words_first(words, word, WRITES, run), *other;

    if (!last || !is_recent_read(race, words_made(last), bytes) ||
        (write && may_race(race, write, thread)))
        return false;
    const struct access *a = words_made(last), *b;
    if (a->warp == thread / WARP_SIZE && a->pc == pc && a->time == race->sync.time[thread]) {
        last->lanes |= 1u << thread % WARP_SIZE;
        return true;
    }
    return !race->fences && (other = words_next(last)) &&
           is_recent_read(race, b = words_made(other), bytes) && a->warp != b->warp &&
           (a->pc == pc || b->pc == pc);
}

void race_judge(const struct launch *launch)
{
    pairs_judge(launch);
    if (!sync_forget() || lost)
        end_not_judged("kernel %s synchronises or shares words too often for the race checks",
                       launch->site.kernel);
    lost = false;
}
