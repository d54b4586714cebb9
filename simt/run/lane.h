/* The things that run: a launch, its blocks, their warps, and the lanes of a warp.
 *
 * Every CUDA thread is a fiber, and is called a lane, after its place in its warp. One fiber of a
 * block runs at a time. It runs until it waits or ends, and then chooses the next one (schedule.c).
 * A struct block is used again for one CUDA block after the other; the blocks of a grid that wait
 * for each other have one each (pool.c). */
#pragma once

#include "run/event.h"
#include "simt.h"
#include "simt_device.h"

#include <stddef.h>

/* ---- fibers (schedule.c, fiber.S): functions that can be left in the middle and resumed, each on
 * a stack of its own ----
 *
 * A switch saves the registers that a called function must preserve, and changes the stack pointer.
 * In assembly that takes a few nanoseconds; swapcontext() takes two hundred, because it makes a
 * system call. A fiber never changes its OS thread, so thread-local variables (CUDA's __shared__)
 * keep their addresses. */

/* The most local memory that a GPU gives a thread, and some more for the calls themselves. */
enum { FIBER_STACK_BYTES = (512 + 32) * 1024 };

/* A fiber at rest is its stack pointer; everything else lies on its stack. */
typedef void *fiber_t;

/* Stacks in one mapping, with an inaccessible guard page below each one; with few guards, below
 * every 32nd one, because each guard costs two of the 65530 mappings that Linux gives a program.
 * Memory is committed when it is first touched. All zero at first. */
struct fiber_stacks {
    char *base; /* of the mapping */
    int count;  /* stacks */
};

/* Makes sure that there are at least `count` stacks. If there are fewer, new ones replace them, and
 * what was on them is lost. False: there is no memory. */
bool fiber_stacks_fit(struct fiber_stacks *stacks, int count, bool few_guards);

/* The byte behind the highest one of stack number index, where the stack begins. */
char *fiber_stack_end(const struct fiber_stacks *stacks, int index);

/* A fiber that, when first switched to, calls run(arg) on stack number index; run never returns. */
fiber_t fiber_new(const struct fiber_stacks *stacks, int index, void (*run)(void *), void *arg);

/* Stores the running fiber in *from and continues `to`. Returns when somebody switches back. */
void fiber_switch(fiber_t *from, fiber_t to);

/* The same, faster, for a fiber that has not run yet. */
void fiber_enter(fiber_t *from, fiber_t to);

/* ---- a launch, its blocks, warps and lanes ---- */

enum { WARP_SIZE = 32, MAX_WARPS = 32, MAX_LANES = WARP_SIZE * MAX_WARPS, LANE_STATES = 7 };

/* One launch. Nobody changes it while it runs. */
struct launch {
    struct simt_site site;
    dim3 grid, block;
    size_t blocks;         /* of the grid */
    unsigned threads;      /* per block */
    unsigned number;       /* 1 for the program's first launch */
    unsigned order;        /* the seed that shuffles blocks and lanes; 0: as numbered */
    size_t shared;         /* bytes of dynamic shared memory per block */
    void (*entry)(void *); /* every thread calls entry(args) */
    void *args;
    unsigned stream;
    bool cooperative; /* its blocks may wait for each other */
    uint64_t beside;  /* bit i: it may run beside launch number - 1 - i of its stream, because
                         neither it nor a launch between them has waited for that one. It can still
                         wait for the launch of bit 0 */
};

/* How many blocks a grid of this size has, or threads a block; the place of one of them by its
 * number, which counts along x first. */
static inline size_t launch_volume(dim3 size)
{
    return (size_t)size.x * size.y * size.z;
}

static inline uint3 launch_place(unsigned number, dim3 size)
{
    return (uint3){number % size.x, number / size.x % size.y, number / size.x / size.y};
}

/* Why a lane does not run. */
enum wait {
    WAIT_NOTHING,
    WAIT_BARRIER,  /* at __syncthreads */
    WAIT_WARP,     /* in a warp operation, for the other lanes of its mask */
    WAIT_CONVERGE, /* at __activemask */
    WAIT_LOG,      /* for room in its log */
    WAIT_GRID      /* it polls at a grid's barrier, for the other blocks */
};

/* One CUDA thread. The fields that every switch and every hook needs come first, in two cache
 * lines: the lanes of a block of 256 threads do not fit into the first-level cache as a whole. */
struct lane {
    fiber_t fiber;
    struct block *block;
    const void *pc; /* where it waits: the instruction after the call in the kernel */
    unsigned index; /* in the block: warp index / 32, lane index % 32 */
    uint8_t wait;   /* enum wait */
    uint8_t group;  /* enum simt_group, of its last warp operation */
    bool begun;     /* its fiber has run */
    bool strayed;   /* what it does may depend on an undefined value (stray.c) */
    struct log log;
    uint3 thread_idx;
    const void
        *interrupted;     /* the watchdog has stopped it in front of this instruction; NULL: no */
    enum simt_warp_op op; /* the warp operation that it waits in, */
    unsigned mask;        /* the operation's mask, */
    int source;           /* of a shuffle the lane whose value it gets, else the lane itself, */
    int rank;             /* a rank that its group's shuffle asked for and no lane has, or -1, */
    uint64_t value;       /* the lane's operand, */
    uint64_t result;      /* and the operation's result for this lane */
    uint8_t form;       /* of the operation that it waits in, or of its next one: enum simt_form */
    unsigned batches;   /* calls of memcpy_async so far */
    uint16_t states;    /* states that state[] has kept so far */
    unsigned row;       /* block.row at the lane's last look in a polling loop */
    const void *polled; /* the address of its last atomic, if that changed nothing; else NULL */
    unsigned polls;     /* atomics in a row that changed nothing, see atomic.c */
    bool looks_around;  /* and these were on several addresses */
    const void *looks;  /* the word that it last read in a loop in which nothing changed;
                           NULL: none */
    const void *looks_at; /* the word that it polls, as far as other lanes know; NULL: none */
    struct lane *shows;   /* the lane below it on the stack schedule_showing */
    uint64_t state[LANE_STATES]; /* its last states when its block rested, */
    uint64_t kept;               /* and at that which the block has kept; 0: it could not run */
} __attribute__((aligned(64)));

