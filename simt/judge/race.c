/* Compares each access to a word with the earlier ones on the word's list, and adds it to the list.
 */
#include "judge/race.h"
#include "run/end.h"
#include "run/memory.h"

struct entry *race_global;
static bool lost; /* an access was not compared with all accesses that it should be */

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
        last_begin(block->number, race->sync.last);
}

/* ---- does it race with an earlier one? ---- */

/* Of lanes of its own warp: those that this lane has not met at a __syncwarp since. */
static unsigned not_met(const struct look *look, const struct access *old, unsigned lanes)
{
    const uint32_t *met = look->race->sync.thread[look->touch->thread].met;

    lanes &= ~look->lanes;
    for (unsigned left = lanes; left; left &= left - 1)
        if (old->time < met[__builtin_ctz(left)])
            lanes &= ~(left & -left);
    return lanes;
}

unsigned race_unordered(const struct look *look, const struct access *old, unsigned lanes,
                        bool in_order)
{
    const struct view *view = look->view;
    bool same_block = old->block == look->now.block;

    if (same_block && old->time < look->race->sync.behind_barrier.time)
        return 0;
    if (same_block && old->warp == look->now.warp)
        lanes = not_met(look, old, lanes);
    if (!look->race->fences)
        return lanes;
    bool saw = old->order.number && view_saw_last(view, old->order.chain, old->order.number);
    unsigned left = saw ? 0 : view_unordered(view->current, old, lanes);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE && in_order; i++)
        left = view_unordered(view->acquirable[i], old, left);
    left |= sync_lacks_fence(&look->race->sync, look->touch->thread, old, lanes & ~left);
    return vector_clock_lack() ? 0 : left;
}

/* Was the whole word written between two operations, at least one of them volatile? Then each of
 * the two is compared with that write instead. A newer chain on the word tells so; but not for two
 * atomics, since a chain also ends where scopes do not meet. */
static bool is_overwritten_between(const struct access *old, const struct look *look)
{
    return access_is_strong(old) && access_is_strong(&look->now) &&
           (old->is_volatile || look->now.is_volatile) && (old->bytes & look->now.bytes) == 0xf &&
           old->order.chain < look->before;
}

/* Do the two accesses race unless something orders them? */
static bool conflict(const struct access *old, const struct look *look)
{
    const struct access *now = &look->now;

    if (!(old->bytes & now->bytes) || (!old->writes && !now->writes) ||
        is_overwritten_between(old, look))
        return false;
    return old->kind != EVENT_ATOMIC || now->kind != EVENT_ATOMIC || !access_scopes_meet(old, now);
}

/* Notes the pair if the two race. True: reason_race waits for the value that is stored. */
static bool compare(const struct look *look, const struct access *old, unsigned lanes)
{
    return conflict(old, look) &&
           (lanes = race_unordered(look, old, lanes, access_is_in_order(&look->now))) &&
           reason_race(look, old, lanes);
}

/* Rule: an atomic or volatile load reads garbage if it may come before the word's first write. It
 * may if that write was an operation, and no write happens before the load. */
static void check_first_write(const struct look *look)
{
    const struct touch *touch = look->touch;
    const struct entry *first = NULL, *all = words_first(look->word, look->now.run);

    if (touch->kind == EVENT_STORE || (touch->kind == EVENT_LOAD && !look->race->fences) ||
        (touch->kind == EVENT_ATOMIC && touch->extra & EXTRA_EXCHANGE))
        return;
    for (const struct entry *e = all; e && words_access_of(e)->writes; e = words_next(e))
        first = e->first ? e : first;
    for (const struct entry *e = all; first && e && words_access_of(e)->writes; e = words_next(e))
        if (race_unordered(look, words_access_of(e), e->lanes, true) != e->lanes)
            first = NULL;
    if (first)
        reason_early(look, words_access_of(first));
}

/* ---- which earlier accesses stay on a word's list when a new one is added ----
 *
 * Those with which a later access must be compared although it is compared with the new one.
 * Rule: an earlier access goes if the new one stands for it: every later access that races with the
 * earlier one races with the new one, too. */

/* At most KEEP_MOST accesses are compared with a new one. A plain read looks only at the KEEP_FEW
 * last reads, to drop some of them, and keeps at most KEEP_PLACES at other places. */
enum { KEEP_MOST = 1 << 12, KEEP_FEW = 16, KEEP_PLACES = 4 };

/* Does the new access race with every later access that races with the earlier one, and that is not
 * ordered behind the new one? */
static bool subsumes(const struct access *now, const struct access *old)
{
    return now->kind == old->kind && !(old->bytes & ~now->bytes) &&
           (!now->is_volatile || old->is_volatile) && old->writes == now->writes &&
           old->block_scope <= now->block_scope;
}

