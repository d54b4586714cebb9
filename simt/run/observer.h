/* Who watches what runs: the one thing that this room knows of those above it.
 *
 * They fill the callbacks in before main (backend.c). What stands in them at first watches nothing,
 * and ends the program with one line where a kernel cannot go on: so this room runs without them,
 * too. */
#ifndef SIMT_OBSERVER_H
#define SIMT_OBSERVER_H

#include "run/lane.h"

/* A bug that a kernel cannot go on after. */
struct fatal {
    enum {
        FATAL_DEADLOCK, /* all living lanes of the block wait */
        FATAL_LIVELOCK, /* for `seconds` no lane of the block has ended or passed a barrier */
        FATAL_MASK,     /* the lane calls a warp operation with a mask that it is not in */
        FATAL_TRAP,     /* __trap() */
        FATAL_ACCESS,   /* there is no memory at the address */
        FATAL_STACK     /* the lane's stack is full */
    } kind;
    const struct block *block;
    const struct lane *lane; /* NULL: all of the block */
    const void *pc;          /* the instruction after the call, or the one that crashed */
    const void *address;
    unsigned mask;
    long seconds;
};

struct observer {
    /* Something is to be launched, perhaps with a wrong configuration; and it has ended on all OS
     * threads. Both on the host thread that launches. */
    void (*launch_begin)(void);
    void (*launch_end)(const struct launch *launch);
    /* An OS thread begins a block, its lanes ready to run; and it has ended. */
    void (*block_begin)(struct block *block);
    void (*block_end)(struct block *block);
    /* The running lane comes to a barrier, warp operation, fence or atomic. pc: the return address
     * of the call in the kernel. */
    void (*operation)(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                      const void *pc);
    /* The running lane, or the host, is about to load or store size bytes by memset, memcpy or
     * memmove. pc: as above. */
    void (*range)(const void *address, size_t size, bool store, const void *pc);
    /* The running lane frees what malloc did not give in a kernel, or the host what is the
     * device's. pc: as above. */
    void (*stray_free)(const void *address, const void *pc);
    /* No lane of the warp can run on. Those that wait for room in their log (WAIT_LOG) may be made
     * ready. */
    void (*warp_stops)(struct block *block, unsigned warp);
    /* All living threads of the block have met at a barrier and go on. first came first, elsewhere
     * to another barrier (NULL: none did). */
    void (*barrier)(struct block *block, const struct lane *first, const struct lane *elsewhere);
    /* The lane gets a value from lane `from` of its warp, which takes no part in the shuffle. */
    void (*stray_shuffle)(const struct lane *lane, int from);
    /* Does not return. */
    void (*fatal)(const struct fatal *fatal);
};

extern struct observer simt_observer;

/* Tells the observer; ends the program. */
void observer_fatal(const struct fatal *fatal) __attribute__((noreturn));

#endif
