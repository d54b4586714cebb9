/* Keeps counters by place and operation. */
#include "watch/count.h"
#include "simt.h"
#include "watch/cost.h"

const char *const count_space_names[] = {"global", "shared", "sync", "control"};
const char *const count_operation_names[] = {
    [EVENT_LOAD] = "load",
    [EVENT_STORE] = "store",
    [EVENT_ATOMIC] = "atomic",
    [EVENT_BRANCH] = "branch",
    [EVENT_SYNCTHREADS] = "syncthreads",
    [EVENT_SYNCWARP] = "syncwarp",
    [EVENT_SHUFFLE] = "shuffle",
    [EVENT_VOTE] = "vote",
    [EVENT_REDUCE] = "reduce",
};

enum { PLACES = 256 };

/* The counter of an operation at a place; a new one is zero. */
static struct counter *find_counter(struct counters *counters, uint32_t pc, unsigned space,
                                    unsigned kind)
{
    static uint32_t last[PLACES]; /* numbers of the counters used last, by a hash of the place */
    uint32_t *number = &last[(pc + kind) % PLACES];
    bool known = *number < count_of(counters);
    struct counter *c = known ? (struct counter *)counters->places.entry + *number : NULL;

    if (known && c->pc == pc && c->space == space && c->kind == kind)
        return c;
    c = entries_at(&counters->places, sizeof *c, pc, space << 8 | kind);
    *number = (uint32_t)(c - (struct counter *)counters->places.entry);
    c->pc = pc;
    c->space = (unsigned char)space;
    c->kind = (unsigned char)kind;
    return c;
}

static void note_target(struct counter *c, uint32_t target)
{
    c->branches |= c->target != 0 && c->target != target;
    c->target = target;
}

static void count_branch(struct counter *c, const struct warp_event *event)
{
    EACH_LANE(lane, event->alike ? event->lanes & -event->lanes : event->lanes) {
        note_target(c, (uint32_t)event->address[lane]);
    }
    c->lanes += event->alike;
}

/* The number of instructions that a warp operation takes. A vote, a match and a reduction take one
 * for each mask that the lanes name, a shuffle one for all of them. Source: Nsight Compute 2025.3.1
 * on an H200, which counts 4 for tiles of 8 lanes and 2 for tiles of 16. */
static unsigned turns_of(const struct warp_event *event)
{
    unsigned turns = 0;

    if (event->alike || (event->kind != EVENT_VOTE && event->kind != EVENT_REDUCE))
        return 1;
    for (unsigned left = event->lanes; left; turns++) {
        uint64_t mask = event->address[__builtin_ctz(left)];
        EACH_LANE(lane, left) {
            left &= ~((unsigned)(event->address[lane] == mask) << lane);
        }
    }
    return turns;
}

void count_event(struct counters *counters, const struct warp_event *event, enum count_space space)
{
    uint32_t pc = key_pc(event->key, event->depth);
    struct counter *c = find_counter(counters, pc, space, event->kind);
    struct cost cost = {.requests = turns_of(event),
                        .lanes = (unsigned)__builtin_popcount(event->lanes)};

    if (space <= SPACE_SHARED)
        cost = cost_of(event, space == SPACE_SHARED);
    c->requests += cost.requests;
    c->sectors += cost.sectors;
    c->wavefronts += cost.wavefronts;
    c->bank_conflicts += cost.bank_conflicts;
    c->combined += cost.combined;
    if (space == SPACE_CONTROL)
        count_branch(c, event);
    else
        c->lanes += cost.lanes;
}

void count_sum(struct counter *sum, const struct counter *c)
{
    sum->requests += c->requests;
    sum->lanes += c->lanes;
    sum->sectors += c->sectors;
    sum->wavefronts += c->wavefronts;
    sum->bank_conflicts += c->bank_conflicts;
    sum->combined += c->combined;
}

bool count_is_worth_telling(const struct counter *c)
{
    return c->space != SPACE_CONTROL || c->branches;
}

void count_add(struct counters *sum, const struct counters *from)
{
    for (size_t i = 0; i < count_of(from); i++) {
        const struct counter *add = count_at(from, i);
        if (!count_is_worth_telling(add))
            continue;
        struct counter *c = find_counter(sum, add->pc, add->space, add->kind);
        c->branches = add->branches;
        count_sum(c, add);
    }
}

/* ---- the launches that were counted ---- */

static struct counted_launch *launches;
static size_t launch_count, launch_room;
static unsigned long long busiest, few[2], busy;

void launches_add(const struct launch *launch, struct counters counters)
{
    array_room((void **)&launches, launch_count, &launch_room, SIZE_MAX, sizeof *launches);
    launches[launch_count++] = (struct counted_launch){launch->grid, launch->block, counters};
    busiest += counters.busiest;
    few[SPACE_GLOBAL] += counters.few[SPACE_GLOBAL];
    few[SPACE_SHARED] += counters.few[SPACE_SHARED];
    busy += counters.busy;
}

unsigned long long simt_busiest_warp(void)
{
    return busiest;
}

unsigned long long simt_few_lanes(int shared)
{
    return few[shared ? SPACE_SHARED : SPACE_GLOBAL];
}

unsigned long long simt_busy_threads(void)
{
    return busy;
}

const struct counted_launch *launches_all(size_t *count)
{
    *count = launch_count;
    return launches;
}
