/* The callbacks through which other rooms observe what runs. This room knows nothing else of them.
 *
 * startup.c fills the callbacks in before main. A callback that is NULL is not called: this room
 * runs without observers, too, and then ends the program with one line where a kernel cannot go
 * on. */
#pragma once

#include "run/lane.h"

/* ---- findings and complaints ---- */

/* To add a kind: add its row to run/kinds.csv and its section to FINDINGS.md, let a check add
 * findings of it (judge/judge.h says where checks are called), and give it cases in tests/twins. */
enum finding_kind {
#define ROW(name, id, title, family, note, rule) FINDING_##name,
#include "run/kinds.rows"
    FINDING_KINDS
};

/* Kinds of one family may come from one bug. Where a race is found, its symptoms at the same place
 * are not told, too; likewise with bounds. */
enum kind_family {
    KIND_OTHER,
    KIND_RACE,
    KIND_RACE_SYMPTOM,
    KIND_BOUNDS,
    KIND_BOUNDS_SYMPTOM,
    KIND_WARP /* misuse of a warp operation */
};

struct kind {
    const char *id;          /* stable, small letters and hyphens; its section in FINDINGS.md */
    const char *title;       /* a few words */
    enum kind_family family; /* see above */
    bool note;               /* it is told like a finding, but changes no exit status */
    const char *rule;        /* what is wrong and what would be right, as one line */
};

extern const struct kind kinds[FINDING_KINDS];

/* A bug that this room sees. */
struct complaint {
    enum finding_kind kind;
    const struct lane *lane; /* NULL: the host's */
    const void *pc;          /* the return address of the call; NULL: it is a launch, at site */
    struct simt_site site;   /* of a launch */
    const void *freed;       /* where the memory in question was freed; NULL: it was not */
    char text[240];          /* a sentence that says what happened */
};

/* ---- what is observed ---- */

/* A kernel cannot go on. */
struct fatal {
    enum finding_kind kind; /* a bug; FINDING_KINDS: none, but a limit of the backend */
    const char *limit;      /* what the kernel does then, and what to do; NULL: none, or
                               end_not_judged has been told */
    const struct block *block;
    const struct lane *lane; /* NULL: all living lanes of the block wait */
    const void *pc;          /* the instruction after the call, or the one that crashed */
    const void *address;     /* of FINDING_NO_MEMORY, or the one below */
    bool called;             /* of FINDING_NO_MEMORY: the lane wanted to execute code there */
    bool again;              /* it crashed while another crash was being told */
    const char *condition;   /* of an assert, as the program has it */
    const char *file;        /* of an assert or a missing return: where that stands */
    int line;
};

/* Instead of an address: the processor does not say it, as where no memory can be, or where it is
 * not a multiple of the access's size. */
#define FATAL_SOMEWHERE ((const void *)-1)

/* A launch that gets no further. */
struct stall {
    enum {
        STALL_NONE,
        STALL_SLOW,     /* no thread has ended for `seconds`; it goes on. Below it is stopped: */
        STALL_STOPPED,  /* no thread has ended for `seconds` */
        STALL_SIGNAL,   /* Ctrl-C or the like has come */
        STALL_DEADLOCK, /* all threads wait, and none can do what another one waits for */
        STALL_GRID      /* a deadlock of a grid, for whose other blocks the device has no room */
    } kind;
    const struct launch *launch;
    const struct block *block; /* NULL: all that have begun and not ended; else it alone counts */
    size_t running;            /* blocks that have begun and not ended */
    size_t waiting;            /* blocks that have not begun */
    size_t at_once;            /* blocks that the device holds at once */
    long seconds;
    int signal;
};

