/* Looks at the addresses of a request. Nearly always those of each half warp are evenly spaced, by
 * 0 or by the size of an element: then the ends tell the rest. */
#include "watch/layout.h"

enum { HALF = LAYOUT_LANES / 2 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool are_even(const uint64_t address[LAYOUT_LANES])
{
    uint64_t step = address[1] - address[0], differ = 0;

    for (int i = 1; i < HALF; i++)
        differ |= (address[i] - address[i - 1] - step) |
                  (address[HALF + i] - address[HALF + i - 1] - step);
    return differ == 0;
}

static struct layout layout_of_all(const uint64_t address[LAYOUT_LANES])
{
    const uint64_t *other = address + HALF;
    struct layout layout = {.even = are_even(address), .low = UINT64_MAX};

    for (int i = 0; i < LAYOUT_LANES; i++)
        layout.bits |= address[i];
    if (layout.even) {
        layout.low = least(least(address[0], address[HALF - 1]), least(other[0], other[HALF - 1]));
        layout.high = most(most(address[0], address[HALF - 1]), most(other[0], other[HALF - 1]));
        return layout;
    }
    for (int i = 0; i < LAYOUT_LANES; i++) {
        layout.low = least(layout.low, address[i]);
        layout.high = most(layout.high, address[i]);
    }
    return layout;
}

struct layout layout_of(const uint64_t address[LAYOUT_LANES], unsigned lanes)
{
    struct layout layout = {.low = UINT64_MAX};

    if (lanes == ~0u)
        return layout_of_all(address);
    for (; lanes; lanes &= lanes - 1) {
        uint64_t one = address[__builtin_ctz(lanes)];
        layout.low = least(layout.low, one);
        layout.high = most(layout.high, one);
        layout.bits |= one;
    }
    return layout;
}
