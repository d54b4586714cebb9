/* Launches whose grid and block are likely to be exchanged. */
#ifndef SIMT_EXCHANGE_H
#define SIMT_EXCHANGE_H

#include "run/lane.h"

/* The launch has ended; idle: how many of its blocks touched no memory. A note, where much says
 * that <<<blocks, threads>>> was meant the other way round:
 *   - blocks of fewer threads than a warp has, and as many of them as a block has threads: a
 *     multiple of 32, at most 1024; and
 *   - blocks that had nothing to do, but so few that the exchanged launch would have none, or
 *     dynamic shared memory of 1 to 16 bytes a block. */
void exchange_judge(const struct launch *launch, size_t idle);

#endif