struct transfer;
struct observer {
    /* A launch has ended. */
    void (*launch_end)(const struct launch *launch);
    /* A block begins: its lanes are ready to run; and it has ended. */
    void (*block_begin)(struct block *block);
    void (*block_end)(struct block *block);
    /* The running lane comes to a barrier, warp operation, fence or atomic. The other arguments are
     * those of an event (event.h). pc: the return address of the call in the kernel. */
    void (*operation)(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                      unsigned extra, const void *pc);
    /* A traced lane has made an atomic. values: the old value and the operands, `bytes` together.
     */
    void (*atomic_values)(struct lane *lane, const void *address, const void *values, size_t bytes);
    /* The running lane, or the host, is about to load or store size bytes by memset, memcpy or the
     * like. pc: as above. */
    void (*range)(const void *address, size_t size, bool store, const void *pc);
    /* The program has a bug. The wrong operation is not done, and the lane goes on. */
    void (*complaint)(const struct complaint *complaint);
    /* No lane of the warp can run on, or those that can run only poll. The observer may make lanes
     * ready that wait for room in their log (WAIT_LOG). */
    void (*warp_stops)(struct block *block, unsigned warp);
    /* Lanes of a warp have met at an operation and go on; mask: the lanes that it names. */
    void (*warp_meets)(struct block *block, unsigned warp, enum simt_warp_op op, unsigned lanes,
                       unsigned mask);
    /* All living threads of the block have met at a barrier and go on; `first` was the first. */
    void (*barrier)(struct block *block, const struct lane *first);
    /* The lane has waited for a copy that it began by memcpy_async, and the copy has been made. */
    void (*copy_made)(const struct lane *lane, const struct copy *copy);
    /* All blocks have come to the grid's barrier, and this lane goes on. word: the word by whose
     * atomics they came. */
    void (*grid_passed)(const struct lane *lane, const void *word);
    /* Device memory was freed. */
    void (*freed)(const void *begin, size_t size);
    /* A call of the runtime copies [from, from + size) to the host's memory. pc: as above. */
    void (*copied)(const void *from, size_t size, const void *pc);
    /* The host has asked for a copy or a fill that may still run when the call returns. */
    void (*transfer)(const struct transfer *transfer); /* runtime.h */
    /* The launch gets no further. Returns if it is STALL_SLOW or STALL_SIGNAL. */
    void (*stall)(const struct stall *stall);
    /* A kernel cannot go on. Does not return. */
    void (*fatal)(const struct fatal *fatal);
    /* The host is about to die of this signal, a crash's, Ctrl-C's or the like, or SIGABRT (a
     * failed assert, or an exception that nothing catches). Called from the signal's handler. */
    void (*host_dies)(int signal_number);
    /* Has a bug been found? */
    bool (*found)(void);
    /* This room ends the program with this status (end.h). Returns the status to end with. */
    int (*ends)(int status);
};

extern struct observer simt_observer;

/* Was a file of the program compiled with hooks? If not, its kernels' accesses are not seen. */
extern bool observer_sees;

/* Calls one of the callbacks, if it is there. */
#define OBSERVE(event, ...)                                                                        \
    do {                                                                                           \
        if (simt_observer.event)                                                                   \
            simt_observer.event(__VA_ARGS__);                                                      \
    } while (0)

/* A complaint of a lane, or of the host (lane NULL). pc: the return address of the call. */
#define COMPLAINT(kind_, lane_, pc_)                                                               \
    ((struct complaint){.kind = FINDING_##kind_, .lane = lane_, .pc = pc_})

/* Tells the observer of a bug. The text of the complaint is a sentence (printf's arguments). */
void observer_complain(struct complaint complaint, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A lane cannot go on. Further fields may follow: FATAL_OF(ASSERT, lane, pc, .line = 7). */
#define FATAL_OF(kind_, lane_, ...)                                                                \
    (&(struct fatal){                                                                              \
        .kind = FINDING_##kind_, .block = (lane_)->block, .lane = lane_, .pc = __VA_ARGS__})

/* Tells the observer that a kernel cannot go on, and ends the program in any case. */
void observer_fatal(const struct fatal *fatal) __attribute__((noreturn));
