/* The checks, and what hands events to them.
 *
 * To add a check: give it a file of its own that begins with its rule and the rule's source;
 * declare it here, with its state in one struct. Call it from judge.c:
 *   - `take`, if it looks at accesses, atomics among them;
 *   - `judge_warp_meets` or `judge_barrier`, if it looks at warps or blocks that synchronise;
 *   - `judge_launch_end`, if it judges a launch as a whole.
 * Add its kind to run/kinds.csv and a section to FINDINGS.md, and give it twins in tests/twins: the
 * wrong program, and the right one that looks like it. */
#pragma once

#include "judge/race.h"
#include "run/observer.h"
#include "watch/hooks.h"
#include "watch/space.h"

/* ---- judge.c: events, as the observer (run/observer.h) is told of them ---- */

/* Also sets up a place for its first block; ends the program when there is no memory. */
void judge_block_begin(struct block *block);
void judge_block_end(struct block *block);
void judge_warp_meets(struct block *block, unsigned warp, enum simt_warp_op op, unsigned lanes,
                      unsigned mask);
void judge_barrier(struct block *block, const struct lane *first);
void judge_copy_made(const struct lane *lane, const struct copy *copy);
void judge_grid_passed(const struct lane *lane, const void *word);
void judge_freed(const void *begin, size_t size);

/* ... and as the listener (watch/hooks.h) is. */
enum access_verdict judge_access(const struct lane *lane, struct lane_access access);
bool judge_synchronises(const struct lane *lane, enum event_kind kind, uint64_t what,
                        enum effect effect);
void judge_jumps(const struct lane *lane, uint64_t from, uint64_t to);

/* The launch has ended, and so have its blocks. */
void judge_launch_end(const struct launch *launch);

/* Defined by the rewriter if the program has structures of its own (compile/calls.c). */
extern const char simt_structures[] __attribute__((weak));

/* ---- bounds.c: may this be touched? ---- */

/* May the lane make an access that goes to this space? If not, adds a finding; if there is no
 * memory at the address, ends the program. A read of a constant that nobody set is a note. */
bool bounds_allow(const struct lane *lane, struct lane_access access, enum count_space space);

/* Adds a finding for an allowed access whose address is no multiple of its size. */
void bounds_misaligned(const struct lane *lane, struct lane_access access);

/* May the host, in a file compiled with hooks, touch size bytes at address? If not, adds a finding.
 * pc: where. */
bool bounds_host(uintptr_t address, unsigned size, bool store, const void *pc);

/* ---- garbage.c: is memory read that nobody has written? ---- */

/* Of the block that runs in one place (run/block.h); all zero at first. */
struct garbage {
    uint64_t *shared;              /* a bit for each byte of shared memory: it was written */
    bool piece_written[MAX_LANES]; /* of the structure that the thread is reading piece by piece,
                                      some byte was written */
};

/* Judges an access that is about to be made. An atomic reads, too; an exchange counts as a store
 * where the source does not show that its result is used. True: it is an operation on bytes that
 * nobody had written completely. */
bool garbage_access(struct garbage *garbage, const struct lane *lane, const struct touch *touch);

/* The usual case of a plain access, in few steps: the thread loads bytes (a mask) of this word that
 * were all written, or stores them. bits: as memory_bits. */
static inline bool garbage_is_written(uint64_t *bits, size_t word, unsigned bytes, unsigned kind)
{
    uint64_t these = (uint64_t)bytes << 4 * word % 64;

    if (kind == EVENT_STORE)
        bits[word / 16] |= these;
    return (~bits[word / 16] & these) == 0;
}

/* The host copies size bytes: adds a note if some were never written. */
void garbage_copied(const void *from, size_t size, const void *pc);

/* ---- inflight.c: is memory touched that a kernel or copy may still use? ---- */

/* The host is about to touch memory, by a volatile access (polls) or any other. pc: where. */
void inflight_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc);

/* The host has asked for a copy or a fill, or for a launch, which has ended here. */
void inflight_transfer(const struct transfer *transfer);
void inflight_launch(const struct launch *launch);

/* The lane is about to make an access, while copies of its block by memcpy_async are in flight. */
void inflight_async(const struct lane *lane, struct lane_access access);

