/* Keeps pairs, those of the same two places together, and judges them when the launch has ended. */
#include "judge/race.h"
#include "run/array.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of the same two places in the code. Beyond PAIRS_KEPT, or NOTES_KEPT, so that notes leave
 * room for the races behind them, they are only counted. */
enum { PAIRS_KEPT = 256, NOTES_KEPT = 128 };
struct group {
    uint64_t count;    /* of all pairs */
    size_t kept;       /* how many of them are kept */
    size_t room;       /* of `pair` (run/array.h) */
    struct pair *pair; /* those that are kept */
};
static struct entries groups; /* of the launch that runs, by their two places */

struct actor pairs_actor(const struct access *a, unsigned lanes)
{
    int size = a->wide ? 4 << a->wide : __builtin_popcount(a->bytes);

    return (struct actor){.pc = a->pc,
                          .block = a->block,
                          .thread = (uint16_t)(a->warp * WARP_SIZE + __builtin_ctz(lanes)),
                          .operation = (uint8_t)a->kind,
                          .size = (uint8_t)size};
}

static bool is_excused(const struct pair *pair);

/* A pair that is excused already would take the room of others. */
void pairs_keep(const struct pair *pair)
{
    if (is_excused(pair))
        return;
    uint64_t places = (uint64_t)pair->end[0].pc << 32 | pair->end[1].pc;
    struct group *g = entries_at(&groups, sizeof *g, places, 0);
    size_t most = kinds[pair->kind].note ? NOTES_KEPT : PAIRS_KEPT;

    g->count++;
    if (array_room((void **)&g->pair, g->kept, &g->room, most, sizeof *g->pair))
        g->pair[g->kept++] = *pair;
}

/* ---- two stores ---- */

static struct common {
    uintptr_t address; /* where the second store goes */
    size_t size;       /* how many bytes it has so far; 0: none is waited for */
    char before[64];   /* what stood there before; of a longer structure its first bytes */
    struct pair pair;  /* the two */
} common;

bool pairs_wait(const struct touch *touch, const struct pair *pair)
{
    const struct actor *last = &common.pair.end[1], *now = &pair->end[1];

    if (last->thread != now->thread || last->block != now->block)
        pairs_settle();
    if (common.size > 0 && pair->why != BY_ONE_STORE) /* unless it is the store's next word */
        return touch->address == common.address && pair->end[0].pc == common.pair.end[0].pc &&
               pair->end[0].block == common.pair.end[0].block &&
               pair->end[0].thread == common.pair.end[0].thread;
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
    pairs_keep(&common.pair);
}

/* ---- plain reads in front of an atomicCAS ---- */

static struct map excuses; /* reads in front of an atomicCAS, by word, block, place and thread */
static struct map first_reads; /* their places in the code */

/* The first part of a key of `excuses`: a word, and the block that reads it; ANY_BLOCK: of all. */
enum { ANY_BLOCK = 0x7fffffff };
static uint64_t read_of(uint64_t word, uint32_t block)
{
    return word << 31 ^ block;
}

void pairs_excuse(uint64_t word, uint32_t block, unsigned thread, uint32_t pc)
{
    map_number(&excuses, read_of(word, block), pc << 10 | thread);
    map_number(&excuses, read_of(word, ANY_BLOCK), pc << 10);
    map_number(&first_reads, pc, 0);
}

bool pairs_excused(uint64_t word, uint32_t block, unsigned thread, uint32_t pc)
{
    return map_find(&excuses, read_of(word, block), pc << 10 | thread) != MAP_NONE;
}

static bool took_lock; /* in this launch a thread may have taken a lock */

void pairs_lock(void)
{
    took_lock = true;
}

/* Is the pair an excused read and an atomic? */
static bool is_excused(const struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        const struct actor *end = &pair->end[i], *other = &pair->end[!i];
        if (other->operation == EVENT_ATOMIC && end->operation == EVENT_LOAD &&
            pairs_excused(pair->word, end->block, end->thread, end->pc))
            return true;
    }
    return false;
}

/* Is the pair an atomic and a read at a line from which others went on to an atomicCAS on the word?
 * Lines are compared, not places in the code, because the compiler may have copied the line. */
static bool is_first_read(const struct pair *pair)
{
    bool first = pair->end[0].operation == EVENT_LOAD;
    const struct actor *read = &pair->end[!first], *other = &pair->end[first];

    if (read->operation != EVENT_LOAD || other->operation != EVENT_ATOMIC)
        return false;
    struct source_line line = source_line_at(read->pc);
    for (size_t i = 0; i < first_reads.room; i++) {
        uint32_t pc = (uint32_t)first_reads.slot[i].a;
        if (pairs_excused(pair->word, ANY_BLOCK, 0, pc) && source_same(source_line_at(pc), line))
            return true;
    }
    return false;
}

/* Did the reader, which polls, see the write when it looked again, or had it seen another one? That
 * one may stand at another place: a flag goes from 1 to 2 while others still act on the 1. If not
 * all pairs are kept, that is taken for granted. */
static bool saw_other_look(const struct group *g, const struct pair *pair)
{
    const struct group *group = groups.entry, *end = group + groups.numbers.count;

    for (; group < end; group++)
        for (size_t i = 0; i < group->kept; i++) {
            const struct pair *p = &group->pair[i];
            if (p->saw && p->word == pair->word && p->round == pair->round &&
                p->end[1].block == pair->end[1].block && p->end[1].thread == pair->end[1].thread)
                return true;
        }
    return g->count > g->kept;
}

