/* Inside the CPU backend: what is run. A launch, its blocks, their warps, and the lanes of these.
 *
 * A struct block is reused for one CUDA block after the other; blocks that wait for each other have
 * one each (pool.c). Every CUDA thread ("lane" of its warp) is a fiber. Exactly one fiber of a
 * block runs at a time, until it waits (barrier, warp operation) or ends; then it picks the next
 * one itself (schedule.h). */
#pragma once

#include "run/fiber.h"
#include "run/event.h"
#include "simt_device.h"

#include <stdbool.h>

enum { WARP_SIZE = 32, MAX_WARPS = 32, MAX_LANES = WARP_SIZE * MAX_WARPS, LANE_STATES = 8 };

/* One launch; read only. */
struct launch {
    struct simt_site site;
    dim3 grid, block;
    unsigned threads; /* per block */
    unsigned number;  /* 1 for the program's first launch */
    unsigned order;   /* seed that shuffles blocks and lanes; 0: as numbered */
    size_t shared;
    void (*entry)(void *);
    void *args;
    unsigned stream;
    bool cooperative; /* its blocks may wait for each other */
    uint64_t beside;  /* it may run beside launch number - 1 - i, of its stream: bit i. It can wait
                         for that of bit 0; the others that one has not waited for */
};

enum wait { WAIT_NOTHING, WAIT_BARRIER, WAIT_WARP, WAIT_CONVERGE, WAIT_LOG, WAIT_GRID };

/* One CUDA thread. What every switch and every hook needs comes first, in two cache lines: a block
 * of 256 threads has more of these than fit in the first-level cache. */
struct lane {
    fiber_t fiber;
    struct block *block;
    const void *pc; /* where it waits: the instruction after the call in the kernel */
    unsigned index; /* in the block: warp index / 32, lane index % 32 */
    uint8_t wait;   /* enum wait */
    uint8_t group;  /* enum simt_group: whose warp operation it is, or was */
    bool begun;
    bool strayed; /* what it does may depend on a value that is undefined (stray.h) */
    struct log log;
    uint3 thread_idx;
    const void *interrupted; /* in front of this instruction; NULL: it is not */
    /* the warp operation it waits in, and what that gave */
    enum simt_warp_op op;
    unsigned mask;
    int source; /* of a shuffle the lane whose value it gets, else itself */
    int rank;   /* that a group's shuffle asked for, and nobody has; else -1 */
    uint64_t value, result;
    bool block_scope; /* its next atomic has block scope */
    uint8_t form;     /* of its next atomic: enum simt_atomic_form */
    bool unseen_mask; /* the mask of the warp operation it waits in, or of its next, is
                         __activemask()'s, and the program has not looked at it */
    unsigned batches; /* calls of memcpy_async */
    uint16_t states;  /* so many have been kept in state[] */
    unsigned row;     /* the block's, when the lane last looked for what it waits for */
    /* polling: the address of the last atomic that changed nothing, and how often in a row */
    const void *polled;
    unsigned polls;
    const void *looks;           /* the word that it last looked at in a loop in which nothing
                                    changed; NULL: at none */
    const void *looks_at;        /* the word that it polls, as others know it; NULL: none */
    struct lane *shows;          /* the next of schedule_showing */
    uint64_t state[LANE_STATES]; /* its last states when its block rested */
} __attribute__((aligned(64)));

/* Of an even number of cache lines, the same lines of all lanes would share few of the cache's
 * sets. */
_Static_assert(sizeof(struct lane) / 64 % 2 == 1, "struct lane has an odd number of cache lines");

/* Lanes of one warp as bit masks. A group is a warp operation in progress: the lanes that have
 * come so far with the same operation and mask. */
struct warp {
    unsigned alive, ready;
    uint64_t loaded; /* bytes that it has loaded from global memory, as far as that is counted */
    int groups;
    struct {
        enum simt_warp_op op;
        unsigned mask, arrived;
    } group[WARP_SIZE];
};