/* Of the block that runs in one place; all zero at first. */
struct inflight {
    unsigned passed[2][MAX_WARPS]; /* by enum passed: masks of the lanes that come behind it */
};

/* The lane makes an access, in a launch that may run beside earlier ones (launch.beside). */
void inflight_beside(const struct inflight *inflight, const struct lane *lane,
                     const struct touch *touch);

/* The lane passes cudaGridDependencySynchronize, or a fence. */
enum passed { PASSED_WAIT, PASSED_FENCE };
void inflight_pass(struct inflight *inflight, const struct lane *lane, enum passed what);

/* These lanes of so many warps, from the first on, meet. */
void inflight_meet(struct inflight *inflight, unsigned first, unsigned warps, unsigned lanes);

/* ---- pointer.c: does a block use a pointer to another block's shared memory? ---- */

/* Of the block that runs in one place; all zero at first. */
struct pointers {
    uint64_t last[MAX_LANES]; /* the pointer that the thread took last; 0: none */
};
extern unsigned pointer_taken; /* how many pointers blocks of this launch took; 0 forgets them */

/* The lane loads from global memory, or has an atomic on it. words: the lists of its words; NULL:
 * it loads from shared memory. */
void pointer_load(struct pointers *pointers, const struct lane *lane, struct lane_access access,
                  const struct entry *words);

/* The lane makes an access, while pointer_taken is not 0. */
void pointer_use(struct pointers *pointers, const struct lane *lane, struct lane_access access);

/* ---- barrier.c: do all threads of a block come to the same barrier, in the same turn? ---- */

/* At most so many loops around one barrier, nested or one after the other, are looked at. */
enum { MAX_BACK_JUMPS = 8 };

/* Of the block that runs in one place. All members in front of `jump` are zero at first. */
struct barrier {
    bool diverged;     /* a finding was added: later barriers only show its consequences */
    unsigned suspects; /* how many jumps are suspects, below */
    unsigned jumps;    /* how many different ones its threads have made since their last barrier, */
    struct back_jump {
        uint64_t from, to; /* positions in the program (run/event.h) */
    } jump[MAX_BACK_JUMPS];
    uint32_t count[MAX_BACK_JUMPS][MAX_LANES]; /* and how often each thread has made it */
    struct back_jump suspect[MAX_BACK_JUMPS];  /* of which two threads at a barrier made other */
    bool left[MAX_BACK_JUMPS][MAX_LANES];      /* numbers; has the thread left it by another way? */
    struct finding suspicion;                  /* what it is if the barrier lies in such a loop */
};

/* The thread jumps back, from the end of the basic block of this key to the begin of another. */
void barrier_jump(struct barrier *barrier, unsigned thread, uint64_t from, uint64_t to);

/* All living threads of the block have come to a barrier, `first` before all others. */
void barrier_check(struct barrier *barrier, const struct block *block, const struct lane *first);

/* ---- complaint.c: wrong calls, errors that nobody looked at, exchanged launches ---- */

/* Adds a finding. */
void complaint_judge(const struct complaint *complaint);

/* The program ends, with this status of its own. */
void complaint_program_end(int status);

/* A block has ended, and touched memory or not; all have. */
void complaint_block_end(bool touched);
void complaint_launch_end(const struct launch *launch);

/* ---- fatal.c: what a kernel cannot go on after ---- */

/* Adds a finding or, where it is a limit of the backend, says why nothing more is judged. */
void fatal_judge(const struct fatal *fatal);

/* ---- stall.c: launches that get no further ---- */

/* Where the threads of the blocks that have begun are, by source lines, the most first: "31 threads
 * wait at __syncthreads (x.cu:12), 1 thread is at work at x.cu:10". It stays until the next call.
 */
const char *stall_places(const struct stall *stall);

/* One line on stderr: the launch is slow, or interrupted. */
void stall_tell(const struct stall *stall);

/* The launch was stopped, or can never go on. Adds a finding if its threads wait for each other, or
 * for blocks that cannot begin; else, or without checks, says why nothing more is judged. */
void stall_judge(const struct stall *stall, bool checks);
