/* Keeps pairs by their two places; tells each two places once. */
#include "judge/pairs.h"
#include "judge/sync.h"
#include "run/array.h"
#include "run/atomic.h"
#include "run/event.h"
#include "run/lane.h"
#include "run/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of the same two places. Beyond KEPT they are only counted. */
enum { KEPT = 256 };

struct pair_group {
    uint64_t count;
    size_t kept, room;
    struct pair *pair;
};

/* Of the launch that runs. */
static struct pair_group *group; /* those of the same two places together */
static size_t groups, group_room;
static struct map excuses;

static bool is_race(enum finding_kind kind)
{
    return kind == FINDING_SHARED_RACE || kind == FINDING_GLOBAL_RACE;
}

static bool is_unwritten(enum finding_kind kind)
{
    return kind == FINDING_UNINITIALISED || kind == FINDING_UNWRITTEN;
}

static struct pair_group *find_group(const struct pair *pair)
{
    for (size_t i = groups; i-- > 0;) {
        const struct pair *first = group[i].pair;
        if (first->end[0].pc == pair->end[0].pc && first->end[1].pc == pair->end[1].pc &&
            first->shared == pair->shared && !first->lanes == !pair->lanes &&
            is_unwritten(first->kind) == is_unwritten(pair->kind))
            return &group[i];
    }
    array_room((void **)&group, groups, &group_room, SIZE_MAX, sizeof *group);
    group[groups] = (struct pair_group){0};
    return &group[groups++];
}

/* Of one store by lanes of a warp a pair is there already, among the last few: joins them. */
static bool join_request(struct pair_group *g, const struct pair *pair)
{
    for (size_t i = g->kept; i-- > 0 && g->kept - i <= 8;) {
        struct pair *p = &g->pair[i];
        if (p->word != pair->word || p->end[0].block != pair->end[0].block ||
            p->end[0].thread / WARP_SIZE != pair->end[0].thread / WARP_SIZE)
            continue;
        p->lanes |= pair->lanes;
        if (is_race(pair->kind))
            p->kind = pair->kind;
        return true;
    }
    return false;
}

void pairs_keep(const struct pair *pair)
{
    struct pair_group *g = find_group(pair);

    if (pair->lanes && join_request(g, pair))
        return;
    g->count++;
    if (array_room((void **)&g->pair, g->kept, &g->room, KEPT, sizeof *g->pair))
        g->pair[g->kept++] = *pair;
}

/* ---- which of them are none ---- */

/* As the two keys of a map: shared words have names of their own in each block. */
static uint64_t read_of(uint64_t word, uint32_t block)
{
    return word << 31 ^ block;
}

void pairs_excuse(uint64_t word, uint32_t block, unsigned thread, uint32_t pc)
{
    if (map_number(&excuses, read_of(word, block), pc << 10 | thread) == MAP_NONE)
        array_no_memory();
}

static bool is_excused(const struct pair *pair, int end)
{
    const struct actor *read = &pair->end[end], *other = &pair->end[!end];

    return read->operation == EVENT_LOAD && other->operation == EVENT_ATOMIC &&
           map_find(&excuses, read_of(pair->word, read->block), read->pc << 10 | read->thread) !=
               MAP_NONE;
}

/* A plain store by who made the last atomic on the word: it comes behind all of them. (Where fences
 * are used, what atomics order is known.) */
static bool resets(const struct pair *pair, int end)
{
    const struct actor *store = &pair->end[end], *other = &pair->end[!end];

    return !pair->shared && store->operation == EVENT_STORE && other->operation == EVENT_ATOMIC &&
           !atomic_program_has_fences() &&
           atomic_last_was(memory_address((size_t)pair->word), store->block,
                           store->block == other->block ? store->thread : -1);
}

/* Did the reader, which polls, see it when it looked again? Where not all are kept it counts as if.
 */
static bool saw_later(const struct pair_group *g, const struct pair *pair)
{
    for (size_t i = 0; i < g->kept; i++) {
        const struct pair *p = &g->pair[i];
        if (p->saw && p->word == pair->word && p->round == pair->round &&
            p->end[1].block == pair->end[1].block && p->end[1].thread == pair->end[1].thread)
            return true;
    }
    return g->count > g->kept;
}

/* Now that it is known who passed a fence later. */
static enum finding_kind kind_of(const struct pair_group *g, const struct pair *pair)
{
    const struct actor *reader = &pair->end[1];

    return pair->may_be_flag && sync_followed(reader->block, reader->thread, pair->time) &&
                   (pair->saw || saw_later(g, pair))
               ? FINDING_VOLATILE_FLAG
               : pair->kind;
}

/* ---- what is told ---- */

