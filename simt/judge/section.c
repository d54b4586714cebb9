/* Finds critical sections among a launch's synchronisation. */
#include "judge/section.h"

#include <stdlib.h>

static bool takes(const struct sync *s)
{
    return s->kind == SYNC_OPERATION && s->is_cas && s->effect == EFFECT_CHANGE;
}

static bool matters(const struct sync *s)
{
    return s->kind == SYNC_FENCE || (s->kind == SYNC_OPERATION && s->effect != EFFECT_READ);
}

/* What threads did, in order: indices of their operations and fences, thread after thread. Those of
 * thread t are from begin[t] to begin[t + 1]. */
struct acts {
    uint32_t *sync, *begin;
};

static void count_acts(const struct history *h, uint32_t threads, uint32_t *begin)
{
    for (size_t i = 0; i < h->syncs; i++)
        for (uint32_t left = matters(&h->sync[i]) ? h->sync[i].lanes : 0; left; left &= left - 1)
            begin[h->sync[i].first + (uint32_t)__builtin_ctz(left) + 1]++;
    for (uint32_t t = 0; t < threads; t++)
        begin[t + 1] += begin[t];
}

/* begin[t] moves to the thread's end, and so is the next one's begin: shifted back at last. */
static void fill_acts(const struct history *h, uint32_t threads, struct acts *acts)
{
    for (size_t i = 0; i < h->syncs; i++)
        for (uint32_t left = matters(&h->sync[i]) ? h->sync[i].lanes : 0; left; left &= left - 1)
            acts->sync[acts->begin[h->sync[i].first + (uint32_t)__builtin_ctz(left)]++] =
                (uint32_t)i;
    for (uint32_t t = threads; t > 0; t--)
        acts->begin[t] = acts->begin[t - 1];
    acts->begin[0] = 0;
}

static bool gather(const struct history *h, uint32_t threads, struct acts *acts)
{
    if (!(acts->begin = calloc((size_t)threads + 1, sizeof *acts->begin)))
        return false;
    count_acts(h, threads, acts->begin);
    if (!(acts->sync = malloc((acts->begin[threads] + 1) * sizeof *acts->sync)))
        return false;
    fill_acts(h, threads, acts);
    return true;
}

/* Where the next thing behind one of a thread's acts is, going from its last act to its first. */
struct ahead {
    uint64_t fence[2]; /* by scope, as in struct section */
    struct last_of_cell {
        uint32_t thread; /* + 1; any other's is as good as none */
        uint64_t position;
    } * operation; /* by cell */
};

static void pass_act(struct ahead *ahead, const struct sync *s, uint32_t thread)
{
    if (s->kind == SYNC_OPERATION)
        ahead->operation[s->cell] = (struct last_of_cell){thread + 1, s->position};
    for (int scope = SCOPE_BLOCK; s->kind == SYNC_FENCE && scope <= s->scope; scope++)
        ahead->fence[scope] = s->position;
}

/* Fills section[] from its end, at `end`, downwards. */
static void find_all(const struct history *h, uint32_t threads, const struct acts *acts,
                     struct last_of_cell *operation, struct sections *sections, uint32_t end)
{
    sections->begin[threads] = end;
    for (uint32_t t = threads; t-- > 0;) {
        struct ahead ahead = {{UINT64_MAX, UINT64_MAX}, operation};
        for (uint32_t act = acts->begin[t + 1]; act-- > acts->begin[t];) {
            const struct sync *s = &h->sync[acts->sync[act]];
            if (takes(s) && operation[s->cell].thread == t + 1)
                sections->section[--end] =
                    (struct section){s->position,
                                     operation[s->cell].position,
                                     {ahead.fence[SCOPE_BLOCK], ahead.fence[SCOPE_DEVICE]},
                                     s->word,
                                     s->epoch};
            pass_act(&ahead, s, t);
        }
        sections->begin[t] = end;
    }
}

/* How many sections there are at most, and how many cells. */
static void count_all(const struct history *h, size_t *taken, size_t *cells)
{
    for (size_t i = 0; i < h->syncs; i++) {
        const struct sync *s = &h->sync[i];
        *taken += takes(s);
        if (s->kind == SYNC_OPERATION && s->cell >= *cells)
            *cells = (size_t)s->cell + 1;
    }
}

bool sections_find(struct sections *sections, const struct history *h, uint32_t threads)
{
    struct acts acts = {NULL, NULL};
    size_t taken = 0, cells = 0;

    *sections = (struct sections){NULL, NULL};
    count_all(h, &taken, &cells);
    if (taken == 0)
        return true;
    struct last_of_cell *operation = calloc(cells, sizeof *operation);
    sections->section = malloc(taken * sizeof *sections->section);
    sections->begin = malloc(((size_t)threads + 1) * sizeof *sections->begin);
    bool found = operation && sections->section && sections->begin && gather(h, threads, &acts);
    if (found)
        find_all(h, threads, &acts, operation, sections, (uint32_t)taken);
    free(acts.sync);
    free(acts.begin);
    free(operation);
    return found;
}

const struct section *section_of(const struct sections *sections, uint32_t thread,
                                 uint64_t position)
{
    uint32_t begin = sections->begin[thread], low = begin, high = sections->begin[thread + 1];

    while (low < high) { /* the first that begins behind the access */
        uint32_t middle = (low + high) / 2;
        if (sections->section[middle].taken < position)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > begin)
        if (position <= sections->section[low].given)
            return &sections->section[low];
    return NULL;
}

bool section_is_bare(const struct section *section, const struct past *access,
                     enum sync_scope scope)
{
    return access->epoch == section->epoch && section->fence[scope] >= access->position;
}
