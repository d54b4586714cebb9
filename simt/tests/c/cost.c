/* Drives cost.h: a line of input is size, mask of lanes and the 32 addresses, a line of output the
 * sectors, the wavefronts and the fewest wavefronts. */
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
        printf("%u %u %u\n", cost_sectors(address, lanes, size),
               cost_wavefronts(address, lanes, size), cost_fewest_wavefronts(lanes, size));
    }
    return 0;
}
