/* What is judged of the blocks that run in one place (run/pool.h): each access and operation of
 * their warps goes to the checks that it concerns. What they find are findings (finding.h). */
#ifndef SIMT_JUDGE_H
#define SIMT_JUDGE_H

#include "watch/space.h"

struct judge;

/* Ends the program when memory is short. */
struct judge *judge_new(void);

void judge_block_begin(struct judge *judge, const struct block *block);
void judge_block_end(struct judge *judge);

/* It gets no further, and what it did is judged all the same. */
void judge_block_stops(struct judge *judge);

/* A request of a warp, allowed (bounds.h), to global or to shared memory. one_array: all lanes are
 * known to touch the same array, an allocation or variable. read_pc, of an atomicCAS: as
 * race_excuse takes it. */
void judge_access(struct judge *judge, const struct warp_event *event, unsigned warp,
                  enum count_space space, bool one_array, const uint32_t read_pc[WARP_SIZE]);

/* As hooks_synchronises is told (watch/hooks.h). */
void judge_synchronises(struct judge *judge, const struct lane *lane, enum event_kind kind,
                        uint64_t what);

/* Anything else that lanes of a warp did together. */
void judge_operation(struct judge *judge, const struct warp_event *event, unsigned warp);

/* As the observer is told (observer.h). */
void judge_barrier(struct judge *judge, const struct lane *first);
void judge_stray_shuffle(const struct lane *lane, const struct stray *stray);
void judge_unseen_mask(const struct lane *lane);
void judge_width(const struct lane *lane, int width);
void judge_host_overrun(size_t most, size_t asked, bool written, const void *pc);
void judge_freed(const void *begin, size_t size);
void judge_division(const struct lane *lane, const void *pc);

/* The launch has ended, and so have its blocks. */
void judge_launch_end(const struct launch *launch);

/* The program ends, with this status of its own. */
void judge_program_end(int status);

#endif
