/* Sectors and wavefronts of a warp-level request. */
#include "watch/merge.h"

#include <string.h>

enum { SECTOR = 32, BANKS = 32, WORD = 4, TURN_SHIFT = 56 };

/* The distinct units, sectors or words, that a request touches. */
struct units {
    unsigned all;
    unsigned most;              /* in one bank, if a bank has each 32nd unit */
    unsigned char count[BANKS]; /* in each bank */
    uint64_t highest;           /* the highest of them */
    uint64_t list[32 * 5];      /* 16 bytes touch at most five words */
};

/* Mostly the units come in ascending order: only one that is not above the highest must be searched
 * for. */
static void add_unit(struct units *units, uint64_t unit)
{
    unsigned known = unit > units->highest ? 0 : units->all;

    while (known > 0 && units->list[known - 1] != unit)
        known--;
    if (known > 0)
        return;
    units->highest = unit > units->highest ? unit : units->highest;
    units->list[units->all++] = unit;
    if (++units->count[unit % BANKS] > units->most)
        units->most = units->count[unit % BANKS];
}

/* The number of lanes in front of this one that use its word. A word has 4 bytes in shared memory,
 * and else as many as the access. */
static uint64_t turn_of(const struct warp_event *e, unsigned lanes, int lane, unsigned unit_size)
{
    unsigned bytes = unit_size == WORD && e->size < WORD ? WORD : e->size;
    uint64_t turn = 0;

    EACH_LANE(other, lanes & ((1u << lane) - 1))
        turn += e->address[other] / bytes == e->address[lane] / bytes;
    return turn;
}

/* Finds the units; mostly a lane's is that of the lane before. Atomics on one word follow each
 * other, as if each turn had units of its own. unit_size is a constant. */
static inline __attribute__((always_inline)) void find_units(struct units *units,
                                                             const struct warp_event *e,
                                                             unsigned lanes, bool turns,
                                                             unsigned unit_size)
{
    uint64_t last = UINT64_MAX, behind = e->size - 1;

    memset(units, 0, offsetof(struct units, list));
    EACH_LANE(lane, lanes) {
        uint64_t turn = turns ? turn_of(e, lanes, lane, unit_size) << TURN_SHIFT : 0;
        uint64_t unit = e->address[lane] / unit_size | turn;
        uint64_t end = (e->address[lane] + behind) / unit_size | turn;
        if ((unit ^ last) | (end ^ last))
            for (last = end; unit <= end; unit++)
                add_unit(units, unit);
    }
}

/* The lanes of the part that begins at lane `first`. */
static unsigned part_of(unsigned lanes, unsigned first, unsigned part)
{
    return part == 32 ? lanes : lanes & ((1u << part) - 1) << first;
}

/* Do lanes t and t ^ apart have one address, for all t? Inactive lanes count as having it. */
static bool alike(const uint64_t address[32], unsigned lanes, unsigned apart)
{
    EACH_LANE(lane, lanes) {
        unsigned other = (unsigned)lane ^ apart;
        if (lanes >> other & 1 && address[lane] != address[other])
            return false;
    }
    return true;
}

/* One instruction, which parts of the warp go through one after the other. */
static void instruction(struct cost *cost, const struct warp_event *e, bool turns)
{
    unsigned part = e->size <= 4 ? 32 : e->size <= 8 ? 16 : 8; /* served together */
    struct units units;

    if (e->kind == EVENT_LOAD && part < 32 &&
        (alike(e->address, e->lanes, 1) || alike(e->address, e->lanes, 2)))
        part *= 2;
    for (unsigned first = 0; first < 32; first += part) {
        unsigned here = part_of(e->lanes, first, part);
        find_units(&units, e, here, turns, WORD);
        unsigned wavefronts = units.most;
        cost->wavefronts += turns && e->extra & EXTRA_CAS ? 2 * wavefronts : wavefronts;
        cost->bank_conflicts += here ? wavefronts - 1 : 0;
    }
}

/* The lanes that succeed in a round: the first one of each bank, unless a lane of `before` has just
 * changed its word. */
static unsigned succeed(const uint64_t address[32], unsigned lanes, unsigned size, unsigned before)
{
    unsigned done = 0, banks = 0;

    EACH_LANE(lane, lanes) {
        unsigned bank = 1u << address[lane] / size % (BANKS * WORD / size);
        bool changed = false;
        EACH_LANE(other, before)
            changed |= address[other] == address[lane];
        done |= changed || banks & bank ? 0 : 1u << lane;
        banks |= bank;
    }
    return done;
}

static void loop(struct cost *cost, struct cost *loads, const struct warp_event *e)
{
    unsigned part = e->size <= 4 ? 32 : 16;
    struct warp_event load = *e;

    load.kind = EVENT_LOAD;
    cost->requests = cost->lanes = 0;
    for (unsigned done; load.lanes; load.lanes &= ~done) {
        cost->requests++;
        cost->lanes += (unsigned)__builtin_popcount(load.lanes);
        instruction(loads, &load, false);
        done = 0;
        for (unsigned first = 0; first < 32; first += part) {
            unsigned here = part_of(load.lanes, first, part);
            cost->wavefronts += here ? 2 : 0;
            done |= succeed(e->address, here, e->size, done);
        }
    }
    loads->requests += cost->requests;
    loads->lanes += cost->lanes;
}

struct cost cost_of(const struct warp_event *e, bool shared, struct cost *loads)
{
    struct cost cost = {.requests = 1, .lanes = (unsigned)__builtin_popcount(e->lanes)};
    bool is_atomic = e->kind == EVENT_ATOMIC;
    bool counts = is_atomic && e->size == 4 && (e->extra & EXTRA_COUNTS) == EXTRA_COUNTS;

    cost.combined = is_atomic && e->extra & EXTRA_COMBINES && !counts && cost.lanes > 1;

    if (!shared) {
        struct units sectors;
        find_units(&sectors, e, e->lanes, is_atomic, SECTOR);
        cost.sectors = sectors.all;
    } else if (e->extra & EXTRA_LOOPS && is_atomic && !counts)
        loop(&cost, loads, e);
    else
        instruction(&cost, e, is_atomic && !counts);
    return cost;
}
