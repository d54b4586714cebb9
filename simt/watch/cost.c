/* Sectors and wavefronts of a warp-level request. */
#include "watch/cost.h"

enum { SECTOR = 32, BANKS = 32, WORD = 4 };

/* Distinct units, sectors or words, that accesses touch. */
struct units {
    unsigned all, most; /* most: in one bank, if a bank gets each 32nd unit */
};

/* A list is kept of them, to which is mostly added in ascending order: only what is neither the
 * last one again nor above the highest must be searched for. unit_size is a constant. */
static inline __attribute__((always_inline)) struct units
count_units(const uint64_t address[32], unsigned lanes, unsigned size, unsigned unit_size)
{
    uint64_t list[32 * 5], highest = 0, last = UINT64_MAX; /* 16 bytes lie in five words at most */
    unsigned char count[BANKS] = {0};
    struct units units = {0, 0};

    for (; lanes; lanes &= lanes - 1) {
        uint64_t at = address[__builtin_ctz(lanes)];
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

unsigned cost_sectors(const uint64_t address[32], unsigned lanes, unsigned size)
{
    return count_units(address, lanes, size, SECTOR).all;
}

unsigned cost_wavefronts(const uint64_t address[32], unsigned lanes, unsigned size,
                         unsigned *fewest)
{
    unsigned part = size <= 4 ? 32 : size <= 8 ? 16 : 8, total = 0; /* served together */

    *fewest = 0;
    for (unsigned first = 0; first < 32; first += part) {
        unsigned mask = part == 32 ? ~0u : ((1u << part) - 1) << first;
        total += count_units(address, lanes & mask, size, WORD).most;
        *fewest += (lanes & mask) != 0;
    }
    return total;
}
