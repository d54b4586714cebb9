/* Compares each access to a word with those on the word's list, and keeps it there for later ones.
 * See race.h for the rules. */
#include "judge/race.h"
#include "judge/pairs.h"
#include "run/array.h"
#include "run/end.h"
#include "run/memory.h"

struct entry *race_global;
static bool lost; /* an access was not compared with all that it should be */

void race_begin(struct race *race, size_t shared_words)
{
    if (!race_global)
        race_global = words_map(memory_words());
    race->shared = words_map(shared_words);
    race->fences = atomic_program_has_fences();
}

void race_block_begin(struct race *race, const struct block *block)
{
    race->launch = block->launch;
    sync_block_begin(&race->sync, block->number, block->launch->threads);
    if (race->fences)
        lasts_begin(block->number, race->sync.last);
}

/* ---- does it race with an older one? ---- */

/* Has the whole word been written between two operations, at least one of them volatile? Then each
 * of the two is compared with that write instead. A later chain on the word shows it, except
 * between two atomics, where a chain may also end because the scopes do not meet. */
static bool is_overwritten_between(const struct access *old, const struct look *look)
{
    return access_is_strong(old) && access_is_strong(&look->now) &&
           (old->is_volatile || look->now.is_volatile) && (old->bytes & look->now.bytes) == 0xf &&
           old->order.chain < look->before;
}

/* Do the two race unless something orders them? */
static bool conflict(const struct access *old, const struct look *look)
{
    const struct access *now = &look->now;

    if (!(old->bytes & now->bytes) || (!old->writes && !now->writes) ||
        is_overwritten_between(old, look))
        return false;
    return old->kind != EVENT_ATOMIC || now->kind != EVENT_ATOMIC || !access_scopes_meet(old, now);
}

/* Keeps the pair if the two race. True: pairs_race waits for the value that is stored. */
static bool compare(const struct look *look, const struct access *old, unsigned lanes)
{
    return conflict(old, look) &&
           (lanes = sync_unordered(look, old, lanes, access_is_in_order(&look->now))) &&
           pairs_race(look, old, lanes);
}

/* An atomic or volatile load may read garbage in another order: if the word's first write was an
 * operation, and no write happens before the load, the load could have come first. */
static void check_first_write(const struct look *look)
{
    const struct touch *touch = look->touch;
    const struct entry *first = NULL, *all = words_first(look->word, look->now.run);

    if (touch->kind == EVENT_STORE || (touch->kind == EVENT_LOAD && !look->fences) ||
        (touch->kind == EVENT_ATOMIC && touch->extra & EXTRA_EXCHANGE))
        return;
    for (const struct entry *e = all; e && words_access_of(e)->writes; e = words_next(e))
        first = e->first ? e : first;
    for (const struct entry *e = all; first && e && words_access_of(e)->writes; e = words_next(e))
        if (sync_unordered(look, words_access_of(e), e->lanes, true) != e->lanes)
            first = NULL;
    if (first)
        pairs_early(look, words_access_of(first));
}

/* ---- what is kept ---- */

/* Does every access that is not ordered behind the newer one, and races with the older one, race
 * with the newer one, too? */
static bool subsumes(const struct access *now, const struct access *old)
{
    return now->kind == old->kind && !(old->bytes & ~now->bytes) &&
           (!now->is_volatile || old->is_volatile) && old->writes == now->writes &&
           old->block_scope <= now->block_scope;
}

/* Is the older access a plain read, at the same place, of a word that atomics change, by a block that
 * has ended and released nothing since? Every later write races with it, so one such read is enough.
 * A maximum by atomicCAS has one from each of its threads. */
static bool is_one_of_crowd(const struct look *look, const struct access *old)
{
    const struct access *now = &look->now;

    return old->block != now->block && !now->writes && old->pc == now->pc &&
           words_access_of(look->word)->kind == EVENT_ATOMIC &&
           lasts_released_nothing(old->block, old->time);
}

/* The lanes of an older access with which later accesses must still be compared. Of accesses that
 * the newer one subsumes, but that are not ordered before it, one by another warp of the block and
 * one by another block are enough. seen: such a one has been met, [0] in the block, [1] elsewhere.
 */
