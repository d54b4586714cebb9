/* How the addresses of a warp's request lie, as far as those who look at it ask again and again:
 * pure. */
#ifndef SIMT_LAYOUT_H
#define SIMT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum { LAYOUT_LANES = 32 };

struct layout {
    uint64_t low, high, bits; /* the lowest, the highest, and all of them or-ed together */
    bool even; /* all 32 lanes; in each half warp they are as far apart as lanes 0 and 1 are */
};

/* Of the lanes in the mask, of which there is one at least, each at address[lane]. Addresses have
 * 48 bits. */
struct layout layout_of(const uint64_t address[LAYOUT_LANES], unsigned lanes);

#endif
