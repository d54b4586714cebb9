/* Pairs of accesses that nothing orders, kept until the launch has ended: only then is it known
 * which of them are races. */
#pragma once

#include "judge/finding.h"
#include "judge/order.h"
#include "run/array.h"

/* The access as one end of a finding, made by the first of the lanes. */
struct actor pairs_actor(const struct access *access, unsigned lanes);

/* Why two accesses race. Of several reasons at the same two places the last one here is told. */
enum reason {
    OF_ONE_VALUE,         /* two stores of the same value */
    UNORDERED,            /* nothing more is known */
    OF_TWO_SIZES,         /* two stores of different sizes */
    BOTH_CHANGE,          /* both threads load the word and store it, at the same places */
    BY_ONE_STORE,         /* lanes of a warp store different values by one instruction */
    LACKS_FENCE_OF_FIRST, /* the first took a lock and passes no fence behind that */
    LACKS_FENCE_OF_GIVER, /* the first passes no fence in front of its operation */
    LACKS_FENCE_OF_TAKER  /* the second passes no fence behind its operation */
};

/* Two accesses of one launch. */
struct pair {
    enum finding_kind kind; /* of a race, or of a note */
    enum reason why;        /* they race */
    bool may_be_flag;       /* the word is a flag if the reader, end[1], passes a fence or a barrier
                               after `time`, and saw what end[0] wrote: at once, or when it looked
                               again in the same round */
    bool saw;               /* it saw that at once */
    uint32_t time;          /* the reader's logical time at its access */
    uint32_t round;         /* the reader's, as in struct order */
    uint64_t word;          /* its name (words_name) */
    struct actor end[2];    /* the earlier access and the later one; of a may_be_flag see above */
};

/* Pairs of the same two places in the code. Beyond PAIRS_KEPT they are only counted. */
enum { PAIRS_KEPT = 256 };
struct pair_group {
    uint64_t count;    /* of all pairs */
    size_t kept;       /* how many of them are kept */
    size_t room;       /* of `pair` (run/array.h) */
    struct pair *pair; /* those that are kept */
};

extern struct entries pairs_groups; /* of the launch that runs, by their two places */
void pairs_keep(const struct pair *pair);
