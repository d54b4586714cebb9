/* Sectors and wavefronts of a warp-level request. Nearly always all lanes stay within a few hundred
 * bytes: what they touch then fits a mask. What is left takes a list. */
#include "watch/cost.h"

#include <stdbool.h>

enum { SECTOR = 32, SECTOR_SHIFT = 5, BANKS = 32, WORD = 4 };

/* Memory in pieces of 1 << shift bytes, counted from some piece on: which of the first 64 are
 * touched; the numbers of all, and all addresses, or-ed together. */
struct pieces {
    uint64_t from, touched, numbers, addresses;
};

static inline void touch(struct pieces *pieces, uint64_t address, unsigned shift)
{
    uint64_t number = (address >> shift) - pieces->from;
    pieces->touched |= (uint64_t)1 << (number & 63);
    pieces->numbers |= number;
    pieces->addresses |= address;
}

/* Which of the 64 pieces around the first lane's the lanes touch; 0 when they touch others, or when
 * an access is not aligned to its size and may touch two. */
static inline uint64_t pieces_nearby(const uint64_t address[32], unsigned lanes, unsigned size,
                                     unsigned shift)
{
    struct pieces pieces = {.from = (address[__builtin_ctz(lanes)] >> shift) - 32};

    if (lanes == ~0u)
        for (int i = 0; i < 32; i++)
            touch(&pieces, address[i], shift);
    else
        for (; lanes; lanes &= lanes - 1)
            touch(&pieces, address[__builtin_ctz(lanes)], shift);
    return pieces.numbers < 64 && (pieces.addresses & (size - 1)) == 0 ? pieces.touched : 0;
}

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

static unsigned sectors_in_list(const uint64_t address[32], unsigned lanes, unsigned size)
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

unsigned cost_sectors(const uint64_t address[32], unsigned lanes, unsigned size)
{
    uint64_t nearby = pieces_nearby(address, lanes, size, SECTOR_SHIFT);

    return nearby ? (unsigned)__builtin_popcountll(nearby) : sectors_in_list(address, lanes, size);
}

/* Lanes that are served together: all, a half or a quarter of the warp. */
static unsigned part_size(unsigned size)
{
    return size <= 4 ? 32 : size <= 8 ? 16 : 8;
}

/* True when it is easily seen that no two of the words lie in one bank. In pieces as large as the
 * accesses (those of less than a word count as one) the memory has 128 bytes of banks in a row. */
static bool without_conflict(const uint64_t address[32], unsigned lanes, unsigned size)
{
    unsigned shift = size <= WORD ? 2 : size <= 8 ? 3 : 4, banks = BANKS * WORD >> shift;
    uint64_t left = pieces_nearby(address, lanes, size, shift), seen = 0, twice = 0;

    if (!left)
        return false;
    for (; left; left >>= banks) {
        uint64_t row = left & (((uint64_t)1 << banks) - 1);
        twice |= seen & row;
        seen |= row;
    }
    return !twice;
}

static unsigned wavefronts_of_part(const uint64_t address[32], unsigned lanes, unsigned size)
{
    uint64_t words[BANKS][32], highest[BANKS];
    unsigned char count[BANKS] = {0};
    unsigned most = 0;

    if (without_conflict(address, lanes, size))
        return 1;

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