/* The lanes of a mask in words: "0, 2 to 5 and 31". */
static void name_lanes(uint32_t lanes, char *text, size_t room)
{
    size_t used = 0;

    for (unsigned left = lanes, first, count; left;) {
        first = (unsigned)__builtin_ctz(left);
        count = ~(left >> first) ? (unsigned)__builtin_ctz(~(left >> first)) : WARP_SIZE;
        count = count > 2 ? count : 1; /* of two lanes each is named */
        left &= first + count < WARP_SIZE ? ~0u << (first + count) : 0;
        used += (size_t)snprintf(text + used, room - used, "%s%u",
                                 used == 0 ? ""
                                 : left    ? ", "
                                           : " and ",
                                 first);
        if (count > 1)
            used += (size_t)snprintf(text + used, room - used, " to %u", first + count - 1);
    }
}

static void describe(const struct pair *pair, char *text, size_t room)
{
    const struct actor *first = &pair->end[1];
    char lanes[128];

    if (is_unwritten(pair->kind) && first->operation != EVENT_KINDS) {
        struct source_line line = source_line_at(first->pc);
        snprintf(text, room, "Nothing orders the word's first write, at %s:%d, before it.",
                 line.file, line.line);
    } else if (pair->kind == FINDING_UNWRITTEN) {
        memory_describe_read((const void *)pair->address, text, room);
    } else if (pair->lanes) {
        name_lanes(pair->lanes, lanes, sizeof lanes);
        snprintf(text, room, "Lanes %s of a warp store %s to one word by the same instruction.",
                 lanes, is_race(pair->kind) ? "different values" : "the same value");
    } else if (is_race(pair->kind) && pair->lacks == LACKS_FENCE_OF_TAKER) {
        snprintf(text, room,
                 "The second saw what the first handed over, but passes no fence behind that.");
    } else if (is_race(pair->kind) && pair->lacks == LACKS_FENCE_OF_GIVER) {
        snprintf(text, room,
                 "The second saw an atomic or volatile store of the first's, which passes no fence\n"
                 "  in front of that (of a scope that holds both).");
    }
}

static void tell(const struct pair *pair, uint64_t count, const struct launch *launch)
{
    struct finding finding = {.kind = pair->kind,
                              .launch = launch,
                              .actor = {pair->end[0], pair->end[1]},
                              .actors = is_unwritten(pair->kind) ? 1 : 2,
                              .count = count};

    describe(pair, finding.detail, sizeof finding.detail);
    finding_add(&finding);
}

/* Places at which a race was told: anything else on the same place would only distract. */
struct places {
    uint32_t pc[64];
    unsigned count;
};

static bool is_among(const struct places *places, uint32_t pc)
{
    for (unsigned i = 0; i < places->count; i++)
        if (places->pc[i] == pc)
            return true;
    return false;
}

static bool earlier(const struct pair *a, const struct pair *b)
{
    for (int i = 0; i < 2; i++) {
        if (a->end[i].block != b->end[i].block)
            return a->end[i].block < b->end[i].block;
        if (a->end[i].thread != b->end[i].thread)
            return a->end[i].thread < b->end[i].thread;
    }
    return false;
}

/* Races of data before those of flags, which they come from; then what is no race. */
enum turn { OF_DATA, OF_FLAGS, NO_RACE, TURNS };

static enum turn turn_of(const struct pair *pair)
{
    return !is_race(pair->kind) ? NO_RACE : pair->may_be_flag ? OF_FLAGS : OF_DATA;
}

/* Of the group's pairs those whose turn it is. */
static void judge_group(const struct pair_group *g, enum turn turn, struct places *places,
                        const struct launch *launch)
{
    struct pair first = {.lanes = 0};
    uint64_t count = 0;

    for (size_t i = 0; i < g->kept; i++) {
        struct pair p = g->pair[i];
        p.kind = kind_of(g, &p);
        if (turn_of(&p) != turn || (!is_unwritten(p.kind) && (is_excused(&p, 0) ||
            is_excused(&p, 1) || resets(&p, 0) || resets(&p, 1))))
            continue;
        if (count++ == 0 || earlier(&p, &first))
            first = p;
    }
    if (count == 0 || (turn == NO_RACE && is_among(places, first.end[0].pc)))
        return;
    for (int i = 0; i < 2 && turn != NO_RACE; i++)
        if (places->count < 64 && !is_among(places, first.end[i].pc))
            places->pc[places->count++] = first.end[i].pc;
    /* those beyond KEPT, too */
    tell(&first, count == g->kept ? g->count : count, launch);
}

void pairs_judge(const struct launch *launch)
{
    struct places places = {.count = 0};

    for (enum turn turn = OF_DATA; turn < TURNS; turn++)
        for (size_t i = 0; i < groups; i++)
            judge_group(&group[i], turn, &places, launch);
    for (size_t i = 0; i < groups; i++)
        free(group[i].pair);
    groups = 0;
    map_forget(&excuses);
}
