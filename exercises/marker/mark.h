/* What a student's program is worth: it is run at all sizes, and judged. */
#ifndef MARK_H
#define MARK_H

#include "fault.h"

/* The mark of one type of elements. Its fault is the first of those of all runs, or RANK_DONE. The
 * trial is the one that it is of, or the last; its texts may be NULL. */
struct mark {
    const char *type;
    struct fault fault;
    int score;              /* percent: 0 unless it runs, and the work is the threads' own */
    int runs, right, found; /* how many; with right outputs; with findings */
    int budgets;
    struct measured { /* a budget where a run came nearest to its limit, or furthest beyond */
        struct budget budget;
        long size[MOST_SIZES];
    } measured[MOST_BUDGETS];
    const char *compiler; /* what it said */
    struct trial trial;
    long size[MOST_SIZES];
    const char *predicts;   /* the figure that the task asks to predict, in words */
    double predicted, came; /* as the student wrote it in main.cu, and as it was at the first sizes;
                               NAN: none */
};

/* Compiles main.cu for the type that is loaded, and runs it at all sizes, but at most that often,
 * and not when the clock (limits_now) is beyond so many seconds. */
struct mark mark_of(int most, double seconds);

#endif
