/* Keeps pairs by their two places; tells each two places once. */
#include "judge/pairs.h"
#include "run/array.h"
#include "run/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two accesses of one launch. kind: of a race, FINDING_COMMON_STORE, FINDING_VOLATILE_FLAG, or,
 * when nobody has written what end[0] reads, FINDING_UNINITIALISED or FINDING_UNWRITTEN: then
 * end[1] is the word's first write, which it may come before, or of operation EVENT_KINDS, none.
 * address: of the read. lanes: all that store to the word by one instruction, 0: it is no such
 * pair. lacks: what would order them.
 *
 * may_be_flag: it is one if end[1], the reader, passes a fence or a barrier after this time, and
 * saw what end[0] wrote, now or when it looked again, with no word written by an operation in
 * between (round: as of struct order). */
struct pair {
    enum finding_kind kind;
    enum { LACKS_ALL, LACKS_FENCE_OF_GIVER, LACKS_FENCE_OF_TAKER } lacks;
    bool shared, may_be_flag, saw;
    uint32_t time, round, lanes;
    uint64_t word;
    uintptr_t address;
    struct actor end[2];
};

/* Pairs of the same two places. Beyond KEPT they are only counted. */
enum { KEPT = 256 };

struct pair_group {
    uint64_t count;
    size_t kept, room;
    struct pair *pair;
};

/* Of the launch that runs. */
static struct entries groups; /* of pairs of the same two places */
static struct map excuses;
static struct map told; /* places of races: anything else there would only distract */
static struct entries lasts;

struct actor pairs_actor(const struct access *a, unsigned lanes)
{
    int size = a->wide ? 4 << a->wide : __builtin_popcount(a->bytes);

    return (struct actor){.pc = a->pc,
                          .block = a->block,
                          .thread = (uint16_t)(a->warp * WARP_SIZE + __builtin_ctz(lanes)),
                          .operation = (uint8_t)a->kind,
                          .size = (uint8_t)size};
}

struct actor pairs_toucher(const struct block *block, const struct touch *touch)
{
    return (struct actor){.pc = touch->pc,
                          .block = block_number(block),
                          .thread = (uint16_t)touch->thread,
                          .operation = (uint8_t)touch->kind,
                          .size = (uint8_t)touch->size};
}

/* ---- what threads did by operations, in programs with fences ---- */

/* The last by which a thread wrote a word, and its time; when its block has ended, also that of its
 * last fence or barrier. */
struct last {
    struct order order;
    uint32_t time, fence;
};

void pairs_operated(const struct look *look)
{
    struct last *last = entries_at(&lasts, sizeof *last, look->now.block, look->touch->thread);
    *last = (struct last){look->now.order, look->now.time, 0};
}

void pairs_block_end(const struct sync *sync)
{
    for (unsigned i = 0; i < sync->threads; i++) {
        const struct thread *t = &sync->thread[i];
        uint32_t fence = t->last_fence > sync->passed.time ? t->last_fence : sync->passed.time;
        if (t->operated)
            ((struct last *)entries_at(&lasts, sizeof(struct last), sync->number, i))->fence =
                fence;
    }
}

static struct last last_of(const struct actor *actor)
{
    uint32_t number = map_find(&lasts.numbers, actor->block, actor->thread);
    return number == MAP_NONE ? (struct last){.time = 0} : ((struct last *)lasts.entry)[number];
}

/* Does who stands so know of the last operation by which the thread wrote a word, at that time or
 * later? */
static bool saw(const struct stands *s, const struct actor *actor, uint32_t since)
{
    struct last last = last_of(actor);

    return last.order.number && last.time >= since &&
           (clock_at(s->known.operations, last.order.chain) >= last.order.number ||
            clock_at(s->seen[SCOPE_DEVICE].operations, last.order.chain) >= last.order.number);
}

/* ---- what is kept ---- */

static bool is_race(enum finding_kind kind)
{
    return kind == FINDING_SHARED_RACE || kind == FINDING_GLOBAL_RACE;
}

static bool is_unwritten(enum finding_kind kind)
{
    return kind == FINDING_UNINITIALISED || kind == FINDING_UNWRITTEN;
}

static struct pair_group *group_of(const struct pair *pair)
{
    uint64_t places = (uint64_t)pair->end[0].pc << 32 | pair->end[1].pc;
    bool common = pair->lanes != 0;

