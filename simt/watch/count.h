/* Counters: how often the warps of a launch did what, at each place of the program; and how
 * counters are printed: as a table, or by source line. */
#pragma once

#include "run/array.h"
#include "run/lane.h"
#include "simt.h"
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
    struct cost cost;    /* of all requests. Of a branch: requests are its executions by warps, and
                            lanes those in which all active lanes went one way */
};

/* Counts a warp-level event of this space. */
void count_event(const struct warp_event *event, enum count_space space);

/* Adds the figures of c to those of sum. */
void count_sum(struct cost *sum, const struct cost *c);

/* A launch that was counted. */
struct counted_launch {
    dim3 grid, block;
    struct counter *counter; /* without the ends of basic blocks that are no branches */
    size_t count;            /* how many there are */
};

/* A launch whose events were counted has ended: keeps its counters. */
void count_launch_end(const struct launch *launch);

/* All launches that were counted, in their order. They belong to count.c. */
const struct counted_launch *count_launches(size_t *count);

/* ---- printing by source line (lines.c) ---- */

/* Prints a row of CSV for each launch, source line, space and operation. step: its first column. */
void lines_print_csv(FILE *file, const struct counted_launch *launches, size_t count,
                     const char *step);

/* Prints the kernels' source, and beside each line its figures of all launches together. A file
 * that cannot be read is named. */
void lines_annotate(FILE *file, const struct counted_launch *launches, size_t count);
