/* Decides which earlier accesses a new one stands for. */
#include "judge/race.h"

/* Does the new access race with every later access that races with the earlier one, and that is not
 * ordered behind the new one? */
static bool subsumes(const struct access *now, const struct access *old)
{
    return now->kind == old->kind && !(old->bytes & ~now->bytes) &&
           (!now->is_volatile || old->is_volatile) && old->writes == now->writes &&
           old->block_scope <= now->block_scope;
}

/* A store stands for earlier stores, and for all else that is ordered before it. */
static unsigned behind_store(const struct look *look, const struct access *old, unsigned lanes)
{
    const struct access *now = &look->now;

    if (old->kind == EVENT_STORE)
        return old->bytes & ~now->bytes || (now->is_volatile && !old->is_volatile) ? lanes : 0;
    return now->is_volatile || old->bytes & ~now->bytes || old->time == now->time
               ? lanes
               : race_unordered(look, old, lanes, false);
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

/* Of accesses that the new one subsumes but that are not ordered before it, one by another warp of
 * the block and one by another block are enough in a program without fences, where nothing but
 * barriers orders. With fences the last atomic of a chain is enough, unless the older one has the
 * block's scope: the two may race. */
static unsigned behind_equal(const struct look *look, const struct access *old, unsigned lanes,
                             bool seen[2])
{
    bool chain = look->race->fences && old->kind == EVENT_ATOMIC && old->writes;
    bool elsewhere = old->block != look->now.block;

    if (chain && !elsewhere)
        return 0;
    if (!chain || old->block_scope)
        lanes = race_unordered(look, old, lanes, false);
    bool enough = chain                ? !old->block_scope
                  : look->race->fences ? is_one_of_crowd(look, old)
                                       : elsewhere || old->warp != look->now.warp;
    if (!lanes || !enough)
        return lanes;
    bool before = seen[elsewhere];
    seen[elsewhere] = true;
    return before ? 0 : lanes;
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

unsigned keep_lanes(const struct look *look, const struct entry *entry, bool seen[2])
{
    const struct access *old = words_access_of(entry);
    unsigned left = entry->lanes;

    if (look->now.kind == EVENT_STORE)
        left = behind_store(look, old, left);
    else if (subsumes(&look->now, old))
        left = behind_equal(look, old, left, seen);
    return is_excused(look, entry) ? left & ~look->lanes : left;
}
