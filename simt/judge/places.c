/* Gathers threads by what they do and where, and lists the places. */
#include "judge/judge.h"
#include "judge/finding.h"
#include "run/block.h"
#include "watch/source.h"

#include <stdlib.h>
#include <string.h>

/* Threads that do the same on one line. */
struct place {
    enum { BEGIN, WORK, WAIT } does; /* they have not begun, work, or wait for others */
    char where[192];                 /* at what, and where, as it is told */
    int line;                        /* of the source; 0: unknown */
    size_t threads;                  /* how many */
};

enum { MOST_PLACES = 64, MOST_TOLD = 4 };

bool places_waits(const struct lane *lane)
{
    return !(lane->block->warp[lane->index / WARP_SIZE].ready >> lane->index % WARP_SIZE & 1) &&
           (lane->wait == WAIT_BARRIER || lane->wait == WAIT_WARP || lane->wait == WAIT_CONVERGE ||
            lane->wait == WAIT_GRID);
}

/* The operation at which the lane waits. */
static const char *name_of(const struct lane *lane)
{
    return lane->wait == WAIT_BARRIER    ? "__syncthreads"
           : lane->wait == WAIT_CONVERGE ? "__activemask"
           : lane->wait == WAIT_GRID     ? "grid.sync"
           : lane->op == SIMT_SYNCWARP   ? lane->group ? "sync" : "__syncwarp"
           : lane->op <= SIMT_SHFL_XOR   ? "a shuffle"
           : lane->op <= SIMT_ALL        ? "a vote"
           : lane->op <= SIMT_MATCH_ALL  ? "a match"
                                         : "a reduction";
}

static struct place place_of(const struct lane *lane)
{
    struct place place = {.does = places_waits(lane) ? WAIT : lane->begun ? WORK : BEGIN};
    uint32_t pc = place.does == WAIT  ? code_offset(lane->pc)
                  : lane->interrupted ? code_offset(lane->interrupted)
                                      : log_last_pc(&lane->log);
    char missing[150];

    if (place.does == BEGIN)
        return place;
    if (place.does == WAIT)
        finding_text(place.where, sizeof place.where, " at %s", name_of(lane));
    if (place.does == WAIT && lane->wait == WAIT_WARP && lane->group)
        finding_text(place.where, sizeof place.where, " of a %s",
                     group_missing(lane, missing, sizeof missing));
    else if (place.does == WAIT && lane->wait == WAIT_WARP)
        finding_text(place.where, sizeof place.where, ", mask 0x%08x", lane->mask);
    struct source_line line = source_line_at(pc);
    if ((place.line = line.line) > 0)
        finding_text(place.where, sizeof place.where, place.does == WAIT ? " (%s:%d)" : " at %s:%d",
                     line.file, line.line);
    return place;
}

static void add_lane(struct place places[MOST_PLACES], size_t *count, const struct lane *lane)
{
    struct place its = place_of(lane);
    size_t i = 0;

    while (i < *count && (places[i].does != its.does || strcmp(places[i].where, its.where) != 0))
        i++;
    if (i == MOST_PLACES)
        return;
    if (i == *count)
        places[(*count)++] = its;
    places[i].threads++;
}

static int by_threads(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->threads != y->threads)
        return x->threads < y->threads ? 1 : -1;
    return x->line - y->line;
}

const struct lane *places_at_grid(const struct stall *stall)
{
    for (int b = 0; b < stall->count; b++)
        if (stall->blocks[b]->lane[0].wait == WAIT_GRID)
            return &stall->blocks[b]->lane[0];
    return NULL;
}

void places_text(const struct stall *stall, char *text, size_t room)
{
    static const char *const does[][2] = {
        {"have not begun", "has not begun"}, {"are at work", "is at work"}, {"wait", "waits"}};
    struct place places[MOST_PLACES];
    size_t count = 0, elsewhere = 0;

    STALLED_LANES(stall, lane)
        add_lane(places, &count, lane);
    qsort(places, count, sizeof *places, by_threads);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        bool one = places[i].threads == 1;
        if (i < MOST_TOLD)
            finding_text(text, room, "%s%zu thread%s %s%s", i > 0 ? ", " : "", places[i].threads,
                         one ? "" : "s", does[places[i].does][one], places[i].where);
        else
            elsewhere += places[i].threads;
    }
    if (elsewhere > 0)
        finding_text(text, room, ", %zu elsewhere", elsewhere);
    size_t all = (size_t)stall->launch->grid.x * stall->launch->grid.y * stall->launch->grid.z;
    size_t ended = all - stall->waiting - (size_t)stall->count;
    if (places_at_grid(stall) && ended > 0)
        finding_text(text, room, "; %zu block%s ended", ended, ended == 1 ? " has" : "s have");
    if (stall->waiting > 0)
        finding_text(text, room, "; %zu blocks have not begun", stall->waiting);
}
