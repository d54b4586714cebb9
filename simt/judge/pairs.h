/* Pairs of accesses that nothing orders, kept until the launch has ended: only then it is known
 * which of them are races. */
#pragma once

#include "judge/finding.h"
#include "judge/sync.h"
#include "run/array.h"

/* The access and an older one, by these lanes, race. True: both store, and pairs_settle must be
 * called when the second store has been made. */
bool pairs_race(const struct look *look, const struct access *old, unsigned lanes);

/* The store has been made: did it change what stood there? */
void pairs_settle(void);

/* Adds a finding: an operation that may have come before the word's first write. */
void pairs_early(const struct look *look, const struct access *first);

/* The thread's plain read at this place is excused: its next access to the word was an atomicCAS,
 * which compares the word with what was read. It does not race with atomics. */
void pairs_excuse(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);
bool pairs_excused(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);

/* The actor of an access, for a finding: the first of the lanes. */
struct actor pairs_actor(const struct access *access, unsigned lanes);

/* The launch has ended: adds a finding for each two places, unless all their pairs are excused. */
void pairs_judge(const struct launch *launch);

/* ---- between pairs.c, which keeps pairs, and verdict.c, which judges them ---- */

/* Why nothing orders two accesses. Of several reasons at the same two places the last one here is
 * told. */
enum reason {
    OF_ONE_VALUE, /* two stores */
    UNORDERED,
    OF_TWO_SIZES, /* two stores */
    BOTH_CHANGE,  /* both threads load the word and store it, at the same places */
    BY_ONE_STORE, /* lanes of a warp, by one instruction */
    LACKS_FENCE_OF_FIRST,
    LACKS_FENCE_OF_GIVER,
    LACKS_FENCE_OF_TAKER
};

/* Two accesses of one launch. */
struct pair {
    enum finding_kind kind; /* of a race, or of a note */
    enum reason why;
    bool may_be_flag; /* a flag, if end[1], the reader, passes a fence or a barrier after `time`,
                        and saw what end[0] wrote: now, or when it looked again in the same round */
    bool saw;         /* now */
    uint32_t time;    /* the reader's */
    uint32_t round;   /* the reader's, as of struct order */
    uint64_t word;    /* as words_name has it */
    struct actor end[2];
};

/* Pairs of the same two places in the code. Beyond PAIRS_KEPT they are only counted. */
enum { PAIRS_KEPT = 256 };
struct pair_group {
    uint64_t count;
    size_t kept, room;
    struct pair *pair;
};

extern struct entries pairs_groups; /* of the launch that runs */

extern const char simt_bit_fields[] __attribute__((weak)); /* the program has some */
