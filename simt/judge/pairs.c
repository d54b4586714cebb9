/* Keeps pairs by their two places; tells each two places once. */
#include "judge/pairs.h"
#include "run/array.h"
#include "judge/sync.h"
#include "run/atomic.h"
#include "run/event.h"
#include "run/lane.h"
#include "run/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of the same two places. Beyond KEPT they are only counted. Excuses of a launch, on one OS
 * thread. */
enum { KEPT = 256, MOST_EXCUSES = 1 << 20 };

struct pair_group {
    uint64_t count;
    size_t kept, room;
    struct pair *pair;
};

/* Of the launch that runs. */
static struct pairs {
    struct pair_group *group; /* those of the same two places together */
    size_t groups, group_room;
    struct excuse *excuse;
    size_t excuses, excuse_room;
    bool full; /* not all excuses are here: one of the same place will do */
} all;

static struct pair_group *find_group(const struct pair *pair)
{
    for (size_t i = all.groups; i-- > 0;) {
        const struct pair *first = all.group[i].pair;
        if (first->end[0].pc == pair->end[0].pc && first->end[1].pc == pair->end[1].pc &&
            first->shared == pair->shared && first->flag == pair->flag &&
            first->may_be_flag == pair->may_be_flag && first->unwritten == pair->unwritten &&
            first->same_request == pair->same_request)
            return &all.group[i];
    }
    array_room((void **)&all.group, all.groups, &all.group_room, SIZE_MAX, sizeof *all.group);
    all.group[all.groups] = (struct pair_group){0};
    return &all.group[all.groups++];
}

/* Of one store by lanes of a warp a pair is there already, among the last few: joins them. */
static bool join_request(struct pair_group *group, const struct pair *pair)
{
    for (size_t i = group->kept; i-- > 0 && group->kept - i <= 8;) {
        struct pair *p = &group->pair[i];
        if (p->word != pair->word || p->end[0].block != pair->end[0].block ||
            p->end[0].thread / WARP_SIZE != pair->end[0].thread / WARP_SIZE)
            continue;
        p->lanes |= pair->lanes;
        p->equal &= pair->equal;
        return true;
    }
    return false;
}

void pairs_keep(const struct pair *pair)
{
    struct pair_group *group = find_group(pair);

    if (pair->same_request && join_request(group, pair))
        return;
    group->count++;
    if (!array_room((void **)&group->pair, group->kept, &group->room, KEPT, sizeof *group->pair))
        return;
    group->pair[group->kept++] = *pair;
}

void pairs_excuse(const struct excuse *excuse)
{
    if (array_room((void **)&all.excuse, all.excuses, &all.excuse_room, MOST_EXCUSES,
                   sizeof *all.excuse))
        all.excuse[all.excuses++] = *excuse;
    else
        all.full = true;
}

/* Did the reader, which polls, see it when it looked again? Where not all are kept it counts as if.
 */
static bool saw_later(const struct pair_group *group, const struct pair *pair)
{
    for (size_t i = 0; i < group->kept; i++) {
        const struct pair *p = &group->pair[i];
        if (p->saw && p->word == pair->word && p->written == pair->written &&
            p->end[1].block == pair->end[1].block && p->end[1].thread == pair->end[1].thread)
            return true;
    }
    return group->count > group->kept;
}

/* Now that it is known who passed a fence later: which pairs are flags? The rest, beyond KEPT, is
 * as the last one. */
static void settle_flags(void)
{
    size_t groups = all.groups;

    for (size_t g = 0; g < groups; g++) {
        struct pair_group group = all.group[g];
        struct pair pair;
        if (!group.kept || !group.pair[0].may_be_flag)
            continue;
        all.group[g].kept = all.group[g].count = 0;
        for (size_t i = 0; i < group.kept; i++) {
            const struct actor *reader = &group.pair[i].end[1];
            pair = group.pair[i];
            pair.may_be_flag = false;
            pair.flag = sync_followed(reader->block, reader->thread, pair.time) &&
                        (pair.saw || saw_later(&group, &pair));
            pairs_keep(&pair);
        }
        find_group(&pair)->count += group.count - group.kept;
    }
}

/* ---- what is excused ---- */

static int by_excuse(const void *x, const void *y)
{
    const struct excuse *a = x, *b = y;

    if (a->pc != b->pc)
        return (int)a->pc - (int)b->pc;
    if (a->word != b->word)
        return a->word < b->word ? -1 : 1;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (int)a->thread - (int)b->thread;
}

