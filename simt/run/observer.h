/* Who watches what runs: the one thing that this room knows of those above it.
 *
 * They fill the callbacks in before main (backend.c). Where one is NULL nobody watches: so this
 * room runs without them, too, and ends the program with one line where a kernel cannot go on. */
#pragma once

#include "run/error.h"
#include "run/lane.h"
#include "run/stream.h"

/* What a kernel cannot go on after. */
struct fatal {
    enum {
        FATAL_DEADLOCK, /* all living lanes of the block wait */
        FATAL_MASK,     /* the lane calls a warp operation with a mask that it is not in */
        FATAL_TRAP,     /* __trap() */
        FATAL_ASSERT,   /* assert: its condition does not hold */
        FATAL_RETURN,   /* a function ends without returning a value */
        FATAL_GRID,     /* the lane comes to a grid's barrier, and its launch is not cooperative */
        FATAL_DIVISION, /* an integer is divided by zero */
        FATAL_ACCESS,   /* there is no memory at the address */
        FATAL_OVERFLOW, /* the smallest integer is divided by -1, or by zero */
        FATAL_STACK,    /* the lane's stack is full */
        FATAL_NESTED    /* the lane launches a kernel: end_not_judged has been told */
    } kind;
    const struct block *block;
    const struct lane *lane; /* NULL: all of the block */
    const void *pc;          /* the instruction after the call, or the one that crashed */
    const void *address; /* FATAL_ACCESS: or FATAL_MISALIGNED; FATAL_SOMEWHERE: the processor does
                            not say, as where no address can be */
    bool called;         /* FATAL_ACCESS: code was looked for there */
    bool again;          /* a crash while another one was being told */
    const char *condition, *file; /* FATAL_ASSERT: as written, and where; FATAL_RETURN: where the
                                     function is */
    int line;
    unsigned mask;
};

#define FATAL_SOMEWHERE  ((const void *)-1)
#define FATAL_MISALIGNED ((const void *)-2)

/* A launch that gets no further, and its blocks that have begun and not ended. */
struct stall {
    enum {
        STALL_NONE,
        STALL_SLOW,     /* for `seconds` no thread has ended; it goes on */
        STALL_STOPPED,  /* the same; it has been stopped, as in all that follow */
        STALL_SIGNAL,   /* by Ctrl-C or the like */
        STALL_DEADLOCK, /* all threads wait, none of them for what another could still do */
        STALL_GRID      /* the same while blocks have not begun, for which the device has no room */
    } kind;
    const struct launch *launch;
    struct block *const *blocks;
    int count;
    size_t waiting, at_once; /* blocks that have not begun; that the device holds at once */
    long seconds;
    int signal;
};

struct observer {
    /* A launch has ended. */
    void (*launch_end)(const struct launch *launch);
    /* A block begins, its lanes ready to run; and it has ended. */
    void (*block_begin)(struct block *block);
    void (*block_end)(struct block *block);
    /* The running lane comes to a barrier, warp operation, fence or atomic. pc: the return address
     * of the call in the kernel; the others as in event.h. */
    void (*operation)(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                      unsigned extra, const void *pc);
    /* Of a traced lane: its atomic at address found the first of the values there, of `bytes` bytes
     * together; the others were its operands. */
    void (*atomic_values)(struct lane *lane, const void *address, const void *values, size_t bytes);
    /* The running lane, or the host, is about to load or store size bytes by memset, memcpy or
     * memmove. pc: as above. */
    void (*range)(const void *address, size_t size, bool store, const void *pc);
    /* A bug: what is wrong is not done, but a lane goes on. */
    void (*complaint)(const struct complaint *complaint);
    /* No lane of the warp can run on, or those that could only poll. Those that wait for room in
     * their log (WAIT_LOG) may be made ready. */
    void (*warp_stops)(struct block *block, unsigned warp);
    /* Lanes of a warp have met at an operation, of those that its mask names, and go on. */
    void (*warp_meets)(struct block *block, unsigned warp, enum simt_warp_op op, unsigned lanes,
                       unsigned mask);
    /* All living threads of the block have met at a barrier and go on. first came first. */
    void (*barrier)(struct block *block, const struct lane *first);
    /* A copy that the lane has begun by memcpy_async, and now waited for, has been made. */
    void (*copy_made)(const struct lane *lane, const struct copy *copy);
    /* All blocks have come to the grid's barrier, and this lane goes on behind it. word: that they
     * have come by. */
    void (*grid_passed)(const struct lane *lane, const void *word);
    /* Device memory was freed; nobody gets these addresses before others are used up. */
    void (*freed)(const void *begin, size_t size);
    /* A call copies [from, from + size) to the host's memory. pc: as above. */
    void (*copied)(const void *from, size_t size, const void *pc);
    /* The host has asked for a copy or a fill, which may still run when the call
     * returns. A launch has been when launch_end is told of it. */
    void (*transfer)(const struct transfer *transfer);
    /* The launch gets no further. Returns when that is STALL_SLOW or STALL_SIGNAL. */
    void (*stall)(const struct stall *stall);
    /* Does not return. */
    void (*fatal)(const struct fatal *fatal);
    /* The host is about to die of this signal: SIGABRT, by a failed assert, abort or an exception
     * that nobody catches, that of a crash, or Ctrl-C and the like. From its handler. */
    void (*host_dies)(int signal_number);
};

extern struct observer simt_observer;

/* Has the program a file with hooks? Else nobody sees what its kernels do to memory. */
extern bool observer_sees;

/* Tells whoever watches. */
#define OBSERVE(event, ...)                                                                        \
    do {                                                                                           \
        if (simt_observer.event)                                                                   \
            simt_observer.event(__VA_ARGS__);                                                      \
    } while (0)

/* Tells the observer, with a sentence as its text (printf's arguments). */
void observer_complain(struct complaint complaint, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Tells the observer; ends the program in any case. */
void observer_fatal(const struct fatal *fatal) __attribute__((noreturn));
