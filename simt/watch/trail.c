/* Keeps steps, and merges what a warp's lanes did: smallest position first, as merge.c does. */
#include "watch/trail.h"

#include <string.h>

#define ADDRESS (((uint64_t)1 << WHAT_KIND) - 1)

/* Another place where turns begin; `end`: a step that ended one. NULL: there are too many. */
static struct step *add_begin(struct trail *trail, const struct step *end)
{
    if (trail->begins == TRAIL_BEGINS)
        return NULL;
    struct step *begin = &trail->begin[trail->begins++];
    *begin = *end;
    begin->next = &step_none;
    begin->before = begin->begin = NULL;
    begin->trail = trail;
    begin->events = 0;
    begin->silent = true;
    return begin;
}

/* Lanes that go other ways in every block leave steps that nobody else finds. */
static bool is_nearly_full(const struct trail *trail)
{
    return trail->steps > TRAIL_STEPS / 4 * 3 || trail->rows > TRAIL_ROWS / 4 * 3 ||
           trail->begins > TRAIL_BEGINS / 4 * 3;
}

/* To write down what was done by steps takes longer than to have each lane do so at once: it is not
 * tried where many lanes end a turn with that, as in programs with fences, and in long loops
 * without a barrier. Nor where warps take turns at will. */
static bool is_worth_it(const struct trail *trail, const struct launch *launch)
{
    return launch->order == 0 && trail->left <= trail->merged / 8 + 8 * MERGE_LANES;
}

struct step *trail_begin(struct trail *trail, const struct launch *launch)
{
    static const struct step start;

    if (trail->launch != launch->number)
        trail->merged = trail->left = 0;
    if (trail->launch != launch->number || is_nearly_full(trail)) {
        trail->launch = launch->number;
        trail->steps = trail->rows = trail->begins = 0;
        add_begin(trail, &start);
    }
    return is_worth_it(trail, launch) ? &trail->begin[0] : &step_none;
}

struct step *trail_add(struct step *at, const void *pc, unsigned rows)
{
    struct trail *trail = at->trail;

    if (trail->steps == TRAIL_STEPS || trail->rows + rows > TRAIL_ROWS ||
        at->events + 3 >= LOG_ROOM)
        return NULL;
    struct step *step = &trail->step[trail->steps++];
    *step = *at;
    step->pc = pc;
    step->next = &step_none;
    step->other = at->next;
    step->row = trail->row[trail->rows];
    step->before = at;
    step->begin = NULL;
    step->silent = true;
    trail->rows += rows;
    at->next = step;
    return step;
}

static inline unsigned kind_of(const struct step *step)
{
    return step->what >> WHAT_KIND & 0xf;
}

/* Does each lane have an address of its own there? */
static inline bool has_row(const struct step *step)
{
    return kind_of(step) != EVENT_BRANCH && kind_of(step) != EVENT_SYNCTHREADS;
}

/* ---- a lane goes off by itself ---- */

/* The events of these steps, the last one first, into the lane's log. */
static void write_log(struct log *log, const struct step *const chain[], unsigned count,
                      unsigned lane)
{
    bool pending = log->pending != log->value;

    log->next = log->begin;
    log->value = NULL;
    while (count-- > 0) {
        const struct step *step = chain[count];
        uint64_t address = has_row(step) ? step->row[lane] & ADDRESS : 0;
        log->next = event_write(log->next, step->key, step->what | address);
        if (kind_of(step) != EVENT_STORE)
            continue;
        log->value = &log->next->key;
        log->next = event_write(log->next, step->row[TRAIL_VALUES + lane],
                                event_what(0, EVENT_STORED, 0, 0, 0));
    }
    if (!log->value)
        log_no_value(log);
    else if (!pending)
        log->pending = log->value;
}

void trail_leave(struct lane *lane)
{
    struct log *log = &lane->log;
    const struct step *chain[LOG_ROOM], *at = log->at, *step = at;
    unsigned count = 0;

    if (at == &step_none)
        return;
    for (; step->before; step = step->before)
        if (!step->silent)
            chain[count++] = step;
    event_write(log->begin - 1, step->key, step->what);
    write_log(log, chain, count, lane->index % WARP_SIZE);
    log->place = at->place;
    log->path = at->path;
    log_set_depth(log, at->depth);
    log->level[LOG_LEVELS] = 0;
    log->level[0] = path_of_kernel(at->path);
    log->level[1] = at->path;
    if (log->end != LOG_STOP)
        log->end = log->begin + LOG_ROOM;
    log->at = &step_none;
    at->trail->left++;
}

