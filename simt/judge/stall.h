/* Tells of launches that get no further: slow ones, stopped ones, and those that never will. */
#ifndef SIMT_STALL_H
#define SIMT_STALL_H

#include "run/observer.h"

#include <stddef.h>

/* Where the threads of the blocks that have begun are, the most first, `between` them: "31
 * threads wait at __syncthreads (x.cu:12), 1 thread is at work at x.cu:10". Returns text. */
const char *stall_places(const struct stall *stall, const char *between, char *text, size_t room);

/* One line on stderr: the launch is slow. */
void stall_tell_slow(const struct stall *stall);

/* One line on stderr: the program is interrupted there. */
void stall_tell_signal(const struct stall *stall);

/* The threads wait for each other, or for blocks that cannot begin: a finding. */
void stall_find(const struct stall *stall);

/* The launch was stopped, or cannot go on here: why nothing more is judged (run/end.h). */
void stall_not_judged(const struct stall *stall);

/* Instead of a finding, which it may not be: on a GPU the host goes on while the kernel runs. */
bool stall_may_wait_for_host(const struct stall *stall);
void stall_waits_for_host(const struct stall *stall);

/* The same for a kernel that launches a kernel. */
void stall_nested_launch(const struct lane *lane, const struct simt_site *site);

#endif
