/* What the launch will be told of its words when it has ended: pairs of accesses that nothing
 * orders, and reads of what nobody had written. */
#ifndef SIMT_PAIRS_H
#define SIMT_PAIRS_H

#include "judge/finding.h"

/* Two accesses of one launch. kind: of a race, FINDING_COMMON_STORE, FINDING_VOLATILE_FLAG, or, when
 * nobody has written what end[0] reads, FINDING_UNINITIALISED or FINDING_UNWRITTEN: then end[1] is
 * the word's first write, which it may come before, or of operation EVENT_KINDS, none. word: names
 * it in the launch; address: of the read.
 *
 * may_be_flag: it is one if end[1], the reader, passes a fence or a barrier after this time, and saw
 * what end[0] wrote, now or when it looked again, with no word written by an operation in between
 * (round: as of struct order). lanes: all that store to the word by one instruction, 0: it is no
 * such pair. lacks: what would order them. */
struct pair {
    enum finding_kind kind;
    enum { LACKS_ALL, LACKS_FENCE_OF_GIVER, LACKS_FENCE_OF_TAKER } lacks;
    bool shared, may_be_flag, saw;
    uint32_t time, round, lanes;
    uint64_t word;
    uintptr_t address;
    struct actor end[2];
};

/* Keeps a pair, or counts it where there are very many of the same two places. */
void pairs_keep(const struct pair *pair);

/* A plain read by this thread at this place, whose next access to the word was an atomicCAS: it is no
 * race with atomics. */
void pairs_excuse(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);

/* The launch has ended: adds a finding for each two places, unless all their pairs are excused. */
void pairs_judge(const struct launch *launch);

#endif