/* A copy of `size` bytes to shared memory that a thread has begun by memcpy_async, and that is
 * there only when it has waited. batch: how many memcpy_async the thread had called before. */
struct copy {
    void *to;
    const void *from, *pc; /* pc: the return address of the call */
    unsigned thread, batch;
    uint8_t size;
};

/* Those of a block. */
struct copies {
    struct copy *copy;
    size_t count, room;
};

struct block {
    const struct launch *launch;
    uint3 index;
    void *watcher, *judge; /* what these rooms keep of this place; NULL: nothing yet */
    struct fiber_stacks stacks;
    uint32_t number; /* linear index in its grid */
    unsigned warps, alive;
    uint64_t random; /* state of the generator that shuffles lanes; 0: they run as numbered */
    bool overtakes;  /* so may lanes and blocks overtake each other behind atomics: even seeds */
    unsigned at_barrier, votes;          /* the barrier in progress: how many have come, */
    const struct lane *first_at_barrier; /* who first */
    unsigned barrier_votes;              /* what the last one gave */
    /* does it get any further? */
    uint64_t progress;       /* threads that ended and barriers that were passed */
    unsigned work, patience; /* what its threads have done since, and how much they may; */
    uint64_t worked;         /* since one of them ended, up to the last barrier */
    unsigned pollers;        /* lanes whose looks_at is not NULL */
    unsigned still;          /* looks of polling lanes in a row that found nothing new, */
    uint64_t since;          /* since this lane_activity; */
    unsigned row, looked;    /* the number of that row; how many lanes looked in it */
    bool rests;              /* all that could run poll: others shall have their turn */
    bool waits;              /* nobody can run before all blocks have come to the grid's barrier */
    volatile bool disturbed; /* the watchdog wants it to rest */
    bool endless;            /* a lane goes round without looking at memory */
    bool few_guards;
    const struct lane *rested; /* the lane that ran when it rested; NULL: it never has */
    struct block *next;        /* of all that there are */
    bool resident;             /* it has begun and not ended */
    char *shared;              /* its shared memory, while another's is where kernels find it: */
    bool saved;                /* so it is */
    size_t shared_room;        /* bytes that fit there */
    /* the pool's (pool.c) */
    bool fixed;           /* since anybody did anything, its threads only repeat themselves */
    uint64_t stamp;       /* lane_activity when it last rested */
    struct copies copies; /* that its threads have begun and not waited for */
    struct warp warp[MAX_WARPS];
    struct stray *stray[MAX_LANES];  /* of lanes that have strayed; NULL: of none yet */
    struct lane lane[MAX_LANES + 2]; /* two more, so that schedule.c may look ahead */
};

/* Grows with everything that a thread does to memory (plain stores only where they are observed),
 * or that gets it further: barriers, warp operations, its end; and when one looks at the clock. */
extern uint64_t lane_activity;

/* For each lane i of a mask, the lowest first. */
#define EACH_LANE(i, lanes)                                                                        \
    for (int left_ = (int)(lanes), i; left_ && (i = __builtin_ctz((unsigned)left_), true);         \
         left_ &= left_ - 1)

/* Has the lane, of this index in the block, not ended? */
static inline bool lane_is_alive(const struct block *block, unsigned index)
{
    return block->warp[index / WARP_SIZE].alive >> index % WARP_SIZE & 1;
}

/* ---- atomic operations and fences (atomic.c) ---- */

/* Does the program's code have fences anywhere? If not, atomics order nothing. */
bool atomic_program_has_fences(void);

/* And any whose scope is the block? */
bool atomic_program_has_block_fences(void);

/* Was the last operation on this word of global memory, in a launch that had one, made by this
 * block and, unless thread is negative, this thread of it? Only in programs without fences; false
 * where another word has taken its place in a table. */
bool atomic_last_was(const void *word, uint32_t block, int thread);

/* ---- what runs ---- */

/* All that there ever were, by their `next`; each is used for one CUDA block after the other. */
extern struct block *block_list;

/* The CUDA thread that runs on this OS thread, NULL outside kernels. */
extern __thread struct lane *simt_current_lane;
