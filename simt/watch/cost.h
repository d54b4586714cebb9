/* What a warp-level request costs the memory: pure. Definitions as Nsight Compute counts them. */
#ifndef SIMT_COST_H
#define SIMT_COST_H

#include <stdint.h>

/* Distinct 32-byte sectors that the accesses of the lanes in the mask touch, each size bytes
 * (1 to 16) at address[lane], of 48 bits. */
unsigned cost_sectors(const uint64_t address[32], unsigned lanes, unsigned size);

/* Shared memory has 32 banks of 4-byte words and gives one word of each bank in a wavefront. For
 * accesses of up to 4 bytes: the largest number of distinct words in one bank. Wider ones go by
 * parts, 8-byte accesses by half warps, 16-byte ones by quarter warps, whose wavefronts add up.
 * *fewest: the fewest that such a request could take, one for each part with a lane in it; what is
 * above are bank conflicts. */
unsigned cost_wavefronts(const uint64_t address[32], unsigned lanes, unsigned size,
                         unsigned *fewest);

#endif