static bool is_excused(const struct pair *pair, int end)
{
    const struct actor *read = &pair->end[end], *other = &pair->end[!end];
    struct excuse key = {
        .word = pair->word, .block = read->block, .pc = read->pc, .thread = read->thread};

    if (read->operation != EVENT_LOAD || other->operation != EVENT_ATOMIC)
        return false;
    for (size_t i = 0; all.full && i < all.excuses; i++)
        if (all.excuse[i].pc == read->pc)
            return true;
    return all.excuses && bsearch(&key, all.excuse, all.excuses, sizeof key, by_excuse) != NULL;
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

static bool is_race(const struct pair *pair)
{
    return !pair->flag && !pair->unwritten && !(pair->same_request && pair->equal);
}

static enum finding_kind kind_of(const struct pair *pair)
{
    if (pair->unwritten)
        return pair->shared ? FINDING_UNINITIALISED : FINDING_UNWRITTEN;
    if (pair->flag)
        return FINDING_VOLATILE_FLAG;
    if (pair->same_request && pair->equal)
        return FINDING_COMMON_STORE;
    return pair->shared ? FINDING_SHARED_RACE : FINDING_GLOBAL_RACE;
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

static void remember_places(struct places *places, const struct pair *pair)
{
    for (int i = 0; i < 2; i++)
        if (places->count < 64 && !is_among(places, pair->end[i].pc))
            places->pc[places->count++] = pair->end[i].pc;
}

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

static void describe_lanes(const struct pair *pair, struct finding *finding)
{
    char lanes[128];

    name_lanes(pair->lanes, lanes, sizeof lanes);
    snprintf(finding->detail, sizeof finding->detail,
             "Lanes %s of a warp store %s to one word by the same instruction.", lanes,
             pair->equal ? "the same value" : "different values");
}

static void tell_pair(const struct pair *pair, uint64_t count, const struct launch *launch)
{
    struct finding finding = {.kind = kind_of(pair),
                              .launch = launch,
                              .actor = {pair->end[0], pair->end[1]},
                              .actors = pair->unwritten ? 1 : 2,
                              .count = count};

    if (pair->same_request)
        describe_lanes(pair, &finding);
    if (pair->unfenced)
        snprintf(finding.detail, sizeof finding.detail,
                 "The second saw what the first handed over, but passes no fence behind that.");
    else if (pair->not_given && is_race(pair))
        snprintf(
            finding.detail, sizeof finding.detail,
            "The second saw an atomic or volatile store of the first's, which passes no fence\n"
            "  in front of that (of a scope that holds both).");
    if (pair->unwritten)
        snprintf(finding.detail, sizeof finding.detail,
                 "Nothing orders the word's first write, at %s:%d, before it.",
                 source_line_at(pair->end[1].pc).file, source_line_at(pair->end[1].pc).line);
    finding_add(&finding);
}

/* Of the group's pairs those that are races, or those that are none. */
static void judge_group(const struct pair_group *group, bool races, struct places *places,
                        const struct launch *launch)
{
    const struct pair *first = NULL;
    uint64_t count = 0;

    for (size_t i = 0; i < group->kept; i++) {
        const struct pair *p = &group->pair[i];
        if (is_race(p) != races)
            continue;
        if (!p->unwritten && (is_excused(p, 0) || is_excused(p, 1) || resets(p, 0) || resets(p, 1)))
            continue;
        count++;
        if (!first || earlier(p, first))
            first = p;
    }
    if (!first)
        return;
    if (races)
        remember_places(places, first);
    else if (is_among(places, first->end[0].pc))
        return;
    /* those beyond KEPT, too */
    tell_pair(first, count == group->kept ? group->count : count, launch);
}

static void forget(void)
{
    for (size_t g = 0; g < all.groups; g++)
        free(all.group[g].pair);
    all.groups = all.excuses = 0;
    all.full = false;
}

void pairs_judge(const struct launch *launch)
{
    struct places places = {.count = 0};

    settle_flags();
    if (all.excuses)
        qsort(all.excuse, all.excuses, sizeof *all.excuse, by_excuse);
    for (int races = 1; races >= 0; races--)
        for (size_t g = 0; g < all.groups; g++)
            judge_group(&all.group[g], races, &places, launch);
    forget();
}
