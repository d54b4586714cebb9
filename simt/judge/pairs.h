/* Pairs of accesses that nothing orders: why they race, and which of them do. They are kept until
 * the launch has ended, since only then is it known which of them are races. */
#pragma once

#include "judge/finding.h"
#include "judge/order.h"
#include "run/array.h"

/* ---- pairs.c: keeps pairs ---- */

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

/* Do both stores go to the same bytes of the word? */
bool pairs_both_store(const struct access *old, const struct access *now);

/* Were both made by lanes of one warp by the same instruction? */
bool pairs_of_one_instruction(const struct access *old, const struct access *now);

/* Two stores to one word: do they store the same value? That is known once the second one has been
 * made: the next event of its thread comes behind it, and before any event of another thread.
 *
 * pairs_wait: the second store of the pair is about to be made; keeps the pair when pairs_settle is
 * called. A structure comes piece by piece. False: another pair waits for this store already. */
bool pairs_wait(const struct touch *touch, const struct pair *pair);

/* The store has been made: did it change what stood there? */
void pairs_settle(void);

/* ---- reason.c: why two accesses race ---- */

/* The access and an earlier one, by these lanes, race unless the end of the launch shows otherwise.
 * True: both store, and pairs_settle must be called when the second store has been made. */
bool reason_race(const struct look *look, const struct access *old, unsigned lanes);

/* Adds a finding: an operation that may come before the word's first write. */
void reason_early(const struct look *look, const struct access *first);

extern const char simt_bit_fields[] __attribute__((weak)); /* defined if the program has some */

/* ---- pairs_judge.c: which pairs are races, and which are excused or notes ---- */

/* Rule: a plain read is no race with atomics if the thread's next access to the word is an
 * atomicCAS, since that compares the word with what was read. pairs_excuse: so it was for the
 * read at this place. */
void pairs_excuse(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);
bool pairs_excused(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);

/* The launch has ended: adds a finding for each two places, unless all their pairs are excused. */
void pairs_judge(const struct launch *launch);
