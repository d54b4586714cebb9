/* Keeps counters by place and operation, and prints the table with a column for each launch. */
#include "watch/count.h"
#include "run/block.h"

#include <string.h>

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
    for (size_t i = 0; i < sizeof *c / sizeof(uint64_t); i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)c)[i];
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
    *ARRAY_ADD(launches, launch_count, launch_room) =
        (struct counted_launch){launch->grid, launch->block, c, kept};
}

const struct counted_launch *count_launches(size_t *count)
{
    *count = launch_count;
    return launches;
}

/* ---- the table ---- */

/* A launch's figures summed by space and operation. Entry EVENT_KINDS is the sum of the space. */
struct totals {
    struct cost of[SPACE_NONE][EVENT_KINDS + 1];
};

/* So many launches have a column of their own. One more column is the sum of all launches. */
enum { TABLE_LAUNCHES = 3 };

/* The lines of the table (table.csv). */
static const struct line {
    const char *label;
    enum count_space space; /* it shows the counter of this space */
    enum event_kind kind;   /* and kind: */
    size_t figure;          /* this figure, as its offset */
    int times;              /* 0: itself; else so many times the figure per request */
} lines[] = {
#define ROW(label, space, kind, figure, times)                                                     \
    {label, SPACE_##space, EVENT_##kind, offsetof(struct cost, figure), times},
#include "watch/table.rows"
};

enum { LINES = sizeof lines / sizeof *lines, COMBINED = offsetof(struct cost, combined) };

/* Rare operations have a line only if the program uses them; the ladder's always have one. */
static bool worth_a_line(const struct line *line, const struct totals *all)
{
    bool rare =
        line->kind == EVENT_ATOMIC || line->kind == EVENT_VOTE || line->kind == EVENT_REDUCE;
    const struct cost *c = &all->of[line->space][line->kind];

    return !rare || (line->figure == COMBINED ? c->combined : c->requests) != 0;
}

static void print_figure(FILE *file, const struct line *line, const struct cost *c)
{
    uint64_t figure = *(const uint64_t *)((const char *)c + line->figure);

    if (c->requests == 0)
        fprintf(file, " %11s", "-");
    else if (line->times == 0)
        fprintf(file, " %11llu", (unsigned long long)figure);
    else
        fprintf(file, " %11.2f", line->times * (double)figure / (double)c->requests);
}

static void print_size(FILE *file, const struct counted_launch *launch)
{
    struct launch_size grid = launch_size(launch->grid, "x"),
                       block = launch_size(launch->block, "x");
    bool plain = !strchr(grid.text, 'x') && !strchr(block.text, 'x');
    bool wide = plain && strlen(grid.text) + strlen(block.text) > 8;
    char text[90];

    snprintf(text, sizeof text, wide ? "%sx%s" : "%s x %s", grid.text, block.text);
    fprintf(file, " %11s", text);
}

static void print_head(FILE *file, size_t shown)
{
    char text[60];

    snprintf(text, sizeof text, "counters, %zu launch%s", launch_count,
             launch_count == 1 ? "" : "es");
    fprintf(file, "%-27s", text);
    for (size_t i = 0; i < shown; i++)
        fprintf(file, "    launch %zu", i + 1);
    if (launch_count > 1)
        fprintf(file, " %11s", "all");
    fprintf(file, "\n%-27s", "blocks x threads");
    for (size_t i = 0; i < shown; i++)
        print_size(file, &launches[i]);
    fprintf(file, "\n");
}

static void add_totals(struct totals *totals, const struct counted_launch *launch)
{
    for (const struct counter *c = launch->counter; c < launch->counter + launch->count; c++) {
        count_sum(&totals->of[c->space][c->kind], &c->cost);
        count_sum(&totals->of[c->space][EVENT_KINDS], &c->cost);
    }
}

/* Prints the first launches, and, if there are several, the sum of all. */
static void print_table(FILE *file)
{
    struct totals totals[TABLE_LAUNCHES + 1] = {0};
    size_t shown = launch_count < TABLE_LAUNCHES ? launch_count : TABLE_LAUNCHES;

    for (size_t i = 0; i < launch_count; i++) {
        add_totals(&totals[shown], &launches[i]);
        if (i < shown)
            add_totals(&totals[i], &launches[i]);
    }
    print_head(file, shown);
    for (const struct line *l = lines; l < lines + LINES; l++) {
        if (!worth_a_line(l, &totals[shown]))
            continue;
        fprintf(file, "%-27s", l->label);
        for (size_t i = 0; i < shown + (launch_count > 1); i++)
            print_figure(file, l, &totals[i].of[l->space][l->kind]);
        fprintf(file, "\n");
    }
}

void simt_print_counters(FILE *file, enum simt_style style, const char *step)
{
    if (style == SIMT_CSV)
        lines_print_csv(file, launches, launch_count, step);
    else if (style == SIMT_ANNOTATE)
        lines_annotate(file, launches, launch_count);
    else
        print_table(file);
}
