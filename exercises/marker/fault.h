/* The first thing that is not right with one run of a student's program. */
#ifndef FAULT_H
#define FAULT_H

#include "loaded.h"
#include "trial.h"

/* How the marker ends, and what a mark says. */
enum mark_status { MARK_DONE = 0, MARK_NOT_YET = 1, MARK_NOT_JUDGED = 5 };

/* In the order in which they are told: what must be mended before the rest means anything. */
enum rank {
    RANK_COMPILE, /* compile, refused: there is no run */
    RANK_FINDING, /* called as the finding's id */
    RANK_LIMIT,   /* time, memory, output, not-judged */
    RANK_CRASH,   /* it ended before task_run had returned */
    RANK_WORK,    /* no-kernel, host, streams, unread, serial: not the threads' work */
    RANK_ENDED,   /* it ended as it may not */
    RANK_WRONG,   /* wrong: an output; changed: an input */
    RANK_KEEP,    /* a budget that holds for what is given */
    RANK_BUDGET,  /* the first; each has a rank of its own */
    RANK_NOT_JUDGED = RANK_BUDGET + MOST_BUDGETS,
    RANK_DONE
};

struct fault {
    int rank; /* enum rank; of a budget its number is added */
    enum mark_status status;
    const char *reason;  /* one word; ../FORMATS.md lists them */
    const char *message; /* sentences; where a bug is to be found, the first one alone */
    const char *said;    /* the program's standard error, where that helps; else NULL */
    struct place {
        int line;           /* of main.cu */
        const char *source; /* its text, or NULL */
        const char *does;   /* the operation there, such as "write", or NULL */
    } place[FINDING_ENDS];
    int places;
    const char *hint[MOST_HINTS]; /* those that apply, in order */
    int hints;
};

/* The first fault of a run; RANK_DONE: none. judged: what judge() says of it. */
struct fault fault_of(const struct trial *trial, const struct judged *judged);

/* One that is told without a run; its message is as by printf. Not judged is what is beyond limits.
 */
struct fault fault_new(int rank, const char *reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
