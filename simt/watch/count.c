/* Keeps counters by place and operation. */
#include "watch/count.h"

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

static struct entries places; /* struct counter of the launch that runs, by place and kind */

/* The counter of an operation at a place; a new one is zero. Mostly it is the last one that
 * was found for this place, or one with the same last bits. */
static struct counter *find_counter(uint32_t pc, unsigned space, unsigned kind)
{
    static uint32_t last[SPACE_NONE][256];
    uint32_t *number = &last[space][pc / 4 % 256];
    struct counter *c = (struct counter *)places.entry + *number;

    if (*number < places.numbers.count && c->pc == pc && c->space == space && c->kind == kind)
        return c;
    c = entries_at(&places, sizeof *c, pc, space << 8 | kind);
    *number = (uint32_t)(c - (struct counter *)places.entry);
    c->pc = pc;
    c->space = (unsigned char)space;
    c->kind = (unsigned char)kind;
    return c;
}

/* The ends of a basic block, at which lanes go on to other places. */
static void note_targets(struct counter *c, const struct warp_event *event)
{
    unsigned lanes = event->alike ? event->lanes & -event->lanes : event->lanes;

    EACH_LANE(lane, c->branches ? 0 : lanes) {
        uint32_t target = (uint32_t)event->address[lane];
        c->branches |= c->target != 0 && c->target != target;
        c->target = target;
    }
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
        EACH_LANE(lane, left)
            left &= ~((unsigned)(event->address[lane] == mask) << lane);
    }
    return turns;
}

void count_event(const struct warp_event *event, enum count_space space)
{
    uint32_t pc = key_pc(event->key, event->depth);
    struct counter *c = find_counter(pc, space, event->kind);

    if (space <= SPACE_SHARED) {
        struct cost loads = {0}, cost = cost_of(event, space == SPACE_SHARED, &loads);
        count_sum(&c->cost, &cost);
        if (loads.requests)
            count_sum(&find_counter(pc, space, EVENT_LOAD)->cost, &loads);
        return;
    }
    c->cost.requests += turns_of(event);
    c->cost.lanes +=
        space == SPACE_CONTROL ? event->alike : (unsigned)__builtin_popcount(event->lanes);
    if (space == SPACE_CONTROL)
        note_targets(c, event);
}

void count_sum(struct cost *sum, const struct cost *c)
{
    sum->requests += c->requests;
    sum->lanes += c->lanes;
    sum->sectors += c->sectors;
    sum->wavefronts += c->wavefronts;
    sum->bank_conflicts += c->bank_conflicts;
    sum->combined += c->combined;
}

/* ---- the launches that were counted ---- */

static struct counted_launch *launches;
static size_t launch_count, launch_room;

void count_launch_end(const struct launch *launch)
{
    struct counter *c = places.entry;
    size_t kept = 0;

    for (size_t i = 0; i < places.numbers.count; i++)
        if (c[i].space != SPACE_CONTROL || c[i].branches)
            c[kept++] = c[i];
    map_forget(&places.numbers);
    places = (struct entries){.entry = NULL};
    array_room((void **)&launches, launch_count, &launch_room, SIZE_MAX, sizeof *launches);
    launches[launch_count++] = (struct counted_launch){launch->grid, launch->block, c, kept};
}

const struct counted_launch *count_launches(size_t *count)
{
    *count = launch_count;
    return launches;
}
