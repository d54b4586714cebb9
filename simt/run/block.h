/* Runs one CUDA block (block.c), and the blocks of a launch by turns (pool.c); and the timer that
 * looks whether they get any further (watchdog.c). */
#pragma once

#include "run/observer.h"

/* ---- one block ---- */

/* One that is not resident, with room for so many threads; NULL when memory is short. few_guards: a
 * new one saves the operating system's mappings (fiber.h). */
struct block *block_find(unsigned threads, bool few_guards);

/* Begins the block of this number of the launch. */
void block_begin(struct block *block, const struct launch *launch, uint32_t number);

/* Runs it on, to its end: then true; or until it rests: all of its threads that could run only poll
 * memory that nobody changes, or wait for other blocks, or it was disturbed. A deadlock is told to
 * the observer and ends the program. */
bool block_continue(struct block *block, bool *disturbed);

/* Is every thread of a block that rests in a state that it was in at an earlier call? Then none
 * gets any further unless memory changes. When it did, calls before that shall not count: their
 * states are forgotten. */
bool block_repeats(struct block *block);
void block_forget_states(struct block *block);

/* Threads that have ended so far, of all blocks. */
extern uint64_t block_threads_ended;

/* A lane of the warp has ended: finishes the operations that waited for nobody else. */
void warp_lane_ended(struct block *block, struct warp *warp);

/* What the lane that waits for others of its group, or has come with fewer than all, says of it:
 * "tile of 8 lanes: lanes 3 and 5 have not come". Returns text. */
const char *group_missing(const struct lane *lane, char *text, size_t room);

/* A launch begins: no block has come to its grid's barrier. */
void grid_begin(const struct launch *launch);

/* ---- those of a launch ----
 *
 * All run on the OS thread that launches, in order: so a block that waits for an earlier one always
 * finds it done, or at rest. A block whose threads only wait hands its turn to another: to one that
 * rests, too, or to one that has not begun; the bytes of their __shared__ variables change places.
 * So a grid that waits for itself runs as on a GPU, up to the blocks that the simulated device
 * holds at once; that, and blocks that can never go on, end the program through the observer. */

/* Runs all blocks and returns when they have ended. One call at a time. at_once: how many the
 * device holds. */
void pool_run(const struct launch *launch, size_t at_once);

/* ---- the watchdog ----
 *
 * A lane that comes to no hook for a while (of a loop that was compiled without, or where nobody
 * looks) is made to rest at the next one or where it is. After 5 seconds of the processor's time in
 * which no thread of a launch has ended there is something to be told as soon as it rests, and
 * after SIMT_WATCHDOG seconds (60; 0: never), at SIGINT, SIGTERM and the like, unless the program
 * handles these itself. */

/* From here on the program, when a signal ends it that it does not handle itself, first tells what
 * was found. */
void watchdog_handle(void);

void watchdog_begin(void);
void watchdog_end(void);

/* What there is to be told of the launch, once: kind (STALL_NONE: nothing), seconds and signal. */
struct stall watchdog_calls(void);
