/* Runs one CUDA block (block.c), its lanes by turns (schedule.c, poll.c), and all blocks of a
 * launch by turns (pool.c); groups of threads (group.c); and the timer that looks whether a launch
 * gets any further (watchdog.c). */
#pragma once

#include "run/observer.h"

/* ---- one block ---- */

/* A struct block that is not resident, with stacks for so many threads; NULL when memory is short.
 * few_guards: if a new one is made, it has few guard pages (lane.h). */
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

/* Which lanes are missing from the group in whose operation the lane waits, or which has gone on
 * without them: "tile of 8 lanes: lanes 3 and 5 have not come". It stays until the next call. */
const char *group_missing(const struct lane *lane);

/* A launch begins: no block has come to its grid's barrier. */
void grid_begin(const struct launch *launch);

/* ---- the lanes of a block (schedule.c) ----
 *
 * A lane runs until it waits or ends, and then switches straight to the next lane that is ready. If
 * none is ready, schedule_run returns: all lanes have ended, or the others wait for something that
 * cannot come, or the block rests. */

/* Runs the block's lanes until none can run or the block rests. Begins with its first lane that is
 * ready, or goes on where the block rested. */
void schedule_run(struct block *block);

/* The running lane waits until somebody makes it ready again; other lanes run meanwhile. pc: where
 * it waits, for reports. */
void schedule_wait(struct lane *self, enum wait why, const void *pc);

/* The two halves of schedule_wait, for callers that do something in between. */
void schedule_stop(struct lane *self, enum wait why, const void *pc);
void schedule_next(struct lane *self);

/* Switches to another lane, of this or another block. */
void schedule_switch(struct lane *self, struct lane *next);

/* All lanes of the warp wait: makes those ready that stand together at an __activemask. Returns
 * whether there are any. */
bool schedule_converge(struct block *block, unsigned warp);

/* The next number of the block's random generator. */
unsigned schedule_random(struct block *block);

/* Lets all other ready lanes run before the running one goes on. */
void schedule_yield(struct lane *self);

/* ---- lanes that poll (poll.c) ---- */

/* Yields for a lane that waits in a loop: it has looked at memory and found nothing new. The block
 * rests when all lanes that can run have done so, and nothing has changed. */
void schedule_poll(struct lane *self);

/* Clears the memory below the stack pointer, where earlier calls have left their data. The stack of
 * a lane that polls shows whether the lane repeats itself (block_repeats), so it must contain
 * nothing of ours that differs from turn to turn. */
void schedule_wipe_stack(void);

/* The running lane has looked at this word and found nothing new. It counts as polling the word
 * until it does something else. Only in programs with fences: in others it does not matter which
 * values a polling lane has seen. */
void schedule_looks_at(struct lane *self, const void *word);
void schedule_polls_no_more(struct lane *self);

/* The running lane has changed the word. All lanes of any block that poll the word look at it
 * before the running lane goes on, so that they leave their loop at the first value that lets them.
 * Each has a turn, which ends when it has looked or has to wait. A launch has a limited number of
 * these turns; schedule_launch_begins starts their count. */
void schedule_show(struct lane *self, const void *word);
void schedule_launch_begins(void);

/* The lanes that wait while others look at what they have changed: a stack, linked by `shows`. */
extern struct lane *schedule_showing;

/* The running lane has looked at a word. If it had its turn just for that, the turn ends here, and
 * true is returned at the beginning of its next turn. */
bool schedule_has_looked(struct lane *self);

/* The running lane has done something that others can see: by chance, other lanes or other blocks
 * run before it goes on. A launch lets other blocks do so a limited number of times. */
void schedule_overtake(struct lane *self);

/* Makes the block of the running lane rest. */
void schedule_rest(struct lane *self);

/* The block has got further, and its patience begins anew. A block that gets no further for too
 * long is disturbed, so that other blocks have their turn. That is counted in work, not in time, so
 * that a program runs the same way on a busy computer as on an idle one. A lane that stops is 1
 * unit of work, a full log WORK_OF_LOG. by_barrier: by a barrier, not by a thread's end. */
enum { WORK_OF_LOG = 64 };
void schedule_progress(struct block *block, bool by_barrier);

/* Is the address in shared memory, as kernels find it? */
bool schedule_is_shared(const void *p);

/* Moves the block's shared memory to where kernels find it. The shared memory of the block that had
 * it there before is kept, unless that block has ended. */
