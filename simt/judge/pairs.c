/* Keeps pairs by their two places; tells each two places once. */
#include "judge/pairs.h"
#include "judge/last.h"
#include "run/array.h"
#include "run/memory.h"

#include <stdlib.h>
#include <string.h>

/* Two accesses of one launch. kind: of a race, or of a note. word: as words_name has it. why: what
 * there is to say of it.
 *
 * may_be_flag: it is one if end[1], the reader, passes a fence or a barrier after this time, and
 * saw what end[0] wrote, now or when it looked again, with no word written by an operation in
 * between (round: as of struct order). */
struct pair {
    enum finding_kind kind;
    enum {
        OF_ONE_VALUE,
        UNORDERED,
        OF_TWO_SIZES, /* stores */
        BOTH_CHANGE,  /* both threads load the word and store it, at the same places */
        BY_ONE_STORE,
        LACKS_FENCE_OF_FIRST,
        LACKS_FENCE_OF_GIVER,
        LACKS_FENCE_OF_TAKER
    } why;
    bool may_be_flag, saw;
    uint32_t time, round;
    uint64_t word;
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
static struct entries groups;           /* of pairs of the same two places */
static struct map excuses, first_reads; /* reads in front of an atomicCAS; their places */

struct actor pairs_actor(const struct access *a, unsigned lanes)
{
    int size = a->wide ? 4 << a->wide : __builtin_popcount(a->bytes);

