/* Goes from step to step, and leaves new ones. */
#include "watch/follow.h"
#include "watch/code.h"
#include "watch/trail.h"

/* Did another lane call this hook behind the step that the lane stands on, for the same? Then it
 * goes there. what: of an event, else 0. */
static bool find_step(struct log *log, const void *pc, uint64_t what)
{
    struct step *at = log->at, **link = &at->next;

    while (*link != &step_none && ((*link)->pc != pc || (what && !step_is_for(*link, what))))
        link = &(*link)->other;
    struct step *step = *link;
    if (step == &step_none)
        return false;
    *link = step->other;
    step->other = at->next;
    log->at = at->next = step;
    return true;
}

/* A new step for the lane; NULL: it writes a log of its own. */
static struct step *new_step(struct lane *lane, const void *pc, unsigned rows)
{
    struct log *log = &lane->log;
    struct step *step = log->end == LOG_STOP ? NULL : trail_add(log->at, pc, rows);

    if (step)
        log->at = step;
    else
        trail_leave(lane);
    return step;
}

static uint64_t key_of(const struct step *at, const void *pc)
{
    return at->path | (uint64_t)code_offset(pc) << event_shift(event_depth(at->depth));
}

bool follow_branch(struct lane *lane, const void *pc)
{
    const struct step *at = lane->log.at;

    if (find_step(&lane->log, pc, 0))
        return true;
    struct step *step = new_step(lane, pc, 0);
    if (!step)
        return false;
    unsigned depth = event_depth(at->depth);
    step->place = key_of(at, pc);
    if (at->place != 0) /* the end bit of the field that holds the pc lies below it */
        trail_set_event(step, at->place | (uint64_t)1 << (event_shift(depth) - 1),
                        event_what(code_offset(pc), EVENT_BRANCH, depth, 0, 0), 1);
    return true;
}

bool follow_entry(struct lane *lane, const void *call_site)
{
    const struct step *at = lane->log.at;

    if (find_step(&lane->log, call_site, 0))
        return true;
    /* of so few calls the path tells where they were made: so no step keeps a log's levels */
    bool told = at->depth < 3 && (at->depth > 0 || at->place == 0);
    if (!told)
        trail_leave(lane);
    struct step *step = told ? new_step(lane, call_site, 0) : NULL;
    if (!step)
        return false;
    if (at->depth > 0)
        step->path = key_of(at, call_site);
    step->depth++;
    step->place = 0;
    return true;
}

bool follow_exit(struct lane *lane, const void *pc)
{
    const struct step *at = lane->log.at;

    if (find_step(&lane->log, pc, 0))
        return true;
    struct step *step = new_step(lane, pc, 0);
    if (!step)
        return false;
    step->depth--;
    step->place = step->depth == 0 ? 0 : at->path;
    step->path = step->depth == 2 ? path_of_kernel(at->path) : 0;
    return true;
}

bool follow_event(struct lane *lane, const void *pc, uint64_t what, unsigned rows, unsigned events)
{
    const struct step *at = lane->log.at;
    bool waits = (what >> WHAT_KIND & 0xf) >= EVENT_SYNCTHREADS;

    if (find_step(&lane->log, pc, what))
        return true;
    struct step *step = new_step(lane, pc, rows);
    if (!step)
        return false;
    step->place = key_of(at, pc);
    trail_set_event(step, waits ? step->place | KEY_WAITS : step->place,
                    what | event_what(0, 0, event_depth(at->depth), 0, 0), events);
    return true;
}
