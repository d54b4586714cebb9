/* The mark of a student's program: it runs at all sizes, and is judged. */
#ifndef MARK_H
#define MARK_H

#include "fault.h"

/* The mark of one type of elements. */
struct mark {
    const char *type;
    struct fault fault;     /* the first by rank of all runs, or RANK_DONE */
    int score;              /* percent: 0 unless it runs, and the work is the threads' own */
    int runs, right, found; /* how many; with right outputs; with findings */
    int budgets;            /* how many the exercise has */
    struct measured {
        struct budget budget; /* as in the run that came nearest to its limit, or furthest beyond */
        long size[MOST_SIZES]; /* of that run */
    } measured[MOST_BUDGETS];
    const char *compiler;  /* the compiler's messages */
    struct trial trial;    /* the run that the fault is of, or the last; its texts may be NULL */
    long size[MOST_SIZES]; /* of that run */
    const char *predicts;  /* the figure that the task asks to predict, in words */
    double predicted;      /* that figure in main.cu; NAN: none */
    const char *no_number; /* what stands there instead; NULL: nothing, or a question mark */
    double came;           /* that figure at the first sizes; NAN: none */
};

/* Compiles main.cu for the type that is loaded, and runs it at all sizes, but at most that often,
 * and not when the clock (limits_now) is beyond so many seconds. */
struct mark mark_of(int most, double seconds);

#endif