/* A store stands for earlier stores, and for all else that is ordered before it. The few loads with
 * which it races first stand for the others: that is told already. */
static unsigned behind_store(const struct look *look, const struct access *old, unsigned lanes,
                             unsigned *races)
{
    const struct access *now = &look->now;

    if (old->kind == EVENT_STORE)
        return old->bytes & ~now->bytes || (now->is_volatile && !old->is_volatile) ? lanes : 0;
    if (now->is_volatile || old->bytes & ~now->bytes || old->time == now->time)
        return lanes;
    lanes = race_unordered(look, old, lanes, false);
    return lanes && old->kind == EVENT_LOAD && ++*races > KEEP_FEW ? 0 : lanes;
}

/* Is the earlier access a plain read, at the same place, of a word that atomics change, by a block
 * that has ended and released nothing since? Every later write races with it, so one such read is
 * enough. A maximum by atomicCAS has one from each of its threads. */
static bool is_one_of_crowd(const struct look *look, const struct access *old)
{
    const struct access *now = &look->now;

    return old->block != now->block && !now->writes && old->pc == now->pc &&
           words_access_of(look->word)->kind == EVENT_ATOMIC &&
           last_released_nothing(old->block, old->time);
}

/* Does nothing order accesses of different warps of the block but barriers for all of them alike?
 * Fences may, and so does a barrier at which some warps have arrived while others have not. */
static bool only_barriers_order(const struct race *race)
{
    return !race->fences && !race->sync.arrived;
}

/* Of accesses that the new one subsumes but that are not ordered before it, one by another warp of
 * the block and one by another block are enough in a program without fences, where nothing but
 * barriers orders. With fences the last atomic of a chain is enough, unless the older one has the
 * block's scope: the two may race. Some reads at other places stay, too, since an atomicCAS may
 * excuse only the new one. */
static unsigned behind_equal(const struct look *look, const struct access *old, unsigned lanes,
                             unsigned seen[4])
{
    bool chain = look->race->fences && old->kind == EVENT_ATOMIC && old->writes;
    bool elsewhere = old->block != look->now.block;

    if (chain && !elsewhere)
        return 0;
    if (!chain || old->block_scope)
        lanes = race_unordered(look, old, lanes, false);
    bool enough = chain                ? !old->block_scope
                  : look->race->fences ? is_one_of_crowd(look, old)
                                       : elsewhere || (old->warp != look->now.warp &&
                                                       only_barriers_order(look->race));
    bool other_place = old->kind == EVENT_LOAD && old->pc != look->now.pc;
    if (!lanes || !enough)
        return lanes;
    return seen[2 * other_place + elsewhere]++ < (other_place ? KEEP_PLACES : 1) ? lanes : 0;
}

/* Is the entry a plain read of the thread that now makes its atomicCAS, which excuses it from
 * others' atomics? The atomicCAS stands for it, against stores, too. (A volatile store meets the
 * few that stay.) Else each thread of a loop of atomicCAS would be compared with the reads of all
 * threads before it. */
static bool is_excused(const struct look *look, const struct entry *e)
{
    const struct access *old = words_access_of(e), *now = &look->now;

    if (now->kind != EVENT_ATOMIC || old->kind != EVENT_LOAD || old->is_volatile ||
        old->block != now->block || old->warp != now->warp || !(e->lanes & look->lanes) ||
        !pairs_excused(look->name, now->block, look->touch->thread, old->pc))
        return false;
    for (int i = 0; e && i < KEEP_FEW; i++)
        e = words_next(e);
    return e;
}

/* The lanes of the entry's access with which later accesses must still be compared. seen: while a
 * list is walked, how many entries were kept that stand for others of this block ([0]) or of other
 * blocks ([1]), and of reads at other places ([2], [3]); of a store, that race with it ([0]). */
static unsigned keep_lanes(const struct look *look, const struct entry *entry, unsigned seen[4])
{
    const struct access *old = words_access_of(entry);
    unsigned left = entry->lanes;

    if (look->now.kind == EVENT_STORE)
        left = behind_store(look, old, left, seen);
    else if (subsumes(&look->now, old))
        left = behind_equal(look, old, left, seen);
    return is_excused(look, entry) ? left & ~look->lanes : left;
}

/* check_first_write needs every write on the list: if one is dropped, a load that is ordered behind
 * it would seem to come first. */
static void forget_first(const struct look *look)
{
    for (struct entry *e = words_first(look->word, look->now.run); e; e = words_next(e))
        e->first = false;
}

/* Compares the access with those on the word's list, drops those for which it stands, and adds
 * it. True: reason_race waits for the value that is stored. */
