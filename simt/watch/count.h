/* Counters: how often the warps of a launch did what, at each place of the program; and how
 * counters are printed: as a table, or by source line. */
#pragma once

#include "run/array.h"
#include "run/lane.h"
#include "watch/merge.h"

#include <stdio.h>

/* An event belongs to a memory, to the operations between threads, or to branches. Accesses
 * of SPACE_NONE and SPACE_HOST are not counted. */
enum count_space { SPACE_GLOBAL, SPACE_SHARED, SPACE_SYNC, SPACE_CONTROL, SPACE_NONE, SPACE_HOST };

/* The names in CSV files of the spaces before SPACE_NONE, and of the kinds of events. */
extern const char *const count_space_names[], *const count_operation_names[];

/* The figures of one kind of operation at one place. */
struct counter {
    uint32_t pc;
    unsigned char space; /* enum count_space */
    unsigned char kind;  /* enum event_kind */
    uint32_t target;     /* where the end of a basic block led to last; 0: nowhere yet */
    bool branches;       /* it has also led to another place: only then it is a branch */
    uint64_t requests;   /* of a branch: its executions by warps */
    uint64_t lanes;      /* of a branch: the executions in which all active lanes went one way */
    uint64_t sectors, wavefronts, bank_conflicts;
    uint64_t combined; /* atomics that nvcc would let one lane make */
};

/* The counters of a launch; all zero at first. */
struct counters {
    struct entries places; /* of struct counter, by place and kind */
    uint64_t busiest;      /* the most bytes that one warp has loaded from global memory */
    uint64_t few[2];       /* bytes of each memory that few lanes have loaded (simt_few_lanes) */
    uint64_t busy;         /* threads that have accessed memory */
};

/* The number of counters, and one of them. */
static inline size_t count_of(const struct counters *counters)
{
    return counters->places.numbers.count;
}

static inline const struct counter *count_at(const struct counters *counters, size_t i)
{
    return &((const struct counter *)counters->places.entry)[i];
}

/* Counts a warp-level event of this space. */
void count_event(struct counters *counters, const struct warp_event *event, enum count_space space);

/* Adds the figures of c to those of sum. */
void count_sum(struct counter *sum, const struct counter *c);

/* False for the end of a basic block that is no branch. */
bool count_is_worth_telling(const struct counter *c);

/* Adds the counters of `from` that are worth telling to sum. */
void count_add(struct counters *sum, const struct counters *from);

/* A launch that was counted. */
struct counted_launch {
    dim3 grid, block;
    struct counters counters;
};

/* Keeps a launch and its counters, whose memory it takes over. Ends the program when memory is
 * short. */
void launches_add(const struct launch *launch, struct counters counters);

/* All launches that were counted, in their order. They belong to count.c. */
const struct counted_launch *launches_all(size_t *count);

/* ---- printing (table.c, lines.c) ---- */

enum { SIZE_TEXT = 40 };

/* "64", "64x2" or "64x2x2". Returns text. */
const char *size_text(dim3 size, char text[SIZE_TEXT]);

/* Prints a row of CSV for each launch, source line, space and operation. step: for the first
 * column.
 */
void lines_print_csv(FILE *file, const struct counted_launch *launches, size_t count,
                     const char *step);

/* Prints the kernels' source, and beside each line its figures of all launches together. A file
 * that cannot be read is named. */
void lines_annotate(FILE *file, const struct counted_launch *launches, size_t count);