/* With an even number of lines, the same one of all lanes would fall into few sets of the cache. */
_Static_assert(sizeof(struct lane) / 64 % 2 == 1, "struct lane has an odd number of cache lines");

/* A warp. Lanes are bits of a mask. */
struct warp {
    unsigned alive; /* lanes that have not ended */
    unsigned ready; /* lanes that can run */
    int groups;     /* warp operations in progress, */
    struct {
        enum simt_warp_op op;
        unsigned mask;
        unsigned arrived; /* lanes that have come with this operation and mask */
    } group[WARP_SIZE];   /* and each of them */
};

/* A copy to shared memory that a thread has begun by memcpy_async, and not yet waited for. */
struct copy {
    void *to;
    const void *from;
    const void *pc;  /* the return address of the call */
    unsigned thread; /* in the block */
    unsigned batch;  /* calls of memcpy_async that the thread had made before */
    uint8_t size;    /* bytes */
};

struct copies {
    struct copy *copy;
    size_t count, room;
};

struct block {
    const struct launch *launch;
    uint3 index;
    void *watcher; /* what watch/ keeps for this struct block; NULL: nothing yet */
    void *judge;   /* the same of judge/ */
    struct fiber_stacks stacks;
    uint32_t number;                     /* linear index in its grid */
    unsigned warps, alive;               /* warps; threads that have not ended */
    uint64_t random;                     /* state of the generator that shuffles its lanes; 0: they
                                            run as numbered */
    bool overtakes;                      /* even seeds: lanes and blocks overtake each other behind
                                            atomics */
    unsigned at_barrier;                 /* threads that have come to the barrier in progress, */
    unsigned votes;                      /* those of them whose predicate was not 0, */
    const struct lane *first_at_barrier; /* and the thread that came first; */
    bool at_places;                      /* another one's place in the program differs */
    unsigned barrier_votes;              /* votes of the last barrier that was passed */
    /* does it get any further? */
    uint64_t progress;         /* threads that have ended and barriers that were passed */
    unsigned work;             /* what its threads have done since (schedule_progress), */
    unsigned patience;         /* and how much they may do before others have their turn */
    uint64_t worked;           /* work since a thread ended, up to the last barrier */
    unsigned pollers;          /* lanes whose looks_at is not NULL */
    unsigned still;            /* looks in a row, by its polling lanes, that found nothing new */
    uint64_t since;            /* lane_activity at the last of these looks */
    unsigned row;              /* the number of that row of looks, */
    unsigned looked;           /* and the lanes that have looked in it */
    bool rests;                /* all lanes that could run poll: other blocks have their turn */
    volatile bool disturbed;   /* the watchdog wants it to rest */
    bool endless;              /* a lane loops without looking at memory */
    bool few_guards;           /* of its stacks */
    const struct lane *rested; /* the lane that ran when it last rested; NULL: it never has */
    struct block *next;        /* in block_list */
    bool resident;             /* it has begun and not ended */
    char *shared; /* its shared memory, while another block's is where kernels find it; NULL: it was
                     never away */
    bool fixed;   /* its threads only repeat themselves until anybody does anything */
    unsigned rests_compared; /* the rests since then of which the states were compared */
    uint64_t stamp;          /* lane_activity when it last rested */
    struct copies copies;    /* that its threads have begun and not waited for */
    struct warp warp[MAX_WARPS];
    struct stray *stray[MAX_LANES];  /* of lanes that have strayed; NULL: this one never has */
    struct lane lane[MAX_LANES + 2]; /* two more, so that schedule.c may prefetch */
};

/* Grows with everything that a thread does to memory (plain stores only where hooks see them), with
 * everything that gets a thread further (a barrier, a warp operation, its end), and when a thread
 * looks at the clock. As long as it stays the same, nothing has happened. */
extern uint64_t lane_activity;

/* Sums over all lanes and the host's calls, for exercises (runtime.c). */
extern struct simt_so_far lane_so_far;

/* Has the lane of this index in the block not ended? */
static inline bool lane_is_alive(const struct block *block, unsigned index)
{
    return block->warp[index / WARP_SIZE].alive >> index % WARP_SIZE & 1;
}

/* The lanes of a warp, in a block of so many threads. */
static inline unsigned lanes_of_warp(unsigned threads, unsigned warp)
{
    unsigned left = threads - warp * WARP_SIZE;

    return left < WARP_SIZE ? (1u << left) - 1 : ~0u;
}

/* ---- atomic operations and fences (atomic.c) ---- */

/* Does the program's code contain a fence? If not, atomics order nothing. */
bool atomic_program_has_fences(void);

/* Does it contain a fence whose scope is the block? */
bool atomic_program_has_block_fences(void);

/* Did this block make the last atomic on this word of global memory, in a launch that had one? If
 * thread is not negative: did this thread of the block make it? Only in programs without fences.
 * False also where another word has taken the word's place in the table. */
bool atomic_last_was(const void *word, uint32_t block, int thread);

/* ---- what runs ---- */

/* All struct blocks that there ever were, linked by `next`. */
extern struct block *block_list;

/* The CUDA thread that runs on this OS thread, NULL outside kernels. */
extern __thread struct lane *simt_current_lane;
