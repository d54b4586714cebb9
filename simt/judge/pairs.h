/* Pairs of accesses that nothing orders, kept until the launch has ended: only then it is known
 * which of them are races. */
#pragma once

#include "judge/finding.h"
#include "judge/sync.h"

/* An access and an older one, of these lanes, that nothing orders. True: both store, and
 * pairs_settle is to be called when the second store has been made. */
bool pairs_race(const struct look *look, const struct access *old, unsigned lanes);

/* The lane has stored: was it another value than stood there before? */
void pairs_settle(void);

/* Adds a finding: an operation that may have come before the word's first write. */
void pairs_early(const struct look *look, const struct access *first);

/* A plain read by this thread at this place, whose next access to the word was an atomicCAS, which
 * looks whether it still holds: it is no race with atomics. */
void pairs_excuse(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);

/* Who made an access, as a finding tells it; lanes: the first counts. */
struct actor pairs_actor(const struct access *access, unsigned lanes);

/* The launch has ended: adds a finding for each two places, unless all their pairs are excused. */
void pairs_judge(const struct launch *launch);