static bool judge_word(const struct look *look)
{
    const struct access *now = &look->now;
    uint32_t access = words_number(now);
    bool strong = access_is_strong(now), there = false, waits = false;
    unsigned seen[4] = {0};
    look->word->crowd = CROWD_NONE;
    int looks = KEEP_MOST, reads = now->writes || strong ? KEEP_MOST : KEEP_FEW;
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
            unsigned left = keep_lanes(look, e, seen);
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

static struct access access_of(const struct race *race, const struct touch *touch, int effect)
{
    bool atomic = touch->kind == EVENT_ATOMIC;
    uint32_t section = race->fences ? sync_unfenced(&race->sync, touch->thread) : 0;

    return (struct access){.run = touch->shared ? race->sync.phase : race->launch->number,
                           .block = race->sync.number,
                           .time = sync_view(&race->sync, touch->thread)->time,
                           .pc = touch->pc,
                           .section = section,
                           .fenced = section && race->sync.thread[touch->thread].holding.fences > 0,
                           .bytes = event_bytes(touch->address, touch->size, 0),
                           .warp = touch->thread / WARP_SIZE,
                           .wide = touch->size > 8 ? 2 : touch->size > 4,
                           .kind = touch->kind,
                           .writes = effect == RACE_PLAIN ? touch->kind != EVENT_LOAD
                                                          : effect != EFFECT_READ,
                           .is_volatile = !atomic && touch->extra & EXTRA_VOLATILE,
                           .same = effect == EFFECT_SAME,
                           .block_scope = atomic && touch->extra & EXTRA_BLOCK_SCOPE};
}

bool race_access(struct race *race, const struct touch *touch, int effect)
{
    bool waits = false;
    struct look look = {.race = race,
                        .touch = touch,
                        .word = (touch->shared ? race->shared : race_global) + touch->word,
                        .name = words_name(race->sync.number, touch->word, touch->shared),
                        .lanes = 1u << touch->thread % WARP_SIZE,
                        .view = sync_view(&race->sync, touch->thread),
                        .now = access_of(race, touch, effect)};
    struct view view;

    if (effect != RACE_PLAIN) { /* the thread's view before the access decides what is ordered */
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

/* Loads like this one are covered, as long as the list stays as it is. Returns true. */
static bool note_crowd(struct entry *first, uint32_t pc, uint32_t part, enum crowd crowd)
{
    if (words_is_load_like(words_access_of(first), pc, part))
        first->crowd = crowd;
    return true;
}

bool race_search_list(const struct race *race, struct entry *first, unsigned thread, uint32_t pc,
                      uint32_t part)
{
    const struct access *one = NULL, *here = NULL; /* a load like this one; also in its block */
    uint32_t time = sync_view(&race->sync, thread)->time;
    unsigned elsewhere = 0;

    for (struct entry *e = first; e; e = words_next(e)) {
        const struct access *a = words_access_of(e);
        bool own = a->block == race->sync.number,
             recent = own && a->time >= race->sync.behind_barrier.time;
        if (a->writes && (recent || !own))
            return false;
        if (!own && ++elsewhere > KEEP_FEW) /* of thousands of blocks: its own stand in front */
            return false;
        if (!words_is_load_like(a, pc, part))
            continue;
        if (recent && a->warp == thread / WARP_SIZE && a->time == time) {
            e->lanes |= 1u << thread % WARP_SIZE;
            return true;
        }
        if (one && one->block != a->block && !race->fences)
            return note_crowd(first, pc, part, CROWD_BLOCKS);
        if (recent && here && here->warp != a->warp && only_barriers_order(race))
            return note_crowd(first, pc, part, CROWD_WARPS);
        one = a;
        here = recent ? a : here;
    }
    return false;
}

bool race_launch_used(unsigned launch, uintptr_t address, size_t size, bool store, bool *writes)
{
    size_t word = memory_word((const void *)address);

    for (unsigned k = 0; race_global && k < event_words(address, (unsigned)size); k++) {
        unsigned bytes = event_bytes(address, (unsigned)size, k);
        const struct entry *e = words_first(race_global + word + k, launch);
        for (; e; e = words_next(e)) {
            *writes = words_access_of(e)->writes;
            if (words_access_of(e)->bytes & bytes &&
                (*writes || (store && !words_access_of(e)->is_volatile)))
                return true;
        }
    }
    return false;
}

void race_judge(const struct launch *launch)
{
    pairs_judge(launch);
    if (lost || vector_clock_lack())
        end_not_judged("kernel %s synchronises or shares words too often for the race checks",
                       launch->site.kernel);
    sync_forget();
    lost = false;
}