/* ---- merging ---- */

/* Steps that some lanes made next, of no lane more than one. */
struct heads {
    struct step *step[MERGE_LANES];
    unsigned count;
};

/* What was made behind the step, without those that have no event. */
static void add_heads_behind(struct heads *heads, struct step *step)
{
    step->lanes = 0;
    for (struct step *next = step->next; next != &step_none; next = next->other)
        if (next->lanes && next->silent)
            add_heads_behind(heads, next);
        else if (next->lanes)
            heads->step[heads->count++] = next;
}

/* Where these lanes ended their turn, and where they began it. */
struct end {
    struct step *step;
    unsigned lanes;
};

static void add_end(struct end ends[MERGE_LANES], unsigned *known, struct step *step,
                    unsigned lanes)
{
    unsigned k = 0;

    while (k < *known && ends[k].step != step)
        k++;
    if (k == *known)
        ends[(*known)++] = (struct end){.step = step};
    ends[k].lanes |= lanes;
}

/* Sorts the lanes by where they are now, *known places. Those that made no step are left out.
 * False: one has left. */
static bool find_ends(const struct lane *lanes, unsigned count, struct end ends[MERGE_LANES],
                      unsigned *known)
{
    *known = 0;
    for (unsigned i = 0; i < count;) {
        struct step *at = lanes[i].log.at;
        unsigned alike = 0; /* the lane and those behind it that are there, too */
        if (at == &step_none)
            return false;
        for (; i < count && lanes[i].log.at == at; i++)
            alike |= 1u << i;
        if (at->before)
            add_end(ends, known, at, alike);
    }
    return true;
}

/* Who came where in this turn; adds the steps that were made first. */
static void mark_lanes(const struct end *end, struct heads *begins)
{
    struct step *step = end->step;

    for (; step->before; step = step->before)
        step->lanes |= end->lanes;
    if (step->lanes == 0)
        begins->step[begins->count++] = step;
    step->lanes |= end->lanes;
}

/* Of the lanes at the smallest position the first one's step. */
static struct step *first_of(const struct heads *heads)
{
    struct step *first = heads->step[0];

    for (unsigned h = 1; h < heads->count; h++) {
        struct step *step = heads->step[h];
        if (step->key < first->key ||
            (step->key == first->key && __builtin_ctz(step->lanes) < __builtin_ctz(first->lanes)))
            first = step;
    }
    return first;
}

/* Is it one instruction for the lanes of both? */
static inline bool together(const struct step *a, const struct step *b)
{
    return a->key == b->key &&
           (a->what ^ b->what) << (64 - WHAT_EXTRA) >> (64 - WHAT_EXTRA + WHAT_KIND) == 0;
}

static inline uint64_t address_of(const struct step *step)
{
    return step->what & ADDRESS;
}

/* Adds the step's lanes, with their addresses and values, to the event. */
static void join(struct warp_event *event, uint64_t value[MERGE_LANES], const struct step *step)
{
    bool row = has_row(step), stores = kind_of(step) == EVENT_STORE;

    event->lanes |= step->lanes;
    for (unsigned left = step->lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        event->address[i] = row ? step->row[i] : address_of(step);
        if (stores)
            value[i] = step->row[TRAIL_VALUES + i];
    }
}

static bool are_alike(const struct warp_event *event)
{
    uint64_t first = event->address[__builtin_ctz(event->lanes)], differ = 0;

    for (unsigned left = event->lanes; left; left &= left - 1)
        differ |= event->address[__builtin_ctz(left)] ^ first;
    return differ == 0;
}

/* All that the event has in common with the step of its first lane, when its addresses are known,
 * but for what is known of steps without a row: are they alike? */
static void describe(struct warp_event *event, const struct step *step)
{
    event->key = step->key;
    event->kind = kind_of(step);
    event->depth = step->what >> WHAT_DEPTH & 3;
    event->size = step->what >> WHAT_SIZE & 31;
    event->extra = (unsigned)(step->what >> WHAT_EXTRA);
    if (event_is_access(event->kind)) {
        event->layout = layout_of(event->address, event->lanes);
        event->alike = event->layout.low == event->layout.high;
    } else if (has_row(step)) {
        event->alike = are_alike(event);
    }
}

