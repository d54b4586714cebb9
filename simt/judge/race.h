/* The race detector.
 *
 * Rule: two accesses of different threads race if they touch the same byte, at least one of them
 * writes, they are not both atomics whose scopes hold both threads, and neither happens before the
 * other (sync.h). Source: PTX ISA, "Memory Consistency Model". Races are told when the launch has
 * ended, since only then is it known which pairs of accesses are races. README.md leads through the
 * calls. */
#pragma once

#include "judge/finding.h"
#include "judge/sync.h"

/* The race detector's state of one place (run/block.h), for the block that runs there. */
struct race {
    const struct launch *launch;
    bool fences;          /* the program has fences */
    struct entry *shared; /* lists of the words of shared memory */
    struct sync sync;     /* what orders the block's accesses */
};

extern struct entry *race_global; /* lists of the words of global memory; NULL: no kernel has run */

/* A place is set up, for so many words of shared memory; then each block begins. race_begin ends
 * the program when there is no memory. */
void race_begin(struct race *race, size_t shared_words);
void race_block_begin(struct race *race, const struct block *block);

/* Is it a plain access like the one that the thread is about to make: by this warp of its block, at
 * the same logical time, and not in a critical section? part: see words_part. */
static inline bool race_is_same(const struct race *race, const struct access *a, uint32_t run,
                                unsigned thread, unsigned warp, uint32_t pc, uint32_t part,
                                unsigned kind)
{
    uint32_t what = part | warp << 8 | (kind == EVENT_STORE ? WORDS_STORES : 0);

    return a->pc == pc && words_what(a) == what && a->run == run && !a->section &&
           a->block == race->sync.number && !sync_unfenced(&race->sync, thread) &&
           a->time == sync_view(&race->sync, thread)->time;
}

/* Is a plain load covered by loads on the word's list, so that it need not be kept? It is if a
 * later write that races with it races with one of those, too: if no other block has written the
 * word, nor has this block since its last barrier, and the same load was made by the thread's warp
 * or, in a program without fences, by two blocks or by two warps of its block (unless some have
 * arrived at its next barrier). race_is_covered only looks at the word's first entry,
 * race_search_list at all from the first of this run on. */
bool race_search_list(const struct race *race, struct entry *first, unsigned thread, uint32_t pc,
                      uint32_t part);

static inline bool race_is_covered(const struct race *race, struct entry *word, uint32_t run,
                                   unsigned thread, uint32_t pc, uint32_t part)
{
    const struct access *a = words_access_of(word);
    unsigned warp = thread / WARP_SIZE;

    if (word->crowd == CROWD_BLOCKS)
        return a->run == run && words_is_load_like(a, pc, part);
    if (!race_is_same(race, a, run, thread, word->crowd ? a->warp : warp, pc, part, EVENT_LOAD))
        return false;
    word->lanes |= (uint32_t)(a->warp == warp) << thread % WARP_SIZE;
    return true;
}

/* Keeps a plain access, which a lane of the warp has just made to another word, too (access is its
 * number), if in this run nobody has accessed the word, or the thread alone, which loaded what it
 * now stores: there is nothing to compare it with. before: the word's first entry of this run. */
static inline bool race_is_first(struct entry *word, const struct entry *before, uint32_t access,
                                 uint32_t lane)
{
    if (!before) {
        words_begin(word, access, lane);
        return true;
    }
    const struct access *load = words_access_of(before), *now = &words_accesses[access];
    return before->lanes == lane && !before->next && load->time == now->time && !load->section &&
           load->block == now->block && words_what(load) + WORDS_STORES == words_what(now) &&
           words_add(word, NULL, access, lane, false);
}

/* Judges an access that is about to be made (effect RACE_PLAIN). In a program with fences: judges
 * an atomic or volatile load that has been made, or a volatile store that is about to be, of this
 * enum effect. True: call pairs_settle when the access has been made. */
enum { RACE_PLAIN = -1 };
bool race_access(struct race *race, const struct touch *touch, int effect);

/* Did that launch use any of these bytes of global memory in a way that conflicts with a store
 * (store) or load of them at the same time? A volatile load does not: it expects a change. *writes:
 * the launch wrote them. */
bool race_launch_used(unsigned launch, uintptr_t address, size_t size, bool store, bool *writes);

/* The launch has ended, and so have its blocks: adds findings. */
void race_judge(const struct launch *launch);

/* ---- an access, while it is compared with the earlier ones on a word's list ---- */

struct look {
    const struct race *race;   /* of its block */
    const struct touch *touch; /* the access, which may touch several words */
    struct entry *word;        /* head of the word's list */
    uint64_t name;             /* the word's name (words_name) */
    struct access now;         /* what the access leaves on the list */
    uint32_t lanes;            /* the lane that makes it, as a mask */
    uint32_t before;           /* chain of the word's operation before it; 0: none */
    const struct view *view;   /* its thread's, before the access */
};

/* The lanes of an earlier access that are not ordered before this one; none if that is no longer
 * known. in_order: this access is a volatile load or an atomic (access_is_in_order). */
unsigned race_unordered(const struct look *look, const struct access *old, unsigned lanes,
                        bool in_order);

/* ---- reason.c: why two accesses race ---- */

/* The access and an earlier one, by these lanes, race unless the end of the launch shows otherwise.
 * True: both store, and pairs_settle must be called when the second store has been made. */
bool reason_race(const struct look *look, const struct access *old, unsigned lanes);

/* Adds a finding: an operation that may come before the word's first write. */
void reason_early(const struct look *look, const struct access *first);

extern const char simt_bit_fields[] __attribute__((weak)); /* defined if the program has some */

/* ---- pairs.c: keeps pairs of accesses that nothing orders, and judges them in the end ---- */

/* Why two accesses race. Of several reasons at the same two places the last one here is told. */
enum reason {
    OF_ONE_VALUE,         /* two stores of the same value */
    UNORDERED,            /* nothing more is known */
    OF_TWO_SIZES,         /* two stores of different sizes */
    BOTH_CHANGE,          /* both threads load the word and store it, at the same places */
    BY_ONE_STORE,         /* lanes of a warp store different values by one instruction */
    LACKS_BARRIER,        /* the second knows what thread 0 of the first's block did by then */
    LACKS_FENCE_OF_FIRST, /* the first took a lock and passes no fence behind that */
    LACKS_FENCE_OF_GIVER, /* no fence is between the first and its thread's operation */
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

/* The access as one end of a finding, made by the first of the lanes. */
struct actor pairs_actor(const struct access *access, unsigned lanes);

void pairs_keep(const struct pair *pair);

/* Two stores to one word: do they store the same value? That is known once the second one has been
 * made: the next event of its thread comes behind it, and before any event of another thread.
 *
 * pairs_wait: the second store of the pair is about to be made; keeps the pair when pairs_settle is
 * called. A structure comes piece by piece. False: another pair waits for this store already. */
bool pairs_wait(const struct touch *touch, const struct pair *pair);

/* The store has been made: did it change what stood there? */
void pairs_settle(void);

/* Rule: a plain read is no race with atomics if the thread's next access to the word is an
 * atomicCAS, since that compares the word with what was read. pairs_excuse: so it was for the
 * read at this place. */
void pairs_excuse(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);
bool pairs_excused(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);

/* An atomicCAS was made: it may take a lock. */
void pairs_lock(void);

/* The launch has ended: adds a finding for each two places, unless all their pairs are excused. */
void pairs_judge(const struct launch *launch);
