/* What is not right with one run of a student's program. */
#ifndef FAULT_H
#define FAULT_H

#include "trial.h"

/* How the marker ends, and what a mark says. */
enum mark_status { MARK_DONE = 0, MARK_NOT_YET = 1, MARK_USAGE = 2, MARK_NOT_JUDGED = 5 };

/* In the order in which they are told: what must be mended before the rest means anything. */
enum rank {
    RANK_TOOL, /* the marker could not do its work */
    RANK_FINDING,
    RANK_LIMIT,
    RANK_CRASH,
    RANK_WORK, /* the work was not the threads' */
    RANK_ENDED,
    RANK_WRONG,
    RANK_KEEP,   /* a budget that holds for what is given */
    RANK_BUDGET, /* the first; each has a rank of its own */
    RANK_NOT_JUDGED = RANK_BUDGET + MOST_BUDGETS,
    RANK_DONE
};

/* A line of main.cu, its text, and what is done there ("write"), or NULL. */
struct place {
    int line;
    char *source, *does;
};

/* reason: in one word, mark.h lists them; message: in sentences; brief: a finding's without what it
 * is about, else NULL; said: what the program wrote on standard error, where that helps, or NULL.
 * hint: those of the task file that hold here, in order. */
struct fault {
    int rank;
    enum mark_status status;
    char reason[WIRE_NAME + 16];
    char *message, *brief, *said;
    struct place place[FINDING_ENDS];
    int places;
    const char *hint[MOST_HINTS];
    int hints;
};

/* A budget where a run came nearest to its limit, or furthest beyond. */
struct measured {
    bool any, met;
    double value, limit;
    long size[WIRE_MOST];
};

/* The first fault of a run, RANK_DONE: none. Its budgets are noted in measured[]. */
struct fault fault_of(const struct subject *subject, const struct trial *trial,
                      struct measured measured[MOST_BUDGETS]);

/* One that is told without a run. Not judged is what is the marker's, and what is beyond limits. */
struct fault fault_new(int rank, const char *reason, char *message);

/* A figure of a run, such as a budget's. */
double fault_figure(const struct subject *subject, const struct trial *trial, const char *figure);

#endif