void schedule_load(struct block *block);

/* ---- warp operations (warp.c) ---- */

/* The results of these lanes, computed from their values. from: of a shuffle, the lane whose value
 * each lane gets; if that is not one of these lanes, the result is undefined. */
void warp_results(enum simt_warp_op op, unsigned lanes, const uint64_t value[WARP_SIZE],
                  const int from[WARP_SIZE], uint64_t result[WARP_SIZE]);

/* A shuffle that reads a lane that takes no part: its value is undefined. */
struct origin {
    const void *pc;
    int lane, from; /* the reading lane of the warp, and the lane that takes no part */
    int rank;       /* the reading lane's `rank`; -1: it is in no group */
    unsigned mask;
};

/* Complains at the shuffle. lane: any of the warp. use: what depends on the value, as the end of a
 * sentence. */
void warp_tell_origin(const struct lane *lane, const struct origin *origin, const char *use);

/* ---- shadows (stray.c): is the undefined value of a shuffle used? ----
 *
 * A shuffle from a lane that takes no part gives an undefined value. Many reductions of a part of a
 * warp get such a value and discard it, which is right. So a lane that got one has shadows from
 * then on: copies of the thread that run as it does, each with another value in place of the
 * undefined one. As long as a shadow changes memory as its lane does, and comes to the same
 * barrier, atomic or other deed that other threads can see, the value is not used. Where they
 * differ, it is used, which is a complaint (observer.h). Other lanes that read a shadow's value by
 * a shuffle, vote or the like get shadows, too. A shadow ends when its registers and stack equal
 * its lane's. */

/* A thread's deeds that others can see. */
enum stray_deed {
    DEED_WARP,
    DEED_BARRIER,
    DEED_ATOMIC,
    DEED_FENCE,
    DEED_OTHER, /* it lets time pass, or others run */
    DEED_LOOK,  /* a volatile load */
    DEED_END,
    DEED_FAILS /* it cannot go on; a: the address without memory */
};

struct deed {
    enum stray_deed kind;
    uint64_t a, b, c; /* its arguments: lane and shadow differ if these do */
    uint64_t value;   /* of a warp operation the operand, */
    int from;         /* and the source lane: these may differ */
};

/* A lane that has strayed is about to do this. True: it is a shadow that runs; its lane has done
 * the deed, and the calling function must return at once. */
bool stray_meets(struct lane *lane, const struct deed *deed);

#define STRAY_AT(lane, ...)                                                                        \
    (__builtin_expect((lane)->strayed, 0) && stray_meets(lane, &(struct deed){__VA_ARGS__}))

/* The result of the lane's warp operation, for it or the shadow that runs. Shadows begin here. */
uint64_t stray_result(struct lane *lane);

/* Does a shadow run instead of its lane? The shadow that runs cannot go on, because there is no
 * memory at the address; NULL: for another reason. FATAL_SOMEWHERE: nothing is known of it any
 * more. Also called in a signal's handler. */
bool stray_is_shadow(void);
void stray_fails(const void *address) __attribute__((noreturn));

/* The lane, or its shadow, is about to store size bytes. size 0: a shadow has taken another step,
 * and ends after too many of them. */
void stray_stores(struct lane *lane, uintptr_t address, size_t size);

/* The lane, or its shadow, is about to load these bytes by a volatile load. */
void stray_looks(struct lane *lane, uintptr_t address, size_t size);

/* The warp operation of these lanes is complete, and each has its result. Sets the results of their
 * shadows. sources: of a shuffle, the lane whose value each lane asks for. */
void stray_spread(struct lane *lanes, enum simt_warp_op op, unsigned arrived,
                  const int sources[WARP_SIZE]);

/* ---- all blocks of a launch (pool.c) ----
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

/* ---- launches (launch.c) ---- */

/* "64", "64x2" or "64x2x2", with this text for the x. */
struct launch_size {
    char text[40];
} launch_size(dim3 size, const char *times);

/* Keeps launches from beginning until launch_release. False if one runs, as on another thread of
 * the host's; then there is nothing to release. */
bool launch_hold(void);
void launch_release(void);

/* The host is about to make an object with virtual functions in memory from CUDA's calls. If it is
 * managed or pinned, the pointer to its table is a mark (symbols.h) while a kernel runs. */
void launch_made_object(void **object);
