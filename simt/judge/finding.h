/* Findings: the bugs that the checks found, each place once, told at the program's end. */
#ifndef SIMT_FINDING_H
#define SIMT_FINDING_H

#include "judge/kinds.h"
#include "run/lane.h"

/* One end of a finding: which thread of which block did what at which place. pc is an offset as in
 * event.h. */
struct actor {
    uint32_t pc;
    uint32_t block;    /* linear index in the grid */
    uint16_t thread;   /* linear index in the block */
    uint8_t operation; /* enum event_kind */
    uint8_t size;
};

struct finding {
    enum finding_kind kind;
    const struct launch *launch; /* read at once, not kept; NULL: on the host */
    struct actor actor[2];
    int actors;
    uint64_t address, count; /* count: how often; 0 is taken for 1 */
    char detail[160];        /* a sentence on this very case, or empty */
};

/* The actor that is lane `lane` of a warp of the block. */
struct actor finding_actor(const struct block *block, uint32_t pc, unsigned warp, int lane,
                           unsigned operation, unsigned size);

/* Adds a finding, or counts it when one of the same kind and places is there. Thread-safe. */
void finding_add(const struct finding *finding);

/* Are both places of the finding on one source line? */
bool finding_same_lines(const struct finding *finding);

/* Has anything been found that decides the exit status, other than notes? */
bool finding_any(void);

/* Prints all findings on stderr, sorted by place. */
void finding_print(void);

#endif
