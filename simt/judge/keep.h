/* Which earlier accesses stay on a word's list when a new one is added: those with which a later
 * access must be compared although it is compared with the new one.
 *
 * Rule: an earlier access goes if the new one stands for it: every later access that races with the
 * earlier one races with the new one, too. */
#pragma once

#include "judge/order.h"

/* At most KEEP_MOST accesses are compared with a new one. A plain read looks only at the KEEP_FEW
 * last reads, to drop some of them. */
enum { KEEP_MOST = 1 << 12, KEEP_FEW = 16 };

/* The lanes of the entry's access with which later accesses must still be compared. seen: while a
 * list is walked, whether an entry was kept that stands for others of this block ([0]) or of other
 * blocks ([1]); both false at first. */
unsigned keep_lanes(const struct look *look, const struct entry *entry, bool seen[2]);
