/* Pairs of accesses that nothing orders, as they are found and as they are told when the launch has
 * ended. */
#ifndef SIMT_PAIRS_H
#define SIMT_PAIRS_H

#include "judge/finding.h"

/* Two accesses of one launch that nothing orders. word: as touch_name says. may_be_flag: it is a
 * flag if end[1], the reader, passes a fence or a barrier after this time, and saw what end[0]
 * wrote, now or when it looked again, with no word written by an operation in between (written: how
 * many it had). unwritten: end[0] may be the first to
 * read what nobody has written, and end[1] is the word's first write. same_request: two lanes of
 * one store; lanes: all that store to the word; equal: the same value. unfenced: a fence of
 * end[1]'s would order them. not_given: end[1] is behind an operation of end[0]'s.
 */
struct pair {
    bool shared, may_be_flag, saw, flag, unwritten, same_request, equal, unfenced, not_given;
    uint32_t time, written;
    uint32_t lanes;
    uint64_t word;
    struct actor end[2];
};

/* A plain read whose thread's next access to the word was an atomicCAS: no race with atomics. */
struct excuse {
    uint64_t word;
    uint32_t block;
    uint32_t pc : 20, thread : 10;
};

/* Keeps a pair, or counts it where there are very many of the same two places. */
void pairs_keep(const struct pair *pair);

void pairs_excuse(const struct excuse *excuse);

/* The launch has ended: adds a finding for each two places, unless all their pairs are excused. */
void pairs_judge(const struct launch *launch);

#endif
