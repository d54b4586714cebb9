/* Vector clocks: maps from keys to times. Pure.
 *
 * A clock never changes: a number names it, and a clock that is made of others only remembers
 * which. Its map is built when it is first looked into; most clocks never are. Maps are radix trees
 * that share equal parts, so joining two costs as much as they differ. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t clock_number; /* 0: the empty clock */

/* The key's time; 0: the clock does not have the key. */
uint32_t clock_at(clock_number clock, uint64_t key);

/* The join of two clocks: of each key the later time. */
clock_number clock_join(clock_number a, clock_number b);

/* The join of a clock and one key with its time. */
clock_number clock_with(clock_number clock, uint64_t key, uint32_t time);

/* Was there no room for a clock, or too much to join? From then on clocks are incomplete. */
bool clock_lack(void);

/* Forgets all clocks that were made after this one (0: all of them). */
void clock_drop(clock_number last);

/* Forgets all clocks. False: they were incomplete. */
bool clock_forget(void);
