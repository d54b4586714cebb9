/* Tells what the program did wrong in its calls, and what a kernel cannot go on after. */
#ifndef SIMT_COMPLAINT_H
#define SIMT_COMPLAINT_H

#include "run/observer.h"

/* Adds a finding. */
void complaint_judge(const struct complaint *complaint);

/* The program ends, with this status of its own: errors that nobody looked at become findings. */
void complaint_program_end(int status);

/* Adds a finding, or, where it is a limit of the backend, says why nothing more is judged
 * (run/end.h). */
void complaint_fatal(const struct fatal *fatal);

/* The launch has ended; idle: how many of its blocks touched no memory. A note, where much says
 * that <<<blocks, threads>>> was meant the other way round:
 *   - blocks of fewer threads than a warp has, and as many of them as a block has threads: a
 *     multiple of 32, at most 1024; and
 *   - blocks that had nothing to do, but so few that the exchanged launch would have none, or
 *     dynamic shared memory of 1 to 16 bytes a block. */
void complaint_exchanged(const struct launch *launch, size_t idle);

#endif