static unsigned lanes_to_keep(const struct look *look, const struct access *old, unsigned lanes,
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
    if (!subsumes(now, old))
        return lanes;
    /* the last atomic of a chain is enough, unless the older one has the block's scope: the two may
     * race */
    bool chain = fences && old->kind == EVENT_ATOMIC && old->writes;
    if (chain && !elsewhere)
        return 0;
    if (!chain || old->block_scope)
        lanes = sync_unordered(look, old, lanes, false);
    bool enough = chain    ? !old->block_scope
                  : fences ? is_one_of_crowd(look, old)
                           : elsewhere || old->warp != now->warp;
    if (lanes && enough) {
        bool before = seen[elsewhere];
        seen[elsewhere] = true;
        return before ? 0 : lanes;
    }
    return lanes;
}

/* At most MOST accesses are compared with a new one. A plain read looks only at the FEW last reads,
 * to drop some of them. */
enum { MOST = 1 << 12, FEW = 16 };

/* A plain read of the thread that now makes its atomicCAS, which excuses it from others' atomics:
 * the atomicCAS stands for it, against stores, too. (A volatile store meets the few that stay.)
 * Else each thread of a loop of atomicCAS would be compared with the reads of all before it. */
static bool stands_for(const struct look *look, const struct entry *e)
{
    const struct access *old = words_access_of(e), *now = &look->now;

    if (now->kind != EVENT_ATOMIC || old->kind != EVENT_LOAD || old->is_volatile ||
        old->block != now->block || old->warp != now->warp || !(e->lanes & look->lanes) ||
        !pairs_excused(look->name, now->block, look->touch->thread, old->pc))
        return false;
    for (int i = 0; e && i < FEW; i++)
        e = words_next(e);
    return e;
}

/* check_first_write needs every write on the list: behind one that is dropped, a load would seem to
 * come first. */
static void forget_first(const struct look *look)
{
    for (struct entry *e = words_first(look->word, look->now.run); e; e = words_next(e))
        e->first = false;
}

/* Is the read already on the word's list? A thread that polls reads a word again and again. */
static bool is_read_again(const struct look *look, uint32_t access)
{
    struct entry *e = words_first(look->word, look->now.run);

    while (e && e->access != access)
        e = words_next(e);
    if (e)
        e->lanes |= look->lanes;
    return e;
}

/* Compares the access with those on the word's list, drops those that it makes superfluous, and
 * adds it. True: pairs_race waits for the value that is stored. */
static bool judge_word(const struct look *look)
{
    const struct access *now = &look->now;
    uint32_t access = words_number(now);
    bool strong = access_is_strong(now), waits = false, seen[2] = {false, false};
    bool there = strong && !now->writes && is_read_again(look, access);
    int looks = MOST, reads = there ? 0 : now->writes || strong ? MOST : FEW;
    struct entry *before = NULL, *behind = NULL, *e = words_first(look->word, now->run);
    bool first = look->touch->first && now->writes && strong;

    if (strong)
        check_first_write(look);
    while (e && looks-- > 0 && (words_access_of(e)->writes || reads-- > 0)) {
        const struct access *old = words_access_of(e);
        if (now->writes || old->writes)
            waits |= compare(look, old, e->lanes);
        if (e->access == access || words_equal(old, now)) {
            e->lanes |= look->lanes;
            there = true;
            reads = now->writes ? reads : 0;
        } else if (!e->first) {
            unsigned left = lanes_to_keep(look, old, e->lanes, seen);
            left &= stands_for(look, e) ? ~look->lanes : ~0u;
            if (access_is_strong(old) && e->lanes & ~left)
                forget_first(look);
            if (left == 0) {
                e = words_drop(before, e);
                continue;
            }
            e->lanes = left;
        }
        before = e;
        behind = words_access_of(e)->writes && !now->writes ? e : behind;
        e = words_next(e);
    }
    lost |= e && (now->writes || words_access_of(e)->writes);
    if (!access || (!there && !words_add(look->word, behind, access, look->lanes, first)))
        lost = true;
    return waits;
}

static inline struct access access_of(const struct race *race, const struct touch *touch,
                                      int effect)
{
    bool atomic = touch->kind == EVENT_ATOMIC;
    uint32_t section = race->fences ? sync_unfenced(&race->sync, touch->thread) : 0;

    return (struct access){.run = touch->shared ? race->sync.epoch : race->launch->number,
                           .block = race->sync.number,
                           .time = sync_view(&race->sync, touch->thread)->time,
                           .pc = touch->pc,
                           .section = section,
                           .fenced = section && race->sync.thread[touch->thread].fences > 0,
                           .bytes = event_bytes(touch->address, touch->size, 0),
                           .warp = touch->thread / WARP_SIZE,
                           .wide = touch->size > 8 ? 2 : touch->size > 4,
                           .kind = touch->kind,
                           .writes =
                               effect == PLAIN ? touch->kind != EVENT_LOAD : effect != EFFECT_READ,
                           .is_volatile = !atomic && touch->extra & EXTRA_VOLATILE,
                           .block_scope = atomic && touch->extra & EXTRA_BLOCK_SCOPE};
}