    return (struct actor){.pc = a->pc,
                          .block = a->block,
                          .thread = (uint16_t)(a->warp * WARP_SIZE + __builtin_ctz(lanes)),
                          .operation = (uint8_t)a->kind,
                          .size = (uint8_t)size};
}

/* Does who stands so know of the last operation by which the thread wrote a word, at that time or
 * later? */
static bool saw(const struct view *s, const struct actor *actor, uint32_t since)
{
    struct last last = last_of(actor->block, actor->thread);

    return last.number && last.time >= since && sync_saw(s, last.chain, last.number);
}

/* ---- what is kept ---- */

static void keep(const struct pair *pair)
{
    uint64_t places = (uint64_t)pair->end[0].pc << 32 | pair->end[1].pc;
    struct pair_group *g = entries_at(&groups, sizeof *g, places, 0);

    g->count++;
    if (array_room((void **)&g->pair, g->kept, &g->room, KEPT, sizeof *g->pair))
        g->pair[g->kept++] = *pair;
}

/* ---- stores of one value ---- */

/* What stood there before the last of two stored, of a long structure the begin. The next thing
 * that its thread does comes behind its store, before others do anything. */
static struct common {
    uintptr_t address;
    size_t size; /* 0: there is none */
    char before[64];
    struct pair pair;
} common;

static bool are_stores(const struct access *old, const struct access *now)
{
    return old->kind == EVENT_STORE && now->kind == EVENT_STORE && old->bytes == now->bytes;
}

static bool is_common(const struct access *old, const struct access *now)
{
    return are_stores(old, now) && old->block == now->block && old->warp == now->warp &&
           old->pc == now->pc && old->time == now->time;
}

/* A structure comes piece by piece. False: the thread's store is waited for already. */
static bool wait_for_store(const struct touch *touch, const struct pair *pair)
{
    const struct actor *last = &common.pair.end[1], *now = &pair->end[1];

    if (last->thread != now->thread || last->block != now->block)
        pairs_settle();
    if (common.size > 0 && pair->why != BY_ONE_STORE)
        return false;
    if (common.size == 0) {
        common.address = touch->address;
        common.pair = *pair;
    }
    if (touch->address != common.address + common.size ||
        common.size + touch->size > sizeof common.before)
        return true;
    memcpy(common.before + common.size, (const void *)touch->address, touch->size);
    common.size += touch->size;
    return true;
}

void pairs_settle(void)
{
    if (common.size == 0)
        return;
    bool alike = memcmp(common.before, (const void *)common.address, common.size) == 0;
    if (alike && common.pair.why == BY_ONE_STORE)
        common.pair.kind = FINDING_COMMON_STORE;
    else if (alike)
        common.pair.why = OF_ONE_VALUE;
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

/* A plain store by who made the last atomic on the word so far: it comes behind all of them, of
 * global memory. (Where fences are used, what atomics order is known.) */
static bool comes_last(const struct look *look, const struct access *old)
{
    const struct access *now = &look->now;

    return !look->fences && !look->touch->shared && now->kind == EVENT_STORE &&
           old->kind == EVENT_ATOMIC &&
           atomic_last_was(memory_address((size_t)look->name), now->block,
                           now->block == old->block ? (int)look->touch->thread : -1);
}

extern const char simt_bit_fields[] __attribute__((weak)); /* the program has some */

/* Has the thread of that access, of these lanes, loaded the word at this place? */
static bool has_loaded(const struct look *look, const struct access *of, unsigned lanes,
                       uint32_t pc)
{
    for (const struct entry *e = words_first(look->word, look->now.run); e; e = words_next(e)) {
        const struct access *a = words_access_of(e);
        if (a->kind == EVENT_LOAD && a->pc == pc && a->block == of->block && a->warp == of->warp &&
            e->lanes & lanes)
            return true;
    }
    return false;
}

/* What two stores, or a load and a store, that nothing orders are an instance of. */
static int why_unordered(const struct look *look, const struct access *old, unsigned lanes,
                         const struct actor end[2])
{
    const struct access *now = &look->now;

    if (old->kind == EVENT_STORE && now->kind == EVENT_STORE && end[0].size != end[1].size)
        return OF_TWO_SIZES;
    if (simt_bit_fields)
        return UNORDERED;
    if (old->kind == EVENT_LOAD && now->kind == EVENT_STORE &&
        has_loaded(look, now, look->lanes, old->pc))
        return BOTH_CHANGE;
    if (old->kind == EVENT_STORE && now->kind == EVENT_LOAD &&
        has_loaded(look, old, lanes, now->pc))
        return BOTH_CHANGE;
    return UNORDERED;
}

bool pairs_race(const struct look *look, const struct access *old, unsigned lanes)
{
    const struct access *now = &look->now, *reader = old->writes ? now : old;
    struct actor end[] = {pairs_actor(old, lanes), pairs_actor(now, look->lanes)};
    struct pair pair = {.kind = look->touch->shared ? FINDING_SHARED_RACE : FINDING_GLOBAL_RACE,
                        .why = why_unordered(look, old, lanes, end),
                        .word = look->name,
                        .end = {end[0], end[1]}};

    if (is_common(old, now))
        pair.why = BY_ONE_STORE;
    else if (look->fences && sync_lacks_fence(look, old, lanes))
        pair.why = LACKS_FENCE_OF_FIRST;
    else if (look->fences && !access_is_in_order(now) && !sync_unordered(look, old, lanes, true))
        pair.why = LACKS_FENCE_OF_TAKER;
    else if (look->fences && saw(look->view, &end[0], old->time))
        pair.why = LACKS_FENCE_OF_GIVER;
    if ((pair.why == BY_ONE_STORE ||
         (pair.why == UNORDERED && are_stores(old, now) && !now->wide && !access_is_strong(now))) &&
        wait_for_store(look->touch, &pair))
        return true;
    bool meet = access_scopes_meet(old, now);
    if (comes_last(look, old))
        return false;
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

void pairs_early(const struct look *look, const struct access *first)
{
    struct finding finding = {.kind =
                                  look->touch->shared ? FINDING_UNINITIALISED : FINDING_UNWRITTEN,
                              .launch = look->launch,
                              .actor[0] = pairs_actor(&look->now, look->lanes),
                              .actors = 1};

    if (finding_again(&finding)) /* who polls reads again and again */
        return;
    struct source_line line = source_line_at(first->pc);
    finding_say(&finding, "Nothing orders the word's first write, at %s:%d, before it.", line.file,
                line.line);
}

/* ---- which of them are none ---- */

/* As the two keys of a map: shared words have names of their own in each block. */
static uint64_t read_of(uint64_t word, uint32_t block)
{
    return word << 31 ^ block;
}

void pairs_excuse(uint64_t word, uint32_t block, unsigned thread, uint32_t pc)
{
    if (map_number(&excuses, read_of(word, block), pc << 10 | thread) == MAP_NONE ||
        map_number(&first_reads, pc, 0) == MAP_NONE)
        array_no_memory();
}

/* A read with an excuse. */
static bool is_excused(const struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        const struct actor *end = &pair->end[i], *other = &pair->end[!i];
        if (other->operation == EVENT_ATOMIC && end->operation == EVENT_LOAD &&
            map_find(&excuses, read_of(pair->word, end->block), end->pc << 10 | end->thread) !=
                MAP_NONE)
            return true;
    }
    return false;
}

/* Is it a read by which others of this line went on to an atomicCAS, and an atomic? The compiler
 * may have copied the line, and several may have called the function that it is in. */
static bool is_first_read(const struct pair *pair)
{
    bool first = pair->end[0].operation == EVENT_LOAD;
    const struct actor *read = &pair->end[!first], *other = &pair->end[first];
    bool found = false;

    if (read->operation != EVENT_LOAD || other->operation != EVENT_ATOMIC)
        return false;
    for (size_t i = 0; i < first_reads.room && !found; i++)
        found =
            first_reads.slot[i].number > 0 &&
            source_same(source_line_at((uint32_t)first_reads.slot[i].a), source_line_at(read->pc));
    return found;
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

    if (!kinds[pair->kind].note && !pair->may_be_flag && is_first_read(pair))
        return FINDING_FIRST_READ;
    return pair->may_be_flag && last_of(reader->block, reader->thread).fence > pair->time &&
                   (pair->saw || saw_later(g, pair))
               ? FINDING_VOLATILE_FLAG
               : pair->kind;
}

/* ---- what is told ---- */

static const char *const sentences[] = {
    [OF_ONE_VALUE] = "Both store the same value. It is a race nevertheless.",
    [UNORDERED] = "",
    [BOTH_CHANGE] = "",
    [OF_TWO_SIZES] = "Stores of different sizes: do two arrays overlap here?",
    [BY_ONE_STORE] = "Lanes of a warp store different values to one word by the same instruction.",
    [LACKS_FENCE_OF_FIRST] =
        ("The first took a lock and passes no fence behind that: had it come second, it would not\n"
         "  be ordered behind the other one."),
    [LACKS_FENCE_OF_TAKER] =
        "The second saw what the first handed over, but passes no fence behind that.",
    [LACKS_FENCE_OF_GIVER] =
        ("The second saw an atomic or volatile store of the first's, which passes no fence\n"
         "  in front of that (of a scope that holds both).")};

/* Races of data before those of flags, which they come from; then what is no race. */
enum turn { OF_DATA, OF_FLAGS, NO_RACE, TURNS };

static enum turn turn_of(const struct pair *pair)
{
    return kinds[pair->kind].note ? NO_RACE : pair->may_be_flag ? OF_FLAGS : OF_DATA;
}

static const char change[] =
    ("All of these threads load the word and store it: a barrier between them is no help. Use "
     "an atomicAdd or the like, or give each thread a word of its own and add these up.");
static const char overlap[] =
    ("If two arrays share these bytes no barrier helps: see where each begins in `extern "
     "__shared__` memory, in bytes, and the types. Else put a __syncthreads() between them.");
static const char within_warp[] =
    ("Two lanes of a warp use one word, at least one writes, and nothing orders them: put a "
     "__syncwarp() between them. Since Volta the lanes of a warp do not run in lockstep.");

/* The advice that fits better than the kind's, for a race and others of its two places; NULL: none
 * does. one_warp: all of them are within a warp. */
static const char *rule_of(const struct pair *pair, bool one_warp)
{
    struct source_line a, b;

    if (pair->why == OF_TWO_SIZES)
        return overlap;
    if (pair->why == BOTH_CHANGE) {
        a = source_line_at(pair->end[0].pc), b = source_line_at(pair->end[1].pc);
        if (a.line == b.line && strcmp(a.file, b.file) == 0)
            return change;
    }
    return one_warp && pair->kind == FINDING_GLOBAL_RACE && pair->why != BY_ONE_STORE ? within_warp
                                                                                      : NULL;
}

static bool in_one_warp(const struct pair *pair)
{
    const struct actor *end = pair->end;

    return end[0].block == end[1].block && end[0].thread / WARP_SIZE == end[1].thread / WARP_SIZE;
}

/* Tells one of the group's pairs whose turn it is: of those of which there is most to say that of
 * the first thread. */
static void judge_group(const struct pair_group *g, enum turn turn, const struct launch *launch)
{
    struct finding finding = {.launch = launch, .actors = 2};
    struct pair told = {.why = OF_ONE_VALUE};
    uint64_t least = UINT64_MAX;
    bool one_warp = true;

    for (size_t i = 0; i < g->kept; i++) {
        struct pair p = g->pair[i];
        uint64_t thread = (uint64_t)p.end[0].block << 16 | p.end[0].thread;
        p.kind = kind_of(g, &p);
        if (turn_of(&p) != turn || is_excused(&p))
            continue;
        finding.count++;
        one_warp &= in_one_warp(&p);
        if (p.why > told.why || (p.why == told.why && thread < least)) {
            told = p;
            least = thread;
        }
    }
    if (finding.count == 0)
        return;
    finding.kind = told.kind;
    finding.rule = turn == OF_DATA ? rule_of(&told, one_warp) : NULL;
    memcpy(finding.actor, told.end, sizeof told.end);
    strcpy(finding.detail, turn == NO_RACE ? "" : sentences[told.why]);
    if (turn != NO_RACE && told.why == UNORDERED && simt_bit_fields)
        finding_write(&finding, "Bit fields that share a word are loaded and stored with it.");
    if (finding.count == g->kept)
        finding.count = g->count; /* those beyond KEPT, too */
    finding_add(&finding);
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
    map_forget(&first_reads);
}
