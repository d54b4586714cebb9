/* Critical sections. */
#include "judge/lock.h"
#include "run/array.h"

static struct section {
    uint64_t lock;         /* name of the word (words_name) */
    uint32_t from;         /* hash of the value from which the lock was taken */
    uint32_t time;         /* the thread's logical time then */
    uint32_t outer;        /* number of the section in which it was taken; 0: none */
    vector_clock known[3]; /* accesses that the thread knew then, or would know behind a fence */
} * sections;              /* by their numbers, from 1 on */
static size_t count, room;
static vector_clock last_clock;

void lock_take(struct holding *holding, struct view *view, uint64_t lock, uint32_t from)
{
    if (!array_room((void **)&sections, count + 1, &room, INT32_MAX, sizeof *sections))
        return;
    view->time++;
    sections[++count] =
        (struct section){lock,
                         from,
                         view->time,
                         holding->section,
                         {view->current.accesses, view->acquirable[SCOPE_BLOCK].accesses,
                          view->acquirable[SCOPE_DEVICE].accesses}};
    *holding = (struct holding){.section = (uint32_t)count};
    for (int i = 0; i < 3; i++)
        last_clock = view_later(last_clock, sections[count].known[i]);
}

/* The outer section counts as fenced, because its fences are no longer known. */
bool lock_leave(struct holding *holding, uint64_t lock)
{
    if (!holding->section || sections[holding->section].lock != lock)
        return false;
    *holding = (struct holding){sections[holding->section].outer, LOCK_FENCED};
    return true;
}

unsigned lock_lacks_fence(const struct holding *holding, const struct access *old, bool same_block,
                          unsigned lanes)
{
    const struct section *its = &sections[old->section], *own = &sections[holding->section];

    if (!lanes || !old->section || !holding->section || its->lock != own->lock ||
        its->from != own->from || access_is_in_order(old) || (same_block && old->fenced))
        return 0;
    /* more than the lock orders them if the thread knew already that the lock was taken */
    struct access taken = {.block = old->block, .warp = old->warp, .time = its->time};
    for (int i = 0; i < 3; i++)
        lanes = view_unordered(&(struct knowledge){own->known[i], 0}, &taken, lanes);
    return lanes;
}

vector_clock lock_last_clock(void)
{
    return last_clock;
}

void lock_forget(void)
{
    count = last_clock = 0;
}