__attribute__((noinline)) static bool judge_words(struct race *race, const struct touch *touch,
                                                  struct entry *word, int effect)
{
    bool waits = false;
    struct look look = {.launch = race->launch,
                        .sync = &race->sync,
                        .fences = race->fences,
                        .touch = touch,
                        .word = word,
                        .name = words_name(race->sync.number, touch->word, touch->shared),
                        .lanes = 1u << touch->thread % WARP_SIZE,
                        .view = sync_view(&race->sync, touch->thread),
                        .now = access_of(race, touch, effect)};
    struct view view;

    if (effect != PLAIN) { /* the thread's view before the access decides what is ordered */
        view = *look.view;
        look.view = &view;
        look.before = sync_operation(&race->sync, touch->thread, look.name, (enum effect)effect,
                                     touch->taken_from, &look.now);
    }
    for (unsigned k = 0; k < event_words(touch->address, touch->size);
         k++, look.word++, look.name++) {
        look.now.bytes = event_bytes(touch->address, touch->size, k);
        waits |= judge_word(&look);
    }
    return waits;
}

/* The number of a plain access within its word. In the usual case it equals the last one at its
 * place, made by another lane; these fields decide that where no operation has an order. */
static uint32_t plain_access(const struct race *race, const struct touch *touch)
{
    unsigned bytes = event_bytes(touch->address, touch->size, 0);
    uint32_t last = *words_recent_at(touch->pc, bytes);
    const struct access *a = &words_accesses[last];

    if (last && !race->fences && a->pc == touch->pc && a->block == race->sync.number &&
        a->run == (touch->shared ? race->sync.epoch : race->launch->number) &&
        a->time == sync_view(&race->sync, touch->thread)->time && a->bytes == bytes &&
        a->warp == touch->thread / WARP_SIZE && a->kind == touch->kind && !a->is_volatile &&
        !a->wide)
        return last;
    struct access now = access_of(race, touch, PLAIN);
    return words_number(&now);
}

/* In the usual case it is the first access to its word in this run: there is nothing to compare. */
bool race_access(struct race *race, const struct touch *touch, int effect)
{
    struct entry *word = (touch->shared ? race->shared : race_global) + touch->word;

    if (touch->kind == EVENT_ATOMIC || touch->extra & EXTRA_VOLATILE ||
        touch->address % 4 + touch->size > 4 ||
        words_first(word, touch->shared ? race->sync.epoch : race->launch->number))
        return judge_words(race, touch, word, effect);
    uint32_t access = plain_access(race, touch);
    lost |= !access || !words_add(word, NULL, access, 1u << touch->thread % WARP_SIZE, false);
    return false;
}

bool race_covered_by_others(const struct race *race, struct entry *word, unsigned thread,
                            uint32_t pc, unsigned bytes)
{
    uint32_t time = sync_view(&race->sync, thread)->time;
    unsigned warp = thread / WARP_SIZE, others = 0;
    bool same_place = false;

    for (struct entry *e = word; e; e = words_next(e)) {
        const struct access *a = words_access_of(e);
        bool own = a->block == race->sync.number,
             recent = own && a->time >= race->sync.behind_barrier.time;
        if (a->writes && (recent || !own))
            return false;
        if (a->writes || !recent || a->bytes != bytes || access_is_strong(a))
            continue;
        same_place |= a->pc == pc;
        others += a->warp != warp;
        if (others >= 2 && same_place && !race->fences)
            return true;
        if (a->warp == warp && a->pc == pc && a->time == time) {
            e->lanes |= 1u << thread % WARP_SIZE;
            return true;
        }
    }
    return false;
}

void race_judge(const struct launch *launch)
{
    pairs_judge(launch);
    if (!sync_forget() || lost)
        end_not_judged("kernel %s synchronises or shares words too often for the race checks",
                       launch->site.kernel);
    lost = false;
}
