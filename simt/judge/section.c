/* Finds critical sections among a launch's synchronisation. */
#include "judge/section.h"

#include <stdlib.h>

static uint64_t thread_of(uint32_t block, unsigned warp, unsigned lane)
{
    return (uint64_t)block << 10 | warp << 5 | lane;
}

static bool takes(const struct sync *s)
{
    return s->kind == SYNC_OPERATION && s->is_cas && s->effect == EFFECT_CHANGE;
}

static bool matters(const struct sync *s)
{
    return s->kind == SYNC_FENCE || (s->kind == SYNC_OPERATION && s->effect != EFFECT_READ);
}

/* What a thread did, in order: a copy of its operations and fences, a lane each. */
struct act {
    uint64_t thread;
    const struct sync *sync;
};

static int by_thread(const void *x, const void *y)
{
    const struct act *a = x, *b = y;

    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->sync > b->sync) - (a->sync < b->sync); /* these are in order */
}

static struct section section_from(const struct act *act, const struct act *end)
{
    struct section section = {
        act->thread, act->sync->position, UINT64_MAX, {UINT64_MAX, UINT64_MAX}, act->sync->word};

    for (const struct act *a = act + 1; a < end && a->thread == act->thread; a++) {
        const struct sync *s = a->sync;
        for (int scope = SCOPE_BLOCK; s->kind == SYNC_FENCE && scope <= s->scope; scope++)
            if (section.fence[scope] == UINT64_MAX)
                section.fence[scope] = s->position;
        if (s->kind == SYNC_OPERATION && s->word == section.word) {
            section.given = s->position;
            return section;
        }
    }
    return section;
}

static size_t gather(struct act *act, const struct sync *sync, size_t syncs)
{
    size_t count = 0;

    for (size_t i = 0; i < syncs; i++)
        for (uint32_t left = matters(&sync[i]) ? sync[i].lanes : 0; left; left &= left - 1) {
            if (act)
                act[count] = (struct act){
                    thread_of(sync[i].block, sync[i].warp, (unsigned)__builtin_ctz(left)),
                    &sync[i]};
            count++;
        }
    return count;
}

struct sections sections_find(const struct sync *sync, size_t syncs)
{
    struct sections sections = {.count = 0};
    size_t taken = 0, count = gather(NULL, sync, syncs);

    for (size_t i = 0; i < syncs; i++)
        taken += takes(&sync[i]);
    struct act *act = malloc((count + 1) * sizeof *act);
    sections.section = act ? malloc((taken + 1) * sizeof *sections.section) : NULL;
    if (taken && sections.section) {
        gather(act, sync, syncs);
        qsort(act, count, sizeof *act, by_thread);
        for (size_t i = 0; i < count; i++) {
            if (!takes(act[i].sync))
                continue;
            struct section section = section_from(&act[i], act + count);
            if (section.given != UINT64_MAX) /* else it is no lock */
                sections.section[sections.count++] = section;
        }
    }
    free(act);
    return sections;
}

const struct section *section_of(const struct sections *sections, const struct past *past,
                                 unsigned lane)
{
    uint64_t thread = thread_of(past->block, past->warp, lane);
    size_t low = 0, high = sections->count;

    while (low < high) { /* the first that begins behind the access */
        size_t middle = (low + high) / 2;
        const struct section *s = &sections->section[middle];
        if (s->thread < thread || (s->thread == thread && s->taken < past->position))
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0 && sections->section[low].thread == thread)
        if (past->position <= sections->section[low].given)
            return &sections->section[low];
    return NULL;
}

bool section_is_bare(const struct section *section, const struct past *past, enum sync_scope scope)
{
    return section->fence[scope] >= past->position;
}
