/* Looks for the fences on both sides of a flag. */
#include "judge/flag.h"

static bool is_by(const struct sync *s, const struct past *p, unsigned lane)
{
    if (s->block != p->block)
        return false;
    return s->kind == SYNC_BARRIER || (s->warp == p->warp && s->lanes >> lane & 1);
}

/* Did the thread pass a fence before this write, to set a flag? Other flags may have been set
 * since, and barriers passed; an atomic in between is what the fence was for. */
static bool sets_flag(const struct history *h, const struct past *p, unsigned lane)
{
    for (size_t i = history_sync_at(h, p->position); i-- > 0;) {
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
static bool waits_for_flag(const struct history *h, const struct past *p, unsigned lane)
{
    for (size_t i = history_sync_at(h, p->position); i < h->syncs; i++)
        if (is_by(&h->sync[i], p, lane) &&
            (h->sync[i].kind == SYNC_FENCE || h->sync[i].kind == SYNC_BARRIER))
            return true;
    return false;
}

/* Does b take a lock that a volatile store, a, gave back? */
static bool takes_lock(const struct past *a, const struct past *b)
{
    return a->kind == PAST_STORE && b->swaps;
}

bool flag_is(const struct history *h, const struct past *a, const struct past *b,
             const unsigned lane[2])
{
    bool first_writes = past_writes(a);
    const struct past *writer = first_writes ? a : b, *reader = first_writes ? b : a;

    if (!past_is_strong(a) || !past_is_strong(b) || !past_scopes_meet(writer, reader))
        return false;
    if (past_writes(reader) && !takes_lock(a, b))
        return false;
    return sets_flag(h, writer, lane[!first_writes]) &&
           waits_for_flag(h, reader, lane[first_writes]);
}
