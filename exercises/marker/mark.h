/* What a student's program is worth: it is run at all sizes, and judged. */
#ifndef MARK_H
#define MARK_H

#include "trial.h"

/* How the marker ends, and what a mark says. */
enum mark_status { MARK_DONE = 0, MARK_NOT_YET = 1, MARK_USAGE = 2, MARK_NOT_JUDGED = 5 };

/* A budget where it was nearest to its limit, or furthest beyond. */
struct mark_budget {
    bool measured, met;
    double value, limit;
    long size[WIRE_MOST];
};

/* The mark of one type of elements. reason: "done", or what is not as it must be, the first of
 *
 *     compile           g++ does not take it                   refused    simtcc does not
 *     ID                a finding's, such as shared-race
 *     time, memory, processes, output                          beyond a limit
 *     crash             it ended before task_run had returned
 *     no-kernel, host, unread, serial                          the work was not the threads'
 *     ended, twice      it ended, or answered, as it may not
 *     changed           an input is not what it was            wrong      an output is
 *     NAME              a budget's                             not-judged the backend says so
 *     tool              the marker could not do its work
 *
 * message: sentences; line, source: of main.cu, 0 and NULL: none; kernel, at: texts or NULL. said:
 * what the program or the compiler said of it, or NULL. printed: on standard output, where it
 * failed or in its last run. The caller frees by mark_free. */
struct mark {
    const char *type;
    enum mark_status status;
    char reason[WIRE_NAME + 16];
    int score; /* percent: 0 unless it runs, and the work is the threads' own */
    char *message, *source, *said, *printed;
    int line;
    int sizes, right; /* how many runs, and in how many the outputs were right, without a finding */
    struct mark_budget budget[MOST_BUDGETS];
    char *findings;           /* JSON: of the run that was told, or the last; NULL: none */
    struct counters counters; /* of the last run that was judged by a budget, or the last */
    long size[WIRE_MOST];     /* of the run that was told, or the last */
};

/* Compiles and runs the subject. random: state of the random numbers that choose sizes, inputs and
 * orders. */
struct mark mark_of(const struct subject *subject, unsigned long long *random);
void mark_free(struct mark *mark);

/* Which hints belong to a mark: those for its reason, or, of a finding without its own, those for
 * "finding". */
const char *mark_hints(const struct task_file *file, const struct mark *mark);

#endif