/* The pair's kind, now that it is known which readers passed a fence later. */
static enum finding_kind kind_of(const struct group *g, const struct pair *pair)
{
    const struct actor *reader = &pair->end[1];

    if (!kinds[pair->kind].note && !pair->may_be_flag && is_first_read(pair))
        return FINDING_FIRST_READ;
    return pair->may_be_flag && last_of(reader->block, reader->thread).fence > pair->time &&
                   (pair->saw || saw_other_look(g, pair))
               ? FINDING_VOLATILE_FLAG
               : pair->kind;
}

/* ---- what is told ---- */

/* By reason; NULL: nothing more is known (reasons.csv). */
static const char *const sentences[] = {
#define ROW(reason, sentence) [reason] = sentence,
#include "judge/reasons.rows"
};

/* Races of data are told before races of the flags that cause them, and those that may change a
 * result before stores of one value; notes come last. */
enum turn { OF_DATA, OF_EQUAL_DATA, OF_FLAGS, NO_RACE, TURNS };

static enum turn turn_of(const struct pair *pair)
{
    return kinds[pair->kind].note ? NO_RACE : pair->may_be_flag ? OF_FLAGS : OF_DATA;
}

static const char change[] =
    ("Several threads change the word here. If they do so at once, a barrier between them is no "
     "help: use an atomicAdd or the like, let one thread do it, or give each its own word (is the "
     "index unique?). If they take turns, as in a loop's rounds, put a barrier between the turns.");
static const char overlap[] =
    ("If two arrays share these bytes no barrier helps: see where each begins in `extern "
     "__shared__` memory, in bytes, and the types. Else put a __syncthreads() between them.");

/* Do several threads store to the word at the place where one of the pair did? If not all pairs are
 * kept, that is taken for granted. In `a[i] += a[0]` they do not. */
static bool others_store(const struct pair *pair)
{
    uint64_t pc = pair->end[pair->end[0].operation == EVENT_LOAD].pc;
    uint32_t number = map_find(&groups.numbers, pc << 32 | pc, 0);
    const struct group *g = (const struct group *)groups.entry + number;

    for (size_t i = 0; number != MAP_NONE && i < g->kept; i++)
        if (g->pair[i].word == pair->word)
            return true;
    return number != MAP_NONE && g->count > g->kept;
}

/* Advice that fits this race better than its kind's; NULL: none does. */
static const char *rule_of(const struct pair *pair)
{
    const struct actor *a = &pair->end[0], *b = &pair->end[1];
    bool by_blocks =
        a->operation == EVENT_STORE && b->operation == EVENT_STORE && a->block != b->block;
    bool all_change = (a->pc == b->pc || by_blocks) && pair->why <= BY_ONE_STORE;

    if (pair->why == OF_TWO_SIZES && pair->kind == FINDING_SHARED_RACE)
        return overlap;
    if (all_change || (pair->why == BOTH_CHANGE && others_store(pair)))
        return change;
    return NULL;
}

/* Adds a finding for the pairs of the group whose turn it is. Its example is the pair with the last
 * reason (enum reason), and of several such pairs the one with the first thread. */
static void judge_group(const struct group *g, enum turn turn, const struct launch *launch)
{
    struct finding finding = {.launch = *launch, .actors = 2};
    struct pair told = {.why = OF_ONE_VALUE};
    uint64_t least = UINT64_MAX;
    bool data = turn <= OF_EQUAL_DATA;

    for (size_t i = 0; i < g->kept; i++) {
        struct pair p = g->pair[i];
        uint64_t thread = (uint64_t)p.end[0].block << 16 | p.end[0].thread;
        p.kind = kind_of(g, &p);
        if (turn_of(&p) != (data ? OF_DATA : turn) || is_excused(&p))
            continue;
        finding.count++;
        if (p.why > told.why || (p.why == told.why && thread < least)) {
            told = p;
            least = thread;
        }
    }
    if (finding.count == 0 || (data && (told.why == OF_ONE_VALUE) != (turn == OF_EQUAL_DATA)))
        return;
    finding.kind = told.kind;
    finding.rule = data ? rule_of(&told) : NULL;
    memcpy(finding.actor, told.end, sizeof told.end);
    if (turn != NO_RACE && sentences[told.why])
        strcpy(finding.detail, sentences[told.why]);
    bool plain = told.end[0].operation != EVENT_ATOMIC && told.end[1].operation != EVENT_ATOMIC;
    if (took_lock && data && plain && told.kind == FINDING_GLOBAL_RACE && !*finding.detail)
        finding_write(
            &finding,
            "If an atomicCAS takes a lock here, it orders nothing without a __threadfence() "
            "behind taking it and one in front of giving it back.");
    if (data && told.end[0].operation == EVENT_ATOMIC && told.end[1].operation == EVENT_ATOMIC)
        finding_write(&finding, "A call that ends in _block is atomic within its block only.");
    if (turn != NO_RACE && told.why == UNORDERED && simt_bit_fields)
        finding_write(&finding, "Bit fields that share a word are loaded and stored with it.");
    if (finding.count == g->kept)
        finding.count = g->count; /* with those that were only counted */
    finding_add(&finding);
}

void pairs_judge(const struct launch *launch)
{
    struct group *group = groups.entry, *end = group + groups.numbers.count;

    for (enum turn turn = OF_DATA; turn < TURNS; turn++)
        for (struct group *g = group; g < end; g++)
            judge_group(g, turn, launch);
    for (struct group *g = group; g < end; g++)
        free(g->pair);
    map_forget(&groups.numbers);
    map_forget(&excuses);
    map_forget(&first_reads);
    took_lock = false;
}