/* The event of the lanes of one step, and what comes behind it. */
static void take_one(struct heads *heads, struct warp_event *event, struct step *step)
{
    event->lanes = step->lanes;
    event->alike = true;
    if (has_row(step)) {
        for (int i = 0; i < MERGE_LANES; i++)
            event->address[i] = step->row[i];
        event->value = step->row + TRAIL_VALUES;
    } else {
        event->address[__builtin_ctz(step->lanes)] = address_of(step);
    }
    describe(event, step);
    heads->count = 0;
    add_heads_behind(heads, step);
}

/* Takes those that do the same as the first one out of the heads; into *same. */
static void part_heads(struct heads *heads, const struct step *first, struct heads *same)
{
    unsigned others = 0;

    same->count = 0;
    for (unsigned h = 0; h < heads->count; h++)
        if (together(heads->step[h], first))
            same->step[same->count++] = heads->step[h];
        else
            heads->step[others++] = heads->step[h];
    heads->count = others;
}

/* The event of this step's lanes and of all that do the same with them. */
static void take_together(struct heads *heads, struct warp_event *event,
                          uint64_t value[MERGE_LANES], const struct step *first)
{
    struct heads same;

    part_heads(heads, first, &same);
    event->lanes = 0;
    event->value = value;
    event->alike = !has_row(first);
    for (unsigned h = 0; h < same.count; h++)
        event->alike &= address_of(same.step[h]) == address_of(first);
    for (unsigned h = 0; h < same.count; h++)
        if (event->alike)
            event->lanes |= same.step[h]->lanes;
        else
            join(event, value, same.step[h]);
    if (event->alike)
        event->address[__builtin_ctz(event->lanes)] = address_of(first);
    describe(event, first);
    for (unsigned h = 0; h < same.count; h++)
        add_heads_behind(heads, same.step[h]);
}

/* ---- a turn ends ---- */

static bool same_state(const struct step *a, const struct step *b)
{
    return a->key == b->key && a->what == b->what && a->place == b->place && a->path == b->path &&
           a->depth == b->depth;
}

/* Where lanes go on from that ended their turn there: all that stand alike from the same place,
 * also where they came there by different ways. */
static struct step *begin_behind(struct trail *trail, struct step *end)
{
    for (unsigned k = 0; k < trail->begins && !end->begin; k++)
        if (same_state(&trail->begin[k], end))
            end->begin = &trail->begin[k];
    if (!end->begin)
        end->begin = add_begin(trail, end);
    return end->begin;
}

static void go_on(struct trail *trail, struct lane *lanes, const struct end *end)
{
    struct step *begin = begin_behind(trail, end->step);

    for (unsigned left = end->lanes; left; left &= left - 1) {
        struct lane *lane = &lanes[__builtin_ctz(left)];
        if (begin) {
            lane->log.at = begin;
            continue;
        }
        trail_leave(lane);
        lane->log.begin[-1] = log_last(&lane->log);
        lane->log.next = lane->log.begin;
        log_no_value(&lane->log);
    }
}

bool trail_merge(struct trail *trail, struct lane *lanes, unsigned count,
                 void (*emit)(void *context, const struct warp_event *event), void *context)
{
    struct warp_event event;
    struct heads heads, begins;
    struct end ends[MERGE_LANES];
    uint64_t value[MERGE_LANES];
    unsigned known;

    if (!find_ends(lanes, count, ends, &known))
        return false;
    event.next = NULL;
    event.any_own = false;
    memset(event.own, 0, sizeof event.own);
    heads.count = begins.count = 0;
    for (unsigned k = 0; k < known; k++)
        mark_lanes(&ends[k], &begins);
    for (unsigned k = 0; k < begins.count; k++)
        add_heads_behind(&heads, begins.step[k]);
    while (heads.count > 0) {
        if (heads.count == 1)
            take_one(&heads, &event, heads.step[0]);
        else
            take_together(&heads, &event, value, first_of(&heads));
        emit(context, &event);
    }
    for (unsigned k = 0; k < known; k++)
        go_on(trail, lanes, &ends[k]);
    trail->merged += count;
    return true;
}
