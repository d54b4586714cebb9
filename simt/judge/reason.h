/* Why two accesses race: finds the reason, and keeps the pair (pairs.h). */
#pragma once

#include "judge/pairs.h"

/* The access and an earlier one, by these lanes, race unless the end of the launch shows otherwise.
 * True: both store, and stores_settle must be called when the second store has been made. */
bool reason_race(const struct look *look, const struct access *old, unsigned lanes);

/* Adds a finding: an operation that may come before the word's first write. */
void reason_early(const struct look *look, const struct access *first);

extern const char simt_bit_fields[] __attribute__((weak)); /* defined if the program has some */
