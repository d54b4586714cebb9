/* Which pairs of a launch are races, and which are excused or notes. */
#pragma once

#include "judge/pairs.h"

/* Rule: a plain read is no race with atomics if the thread's next access to the word is an
 * atomicCAS, since that compares the word with what was read. verdict_excuse: so it was for the
 * read at this place. */
void verdict_excuse(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);
bool verdict_excused(uint64_t word, uint32_t block, unsigned thread, uint32_t pc);

/* The launch has ended: adds a finding for each two places, unless all their pairs are excused. */
void verdict_judge(const struct launch *launch);
