/* Drives cost.h and layout.h: a line of input is size, mask of lanes and the 32 addresses, a line
 * of output the sectors, the wavefronts and the fewest wavefronts; then the lowest address, the
 * highest, all or-ed together, and 1 if half warps are evenly spaced. */
#include "watch/cost.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    unsigned size, lanes;
    uint64_t address[32];

    while (scanf("%u %x", &size, &lanes) == 2) {
        for (int i = 0; i < 32; i++)
            if (scanf("%" SCNu64, &address[i]) != 1)
                return 1;
        struct layout layout = layout_of(address, lanes);
        printf("%u %u %u", cost_sectors(address, lanes, size, &layout),
               cost_wavefronts(address, lanes, size, &layout), cost_fewest_wavefronts(lanes, size));
        printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n", layout.low, layout.high, layout.bits,
               layout.even);
    }
    return 0;
}
