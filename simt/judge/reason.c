/* Finds out why two accesses race. */
#include "judge/race.h"
#include "run/memory.h"

/* Does a thread with this view know of the actor's last write by an operation, and was that made at
 * this time or later? */
static bool saw(const struct view *view, const struct actor *actor, uint32_t since)
{
    struct last last = last_of(actor->block, actor->thread);

    return last.number && last.time >= since && view_saw(view, last.chain, last.number);
}

/* Is a a volatile load of what b changes by an atomic? */
static bool looks_at_atomic(const struct access *a, const struct access *b)
{
    return a->kind == EVENT_LOAD && a->is_volatile && b->kind == EVENT_ATOMIC;
}

/* May the word be a flag? Both accesses are volatile or atomic, and the writer passed a fence
 * before. The word is a flag if the reader saw what was written, and passes a fence or a barrier
 * later: the data is ordered then, and the race on the flag itself is a note. An atomic that takes
 * a lock counts as a reader of the volatile store that gave the lock back. */
static bool may_be_flag(const struct look *look, const struct access *old)
{
    const struct access *now = &look->now;
    bool takes = now->kind == EVENT_ATOMIC && look->touch->extra & (EXTRA_EXCHANGE | EXTRA_CAS);

    return access_is_strong(old) && access_is_strong(now) &&
           (old->writes ? old : now)->order.fenced &&
           (!old->writes || !now->writes || (old->kind == EVENT_STORE && takes));
}

/* Rule: in a program without fences, a plain store to global memory by the thread that made the
 * word's last atomic comes behind all atomics on the word: so the last block sets its counter back.
 * In a program with fences it is known what atomics order. */
static bool comes_last(const struct look *look, const struct access *old)
{
    const struct access *now = &look->now;

    return !look->race->fences && !look->touch->shared && now->kind == EVENT_STORE &&
           old->kind == EVENT_ATOMIC &&
           atomic_last_was(memory_address((size_t)look->name), now->block,
                           now->block == old->block ? (int)look->touch->thread : -1);
}

/* Has one of these lanes, of the warp that made the access, loaded the word at this place? Only the
 * newest entries are looked at: there may be one of each of thousands of blocks. */
static bool has_loaded(const struct look *look, const struct access *of, unsigned lanes,
                       uint32_t pc)
{
    int looks = 100;

    for (const struct entry *e = words_first(look->word, look->now.run); e && looks-- > 0;
         e = words_next(e)) {
        const struct access *a = words_access_of(e);
        if (a->kind == EVENT_LOAD && a->pc == pc && a->block == of->block && a->warp == of->warp &&
            e->lanes & lanes)
            return true;
    }
    return false;
}

/* The reason to tell for two stores, or a load and a store, that nothing orders. */
static int why_unordered(const struct look *look, const struct access *old, unsigned lanes,
                         const struct actor end[2])
{
    const struct access *now = &look->now;

    if (old->kind == EVENT_STORE && now->kind == EVENT_STORE && end[0].size != end[1].size)
        return OF_TWO_SIZES;
    if (simt_bit_fields)
        return UNORDERED;
    if (old->kind == EVENT_LOAD && now->kind == EVENT_STORE &&
        has_loaded(look, now, look->lanes, old->pc))
        return BOTH_CHANGE;
    if (old->kind == EVENT_STORE && now->kind == EVENT_LOAD &&
        has_loaded(look, old, lanes, now->pc))
        return BOTH_CHANGE;
    return UNORDERED;
}

/* Do both stores go to the same bytes of the word? */
static bool both_store(const struct access *old, const struct access *now)
{
    return old->kind == EVENT_STORE && now->kind == EVENT_STORE && old->bytes == now->bytes;
}

/* Were both made by lanes of one warp by the same instruction? */
static bool by_one_instruction(const struct access *old, const struct access *now)
{
    return both_store(old, now) && old->block == now->block && old->warp == now->warp &&
           old->pc == now->pc && old->time == now->time;
}

bool reason_race(const struct look *look, const struct access *old, unsigned lanes)
{
    const struct access *now = &look->now, *reader = old->writes ? now : old;
    struct actor end[] = {pairs_actor(old, lanes), pairs_actor(now, look->lanes)};
    struct pair pair = {.kind = look->touch->shared ? FINDING_SHARED_RACE : FINDING_GLOBAL_RACE,
                        .why = why_unordered(look, old, lanes, end),
                        .word = look->name,
                        .end = {end[0], end[1]}};

    if (by_one_instruction(old, now))
        pair.why = BY_ONE_STORE;
    else if (look->race->fences &&
             sync_lacks_fence(&look->race->sync, look->touch->thread, old, lanes))
        pair.why = LACKS_FENCE_OF_FIRST;
    else if (look->race->fences && !access_is_in_order(now) &&
             !race_unordered(look, old, lanes, true))
        pair.why = LACKS_FENCE_OF_TAKER;
    else if (look->race->fences && saw(look->view, &end[0], old->time))
        pair.why = LACKS_FENCE_OF_GIVER;
    else if (look->race->fences && old->block != now->block &&
             !view_unordered(look->view->current,
                             &(struct access){.block = old->block, .time = old->time}, 1))
        pair.why = LACKS_BARRIER;
    if ((pair.why == BY_ONE_STORE ||
         (pair.why == UNORDERED && both_store(old, now) && !access_is_strong(now))) &&
        pairs_wait(look->touch, &pair))
        return true;
    bool meet = access_scopes_meet(old, now);
    if (comes_last(look, old))
        return false;
    if (meet && (looks_at_atomic(old, now) || looks_at_atomic(now, old))) {
        pair.kind = FINDING_VOLATILE_FLAG;
    } else if (meet && may_be_flag(look, old)) { /* the writer first */
        pair.may_be_flag = true;
        pair.end[0] = end[reader == old], pair.end[1] = end[reader == now];
        pair.time = reader->time;
        pair.round = reader->order.round;
        pair.saw =
            reader == now ? look->before == old->order.chain : old->order.chain == now->order.chain;
    }
    pairs_keep(&pair);
    return false;
}

void reason_early(const struct look *look, const struct access *first)
{
    struct finding finding = {.kind =
                                  look->touch->shared ? FINDING_UNINITIALISED : FINDING_UNWRITTEN,
                              .launch = *look->race->launch,
                              .actor[0] = pairs_actor(&look->now, look->lanes),
                              .actors = 1};

    struct source_line line = source_line_at(first->pc);
    finding_say(&finding, "Nothing orders the word's first write, at %s:%d, before it.", line.file,
                line.line);
}
