/* Tells of launches that get no further: slow ones, stopped ones, and those that never will. */
#ifndef SIMT_STALL_H
#define SIMT_STALL_H

#include "run/observer.h"

#include <stddef.h>

/* Where the threads of the blocks that have begun are, the most first, `between` them: "31
 * threads wait at __syncthreads (x.cu:12), 1 thread is at work at x.cu:10". Returns text. */
const char *stall_places(const struct stall *stall, const char *between, char *text, size_t room);

/* One line on stderr: the launch is slow, or interrupted. */
void stall_tell(const struct stall *stall);

/* The launch was stopped, or can never go on: a finding, where the threads wait for each other, or
 * for blocks that cannot begin; else, or without checks, why nothing more is judged (run/end.h). */
void stall_judge(const struct stall *stall, bool checks);

#endif
