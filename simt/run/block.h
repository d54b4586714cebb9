/* Runs one CUDA block (block.c) and all blocks of a launch by turns (pool.c); groups of threads
 * (group.c); and the timer that looks whether a launch gets any further (watchdog.c). */
#pragma once

#include "run/observer.h"

/* ---- one block ---- */

/* A struct block that is not resident, with stacks for so many threads; NULL when memory is short.
 * few_guards: if a new one is made, it has few guard pages (fiber.h). */
struct block *block_find(unsigned threads, bool few_guards);

/* Begins the block of this number of the launch. */
void block_begin(struct block *block, const struct launch *launch, uint32_t number);

/* Runs the block on. True: it has ended. False: it rests, because every thread that could run only
 * polls memory that nobody changes, or waits for other blocks, or because it was disturbed. A
 * deadlock is told to the observer and ends the program. */
bool block_continue(struct block *block, bool *disturbed);

/* Is every thread of a block that rests in a state in which it was at an earlier call? Then none of
 * them gets any further unless memory changes. After a change the earlier states no longer count:
 * block_forget_states forgets them. */
bool block_repeats(struct block *block);
void block_forget_states(struct block *block);

/* Threads that have ended so far, of all blocks. */
extern uint64_t block_threads_ended;

/* A lane of the warp has ended: finishes the warp operations that waited for that lane alone. */
void warp_lane_ended(struct block *block, struct warp *warp);

/* Writes which lanes are missing from the group in whose operation the lane waits, or which has
 * gone on without them: "tile of 8 lanes: lanes 3 and 5 have not come". Returns text. */
const char *group_missing(const struct lane *lane, char *text, size_t room);

/* A launch begins: no block has come to its grid's barrier. */
void grid_begin(const struct launch *launch);

/* ---- all blocks of a launch ----
 *
 * They run in order, on the OS thread that launches: so a block that waits for an earlier one finds
 * that one ended, or at rest. A block whose threads only wait hands its turn to another one, which
 * may rest as well or not have begun; the bytes of their __shared__ variables change places. So a
 * grid that waits for itself runs as on a GPU, as long as the simulated device holds all of its
 * blocks at once. A grid that is too large, and blocks that can never go on, end the program
 * through the observer. */

/* Runs all blocks and returns when they have ended. One call at a time. at_once: blocks that the
 * device holds at once. */
void pool_run(const struct launch *launch, size_t at_once);

/* ---- the watchdog ----
 *
 * A lane may come to no hook for a while: in a loop that was compiled without hooks, or where
 * nobody observes. The watchdog makes it rest at its next hook, or where it is. When no thread of a
 * launch has ended for 5 seconds of the processor's time, there is something to be told as soon as
 * the block rests; likewise after SIMT_WATCHDOG seconds (60; 0: never), and at SIGINT, SIGTERM and
 * the like, unless the program handles these itself. */

/* From here on a signal that ends the program, and that the program does not handle itself, lets
 * the program tell its findings first. */
void watchdog_handle(void);

/* A launch begins, and has ended. */
void watchdog_begin(void);
void watchdog_end(void);

/* Returns, once, what there is to be told of the launch: its kind (STALL_NONE: nothing), seconds
 * and signal are set. */
struct stall watchdog_calls(void);
