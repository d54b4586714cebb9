/* Sectors and wavefronts of a warp-level request. */
#include "watch/merge.h"

enum { SECTOR = 32, BANKS = 32, WORD = 4 };

/* The distinct units, sectors or words, that accesses touch. */
struct units {
    unsigned all;
    unsigned most; /* in one bank, if a bank has each 32nd unit */
};

/* Keeps a list of the units. Mostly they come in ascending order: only a unit that is neither the
 * last one again nor above the highest must be searched for in the list. unit_size is a constant.
 */
static inline __attribute__((always_inline)) struct units
count_units(const uint64_t address[32], unsigned lanes, unsigned size, unsigned unit_size)
{
    uint64_t list[32 * 5], highest = 0, last = UINT64_MAX; /* 16 bytes touch at most five words */
    unsigned char count[BANKS] = {0};
    struct units units = {0, 0};

    EACH_LANE(lane, lanes) {
        uint64_t at = address[lane];
        for (uint64_t unit = at / unit_size; unit <= (at + size - 1) / unit_size; unit++) {
            if (unit == last)
                continue;
            last = unit;
            unsigned bank = unit % BANKS, known = unit > highest ? 0 : units.all;
            while (known > 0 && list[known - 1] != unit)
                known--;
            if (known > 0)
                continue;
            highest = unit > highest ? unit : highest;
            list[units.all++] = unit;
            if (++count[bank] > units.most)
                units.most = count[bank];
        }
    }
    return units;
}

/* The lanes whose unit has the same number as the first lane's, in the bits of `which`. With all
 * ones that is the same unit; with fewer it may be the same bank. */
static unsigned with_first(const uint64_t address[32], unsigned lanes, unsigned unit_size,
                           uint64_t which)
{
    uint64_t first = address[__builtin_ctz(lanes)] / unit_size;
    unsigned same = 0;

    EACH_LANE(lane, lanes)
        same |= (unsigned)(((address[lane] / unit_size ^ first) & which) == 0) << lane;
    return same;
}

/* The most lanes whose units agree in these bits. */
static unsigned most_together(const uint64_t address[32], unsigned lanes, unsigned unit_size,
                              uint64_t which)
{
    unsigned most = 0;

    while (lanes) {
        unsigned same = with_first(address, lanes, unit_size, which);
        unsigned count = (unsigned)__builtin_popcount(same);
        most = count > most ? count : most;
        lanes &= ~same;
    }
    return most;
}

static unsigned atomic_sectors(const uint64_t address[32], unsigned lanes, unsigned size)
{
    unsigned sectors = 0;

    while (lanes) {
        unsigned same = with_first(address, lanes, SECTOR, ~(uint64_t)0);
        sectors += most_together(address, same, size, ~(uint64_t)0);
        lanes &= ~same;
    }
    return sectors;
}

/* The lanes of the part that begins at lane `first`. */
static unsigned part_of(unsigned lanes, unsigned first, unsigned part)
{
    return part == 32 ? lanes : lanes & ((1u << part) - 1) << first;
}

/* Do lanes t and t ^ apart have one address, for all t? An inactive lane counts as having the same.
 */
static bool alike(const uint64_t address[32], unsigned lanes, unsigned apart)
{
    EACH_LANE(lane, lanes) {
        unsigned other = (unsigned)lane ^ apart;
        if (lanes >> other & 1 && address[lane] != address[other])
            return false;
    }
    return true;
}

static void load_or_store(struct cost *cost, const struct warp_event *e)
{
    unsigned part = e->size <= 4 ? 32 : e->size <= 8 ? 16 : 8; /* served together */

    if (e->kind == EVENT_LOAD && part < 32 &&
        (alike(e->address, e->lanes, 1) || alike(e->address, e->lanes, 2)))
        part *= 2;
    for (unsigned first = 0; first < 32; first += part) {
        unsigned here = part_of(e->lanes, first, part);
        unsigned wavefronts = count_units(e->address, here, e->size, WORD).most;
        cost->wavefronts += wavefronts;
        cost->bank_conflicts += here ? wavefronts - 1 : 0;
    }
}

/* The lanes that succeed in a round: the first one of each bank, unless a lane of `before` has just
 * changed its word. */
static unsigned succeed(const uint64_t address[32], unsigned lanes, unsigned size, unsigned before)
{
    unsigned done = 0;

    while (lanes) {
        unsigned lane = lanes & -lanes;
        bool changed = false;
        EACH_LANE(other, before)
            changed |= address[other] == address[__builtin_ctz(lane)];
        done |= changed ? 0 : lane;
        lanes &= ~with_first(address, lanes, size, BANKS * WORD / size - 1);
    }
    return done;
}

static void loop(struct cost *cost, const struct warp_event *e)
{
    unsigned part = e->size <= 4 ? 32 : 16;

    cost->requests = cost->lanes = 0;
    for (unsigned done, left = e->lanes; left; left &= ~done) {
        cost->requests++;
        cost->lanes += (unsigned)__builtin_popcount(left);
        done = 0;
        for (unsigned first = 0; first < 32; first += part) {
            unsigned here = part_of(left, first, part);
            cost->wavefronts += here ? 2 : 0;
            done |= succeed(e->address, here, e->size, done);
        }
    }
}

static void atomic(struct cost *cost, const struct warp_event *e)
{
    unsigned part = e->size <= 4 ? 32 : 16, unit = e->size <= 4 ? WORD : e->size;

    for (unsigned first = 0; first < 32; first += part) {
        unsigned here = part_of(e->lanes, first, part);
        unsigned most = most_together(e->address, here, unit, BANKS * WORD / unit - 1);
        cost->wavefronts += e->extra & EXTRA_CAS ? 2 * most : most;
        cost->bank_conflicts += here ? most - 1 : 0;
    }
}

struct cost cost_of(const struct warp_event *e, bool shared)
{
    struct cost cost = {.requests = 1, .lanes = (unsigned)__builtin_popcount(e->lanes)};
    bool is_atomic = e->kind == EVENT_ATOMIC;
    bool counts = is_atomic && e->size == 4 && (e->extra & EXTRA_COUNTS) == EXTRA_COUNTS;

    cost.combined = is_atomic && e->extra & EXTRA_COMBINES && !counts && cost.lanes > 1;

    if (!shared && is_atomic) {
        cost.sectors = atomic_sectors(e->address, e->lanes, e->size);
    } else if (!shared) {
        cost.sectors = count_units(e->address, e->lanes, e->size, SECTOR).all;
    } else if (!is_atomic || counts) {
        load_or_store(&cost, e);
    } else if (e->extra & EXTRA_LOOPS) {
        loop(&cost, e);
    } else {
        atomic(&cost, e);
    }
    return cost;
}
