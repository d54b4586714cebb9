/* Sectors and wavefronts of a warp-level request. */
#include "watch/cost.h"

enum { SECTOR = 32, BANKS = 32, WORD = 4 };

/* A set that is mostly added to in ascending order: only what is below its highest value must be
 * searched for, from the last one on. */
struct set {
    uint64_t value[32 * 2], highest; /* an access of up to 16 bytes touches at most two sectors */
    unsigned count;
};

static void add_to_set(struct set *set, uint64_t value)
{
    if (set->count > 0 && value <= set->highest) {
        for (unsigned i = set->count; i-- > 0;)
            if (set->value[i] == value)
                return;
    } else {
        set->highest = value;
    }
    set->value[set->count++] = value;
}

unsigned cost_sectors(const uint64_t address[32], unsigned lanes, unsigned size)
{
    struct set set;

    set.count = 0; /* the list itself need not be cleared */
    set.highest = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t at = address[__builtin_ctz(lanes)];
        for (uint64_t sector = at / SECTOR; sector <= (at + size - 1) / SECTOR; sector++)
            add_to_set(&set, sector);
    }
    return set.count;
}

/* Lanes that are served together: all, a half or a quarter of the warp. */
static unsigned part_size(unsigned size)
{
    return size <= 4 ? 32 : size <= 8 ? 16 : 8;
}

static unsigned wavefronts_of_part(const uint64_t address[32], unsigned lanes, unsigned size)
{
    uint64_t words[BANKS][32], highest[BANKS];
    unsigned char count[BANKS] = {0};
    unsigned most = 0;

    for (; lanes; lanes &= lanes - 1) {
        uint64_t at = address[__builtin_ctz(lanes)];
        for (uint64_t word = at / WORD; word <= (at + size - 1) / WORD; word++) {
            unsigned bank = word % BANKS, known = 0;
            if (count[bank] > 0 && word <= highest[bank]) {
                while (known < count[bank] && words[bank][known] != word)
                    known++;
                if (known < count[bank])
                    continue;
            } else {
                highest[bank] = word;
            }
            words[bank][count[bank]++] = word;
            if (count[bank] > most)
                most = count[bank];
        }
    }
    return most;
}

unsigned cost_wavefronts(const uint64_t address[32], unsigned lanes, unsigned size)
{
    unsigned part = part_size(size), total = 0;

    for (unsigned first = 0; first < 32; first += part) {
        unsigned mask = part == 32 ? ~0u : ((1u << part) - 1) << first;
        if (lanes & mask)
            total += wavefronts_of_part(address, lanes & mask, size);
    }
    return total;
}

unsigned cost_fewest_wavefronts(unsigned lanes, unsigned size)
{
    unsigned part = part_size(size), total = 0;

    for (unsigned first = 0; first < 32; first += part) {
        unsigned mask = part == 32 ? ~0u : ((1u << part) - 1) << first;
        total += (lanes & mask) != 0;
    }
    return total;
}