    return entries_at(&groups, sizeof(struct pair_group), places,
                      (uint32_t)(pair->shared | common << 1 | is_unwritten(pair->kind) << 2));
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

static void keep(const struct pair *pair)
{
    struct pair_group *g = group_of(pair);

    if (pair->lanes && join_request(g, pair))
        return;
    g->count++;
    if (array_room((void **)&g->pair, g->kept, &g->room, KEPT, sizeof *g->pair))
        g->pair[g->kept++] = *pair;
}

static void keep_unwritten(const struct touch *touch, struct actor reader, struct actor first)
{
    keep(&(struct pair){.kind = touch->shared ? FINDING_UNINITIALISED : FINDING_UNWRITTEN,
                        .shared = touch->shared,
                        .address = touch->address,
                        .end = {reader, first}});
}

void pairs_early(const struct look *look, const struct access *first, unsigned lanes)
{
    keep_unwritten(look->touch, pairs_actor(&look->now, look->lanes), pairs_actor(first, lanes));
}

void pairs_garbage(const struct block *block, const struct touch *touch)
{
    keep_unwritten(touch, pairs_toucher(block, touch), (struct actor){.operation = EVENT_KINDS});
}

/* ---- lanes of a warp that store to one word by one instruction ---- */

/* What stood there before the last of them stored, of a long structure the begin. The next thing
 * that its thread does comes behind its store, before others do anything. */
static struct common {
    uintptr_t address;
    size_t size; /* 0: there is none */
    char before[64];
    struct pair pair;
} common;

static bool is_common(const struct access *old, const struct access *now)
{
    return old->kind == EVENT_STORE && now->kind == EVENT_STORE && old->block == now->block &&
           old->warp == now->warp && old->pc == now->pc && old->time == now->time &&
           old->bytes == now->bytes;
}

/* A structure comes piece by piece. */
static void wait_for_store(const struct touch *touch, const struct pair *pair)
{
    if (common.size && (common.pair.end[1].thread != pair->end[1].thread ||
                        common.pair.end[1].block != pair->end[1].block))
        pairs_settle(common.pair.end[1].block, common.pair.end[1].thread);
    if (common.size == 0) {
        common.address = touch->address;
        common.pair = *pair;
    }
    if (touch->address != common.address + common.size ||
        common.size + touch->size > sizeof common.before)
        return;
    memcpy(common.before + common.size, (const void *)touch->address, touch->size);
    common.size += touch->size;
}

void pairs_settle(uint32_t block, unsigned thread)
{
    const struct actor *last = &common.pair.end[1];

    if (common.size == 0 || last->block != block || last->thread != thread)
        return;
    if (memcmp(common.before, (const void *)common.address, common.size) == 0)
        common.pair.kind = FINDING_COMMON_STORE;
    common.size = 0;
    keep(&common.pair);
}

/* ---- races ---- */

/* Is one of them a volatile look at what the other one changes by an atomic? */
static bool looks_at_atomic(const struct access *a, const struct access *b)
{
    return a->kind == EVENT_LOAD && a->is_volatile && b->kind == EVENT_ATOMIC;
}

/* May it be a flag: both volatile or atomic, and the writer passed a fence before? It is one if the
 * other passes a fence, or a barrier, later, and saw what was written. Then what lies behind is
 * ordered, the word itself is not. Who takes a lock that a volatile store gave back counts as a
 * reader. */
static bool may_be_flag(const struct look *look, const struct access *old)
{
    const struct access *now = &look->now;
    bool takes = now->kind == EVENT_ATOMIC && look->touch->extra & (EXTRA_EXCHANGE | EXTRA_CAS);

    return access_is_strong(old) && access_is_strong(now) &&
           (old->writes ? old : now)->order.fenced &&
           (!old->writes || !now->writes || (old->kind == EVENT_STORE && takes));
}

bool pairs_race(const struct look *look, const struct access *old, unsigned lanes)
{
    const struct access *now = &look->now, *reader = old->writes ? now : old;
    bool shared = look->touch->shared, fences = look->fences;
    struct actor end[] = {pairs_actor(old, lanes), pairs_actor(now, look->lanes)};
    struct pair pair = {.kind = shared ? FINDING_SHARED_RACE : FINDING_GLOBAL_RACE,
                        .shared = shared,
                        .word = words_name(now->block, look->word, shared),
                        .end = {end[0], end[1]}};

    if (is_common(old, now)) {
        pair.lanes = lanes | look->lanes;
        wait_for_store(look->touch, &pair);
        return true;
    }
    if (fences && !access_is_in_order(now) && !sync_unordered(look, old, lanes, true))
        pair.lacks = LACKS_FENCE_OF_TAKER;
    else if (fences && saw(look->stands, &end[0], old->time))
        pair.lacks = LACKS_FENCE_OF_GIVER;
    bool meet = access_scopes_meet(old, now);
    if (meet && (looks_at_atomic(old, now) || looks_at_atomic(now, old))) {
        pair.kind = FINDING_VOLATILE_FLAG;
    } else if (meet && may_be_flag(look, old)) { /* the writer first */
        pair.may_be_flag = true;
        pair.end[0] = end[reader == old], pair.end[1] = end[reader == now];
        pair.time = reader->time;
        pair.round = reader->order.round;
        pair.saw =
            reader == now ? look->before == old->order.chain : old->order.chain == now->order.chain;
    }
    keep(&pair);
    return false;
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

    return pair->may_be_flag && last_of(reader).fence > pair->time &&
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
        snprintf(
            text, room,
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
static void judge_group(const struct pair_group *g, enum turn turn, const struct launch *launch)
{
    struct pair first = {.lanes = 0};
    uint64_t count = 0;

    for (size_t i = 0; i < g->kept; i++) {
        struct pair p = g->pair[i];
        p.kind = kind_of(g, &p);
        if (turn_of(&p) != turn ||
            (!is_unwritten(p.kind) &&
             (is_excused(&p, 0) || is_excused(&p, 1) || resets(&p, 0) || resets(&p, 1))))
            continue;
        if (count++ == 0 || earlier(&p, &first))
            first = p;
    }
    if (count == 0 || (turn == NO_RACE && map_find(&told, first.end[0].pc, 0) != MAP_NONE))
        return;
    for (int i = 0; i < 2 && turn != NO_RACE; i++)
        map_number(&told, first.end[i].pc, 0);
    /* those beyond KEPT, too */
    tell(&first, count == g->kept ? g->count : count, launch);
}

void pairs_judge(const struct launch *launch)
{

    struct pair_group *group = groups.entry, *end = group + groups.numbers.count;

    for (enum turn turn = OF_DATA; turn < TURNS; turn++)
        for (struct pair_group *g = group; g < end; g++)
            judge_group(g, turn, launch);
    for (struct pair_group *g = group; g < end; g++)
        free(g->pair);
    map_forget(&groups.numbers);
    map_forget(&excuses);
    map_forget(&told);
    map_forget(&lasts.numbers);
}
