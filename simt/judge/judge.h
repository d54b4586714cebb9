/* What is judged of the blocks that run in one place (run/pool.h): each access and operation of
 * their warps goes to the checks that it concerns. What they find are findings (finding.h). */
#ifndef SIMT_JUDGE_H
#define SIMT_JUDGE_H

#include "watch/hooks.h"
#include "watch/space.h"

struct judge;

/* Ends the program when memory is short. */
struct judge *judge_new(void);

void judge_block_begin(struct judge *judge, const struct block *block);
void judge_block_end(struct judge *judge);

/* As hooks_access and append_told are told (watch/hooks.h). */
enum access_verdict judge_access(struct judge *judge, const struct lane *lane,
                                 const struct lane_access *access);
void judge_stored(struct judge *judge, const struct lane *lane);

/* As hooks_synchronises is told (watch/hooks.h). */
bool judge_synchronises(struct judge *judge, const struct lane *lane, enum event_kind kind,
                        uint64_t what);

/* As hooks_jumps is told. */
void judge_jumps(struct judge *judge, const struct lane *lane, uint64_t key, uint32_t to);

/* As the observer is told (observer.h). */
void judge_warp_meets(struct judge *judge, unsigned warp, enum simt_warp_op op, unsigned lanes,
                      unsigned mask);
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
