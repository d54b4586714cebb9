/* How many blocks a multiprocessor, and the whole device, hold at once. */
#ifndef SIMT_OCCUPANCY_H
#define SIMT_OCCUPANCY_H

#include "run/facts.h"

/* What a block takes. threads: at least 1. shared: bytes, static and dynamic. registers: of a
 * thread; 0: so few that they limit nothing. */
struct block_needs {
    unsigned threads, registers;
    size_t shared;
};

/* 0 when there is no room for one. Pure. */
unsigned occupancy_blocks(const struct device_facts *facts, struct block_needs needs);

/* Those that all multiprocessors of the simulated device hold. An upper bound where registers or
 * static shared memory are not known. */
size_t device_blocks_at_once(struct block_needs needs);

#endif
