/* What is judged of the blocks that run in one place (run/block.h): each access and operation of
 * their warps goes to the checks that it concerns. What they find are findings (finding.h). */
#pragma once

#include "judge/race.h"
#include "run/observer.h"
#include "watch/hooks.h"
#include "watch/space.h"

/* As the observer is told (observer.h), a place's first block included; ends the program when
 * memory is short. */
void judge_block_begin(struct block *block);
void judge_block_end(struct block *block);
void judge_warp_meets(struct block *block, unsigned warp, enum simt_warp_op op, unsigned lanes,
                      unsigned mask);
void judge_barrier(struct block *block, const struct lane *first);

void judge_copy_made(const struct lane *lane, const struct copy *copy);
void judge_grid_passed(const struct lane *lane, const void *word);

/* As a listener is told (watch/hooks.h). */
enum access_verdict judge_access(const struct lane *lane, const struct lane_access *access);
bool judge_synchronises(const struct lane *lane, enum event_kind kind, uint64_t what);
void judge_jumps(const struct lane *lane, uint64_t from, uint64_t to);

/* As the observer is told. */
void judge_freed(const void *begin, size_t size);

/* The launch has ended, and so have its blocks. */
void judge_launch_end(const struct launch *launch);

/* ---- the host (bounds.c, inflight.c) ---- */

/* May the host, in a file compiled with hooks, touch size bytes at address? Where that is the
 * device's alone it becomes a finding. */
bool bounds_host(uintptr_t address, unsigned size, bool store, const void *pc);

/* It is about to, by a volatile access (polls) or any other: it should have waited. pc: where. */
void inflight_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc);

/* It has asked for a copy or a fill that may still run; a launch has ended, which counts likewise.
 */
void inflight_transfer(const struct transfer *transfer);
void inflight_launch(const struct launch *launch);

/* A lane of a launch that may begin before the one before it has ended (Guide, "Programmatic
 * Dependent Launch and Synchronization") goes to global memory, while those of launch.beside
 * may still run: a finding where it meets what one of these does. */
void early_access(const struct lane *lane, const struct touch *touch, uint64_t beside);

/* ---- bounds.c: may a kernel touch this? ---- */

/* An access that would go to that space and is not known to be allowed: may the lane make it? If
 * not, it becomes a finding, and where there is no memory at all the program ends. A read of a
 * constant that nobody has set becomes a note. */
bool bounds_allow(const struct lane *lane, const struct lane_access *access,
                  enum count_space space);

/* An access, allowed, whose address is no multiple of its size: a finding, if that is certain. */
void bounds_misaligned(const struct lane *lane, const struct lane_access *access);

/* ---- garbage.c: reads of what nobody has written ---- */

/* What one place (run/block.h) keeps of the block that runs there; all zero at first. */
struct garbage {
    uint64_t *shared;              /* a bit for each byte of shared memory, as written_bits */
    bool piece_written[MAX_LANES]; /* of the structure that the thread is reading piece by piece */
};

/* An access, in the order in which they are made. An atomic reads, too; an exchange counts as a
 * store, since its result may be thrown away. Is it one of operations, to bytes of which nobody had
 * written some? */
bool garbage_access(struct garbage *garbage, const struct lane *lane, const struct touch *touch);

/* The host copies bytes: a note, if nobody has written some. */
void garbage_copied(const void *from, size_t size, const void *pc);

/* ---- pointer.c: does a block use a pointer to another block's shared memory? ---- */

/* What one place keeps of the block that runs there. */
struct pointers {
    uint64_t last[MAX_LANES]; /* the pointer that the thread took last; 0: none, or it is used */
};
extern unsigned pointer_taken; /* how many pointers blocks of this launch took; 0 forgets them */

/* The lane loads from global memory, whose words these lists are of (words NULL: from shared
 * memory), or has an atomic on it. */
void pointer_load(struct pointers *pointers, const struct lane *lane,
                  const struct lane_access *access, const struct entry *words);

/* The lane makes an access, while pointer_taken is not 0. */
void pointer_use(struct pointers *pointers, const struct lane *lane,
                 const struct lane_access *access);

/* ---- barrier.c: do all threads of a block come to the same barrier, in the same turn? ---- */

/* Loops around one barrier, nested or one after the other; more are not looked at. */
enum { MAX_BACK_JUMPS = 8 };

/* What one place keeps of the block that runs there. What is in front of `jump` is all zero at
 * first. */
struct barrier {
    bool diverged; /* told already: later barriers only show the consequences */
    uint8_t jumps[MAX_LANES];
    struct back_jump {
        uint64_t from, to;             /* positions in the program */
        unsigned count;                /* how often the lane has made it since its last barrier */
    } jump[MAX_BACK_JUMPS][MAX_LANES]; /* of most lanes there is one */
};

/* The thread jumps back, from the end of the basic block of this key to the begin of another. */
void barrier_jump(struct barrier *barrier, unsigned thread, uint64_t from, uint64_t to);

/* All living threads of the block have come to a barrier, first before all others. A divergent
 * barrier becomes a finding. */
void barrier_check(struct barrier *barrier, const struct block *block, const struct lane *first);

/* ---- what the program did wrong in its calls, and what kernels cannot go on after (complaint.c)
 * ---- */

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

/* ---- launches that get no further: slow ones, stopped ones, and those that never will (stall.c)
 * ---- */

/* Where the threads of the blocks that have begun are, the most first, `between` them: "31
 * threads wait at __syncthreads (x.cu:12), 1 thread is at work at x.cu:10". Returns text. */
const char *stall_places(const struct stall *stall, const char *between, char *text, size_t room);

/* One line on stderr: the launch is slow, or interrupted. */
void stall_tell(const struct stall *stall);

/* The launch was stopped, or can never go on: a finding, where the threads wait for each other, or
 * for blocks that cannot begin; else, or without checks, why nothing more is judged (run/end.h). */
void stall_judge(const struct stall *stall, bool checks);
