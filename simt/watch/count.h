/* Counters: what the warps of a launch did at each place of the program. */
#pragma once

#include "run/array.h"
#include "run/lane.h"
#include "watch/merge.h"

/* Memory, operations between threads, branches; of the rest nothing is counted. */
enum count_space { SPACE_GLOBAL, SPACE_SHARED, SPACE_SYNC, SPACE_CONTROL, SPACE_NONE, SPACE_HOST };

/* What CSV files call the spaces before SPACE_NONE and the kinds of events that are counted. */
extern const char *const count_space_names[], *const count_operation_names[];

/* One place and kind of operation. For branches requests are the executions by warps and lanes
 * those of them that all active lanes took alike; a block's end that always led to the same place,
 * one target, is no branch. */
struct counter {
    uint32_t pc;
    unsigned char space, kind; /* enum count_space, enum event_kind */
    uint32_t target;           /* where a block's end led to last; 0: nowhere yet */
    bool branches;             /* it has led to another place, too */
    uint64_t requests, lanes, sectors, wavefronts, bank_conflicts;
    uint64_t combined; /* atomics of which nvcc would make one lane's */
};

/* The counters of a launch; all zero: none. */
struct count_table {
    struct entries counters;
    uint64_t busiest; /* bytes that the warp which loaded most loaded from global memory */
    uint64_t few[2];  /* bytes of each memory that few lanes load, as simt.h says it */
    uint64_t busy;    /* threads that touched memory */
};

/* How many there are, and each of them. */
static inline size_t count_of(const struct count_table *table)
{
    return table->counters.numbers.count;
}

static inline const struct counter *count_at(const struct count_table *table, size_t i)
{
    return &((const struct counter *)table->counters.entry)[i];
}

/* Adds one warp-level event of the given space. */
void count_event(struct count_table *table, const struct warp_event *event, enum count_space space);

/* Adds the figures of a counter to those of another. */
void count_sum(struct counter *sum, const struct counter *c);

/* Is it, if the end of a block, a branch? */
bool count_is_worth_telling(const struct counter *c);

/* Adds what from tells to table. */
void count_add(struct count_table *table, const struct count_table *from);

/* The launches that were counted. */
struct counted_launch {
    dim3 grid, block;
    struct count_table table;
};

/* Keeps a launch, as the last so far, with its counters, whose memory it takes over. Ends the
 * program when memory is short. */
void launches_add(const struct launch *launch, struct count_table table);

/* All so far, first to last. They belong to the module. */
const struct counted_launch *launches_all(size_t *count);
