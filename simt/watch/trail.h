/* The steps of lanes (run/step.h), turn by turn: from where a warp's lanes were merged last to
 * where none can run on. Only one warp of a block is in a turn at a time, so one tree serves them
 * all: each finds the steps of those before it. */
#ifndef SIMT_TRAIL_H
#define SIMT_TRAIL_H

#include "run/lane.h"
#include "watch/merge.h"

/* Of one launch on one OS thread. Where steps or rows are used up lanes write logs of their own. */
enum { TRAIL_STEPS = 1024, TRAIL_ROWS = 512, TRAIL_BEGINS = 64 };

/* A step's row: each lane's address; of a store, behind them, each lane's value. */
enum { TRAIL_VALUES = MERGE_LANES };

/* All zero is one of no launch. */
struct trail {
    unsigned launch;
    unsigned steps, rows, begins; /* so many are used */
    size_t merged, left;          /* lanes that ended a turn so, and that left */
    struct step begin[TRAIL_BEGINS], step[TRAIL_STEPS];
    uint64_t row[TRAIL_ROWS][MERGE_LANES];
};

/* Where the lanes of a block stand when it begins: step_none where too many have left. */
struct step *trail_begin(struct trail *trail, const struct launch *launch);

/* Adds a step behind `at`, without an event and otherwise the same; NULL where there is no room for
 * it, for so many rows, or for the events that a log would need. */
struct step *trail_add(struct step *at, const void *pc, unsigned rows);

/* Has the step tell an event, of which the log of a lane would hold so many with its values. */
static inline void trail_set_event(struct step *step, uint64_t key, uint64_t what, unsigned events)
{
    step->key = key;
    step->what = what;
    step->events += (uint16_t)events;
    step->silent = false;
}

/* The lane writes a log of its own from here on: what it did in this turn is put there. Of one that
 * does so already nothing changes. */
void trail_leave(struct lane *lane);

/* Merges what `count` lanes did in this turn, as merge_warp does. Those for which there is no place
 * to go on from leave. False, and nothing is done, when one has left. */
bool trail_merge(struct trail *trail, struct lane *lanes, unsigned count,
                 void (*emit)(void *context, const struct warp_event *event), void *context);

#endif
