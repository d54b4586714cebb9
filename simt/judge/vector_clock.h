/* Vector clocks: maps from keys to times. Pure.
 *
 * A clock never changes: a number names it, and a clock that is made of others only remembers
 * which. Its map is built when it is first looked into; most clocks never are. Maps are radix trees
 * that share equal parts, so joining two costs as much as they differ. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t vector_clock; /* 0: the empty clock */

/* The key's time; 0: the clock does not have the key. */
uint32_t vector_clock_at(vector_clock clock, uint64_t key);

/* The join of two clocks: of each key the later time. */
vector_clock vector_clock_join(vector_clock a, vector_clock b);

/* The join of a clock and one key with its time. */
vector_clock vector_clock_with(vector_clock clock, uint64_t key, uint32_t time);

/* Was there no room for a clock, or too much to join? From then on clocks are incomplete. */
bool vector_clock_lack(void);

/* Forgets all clocks that were made after this one (0: all of them). */
void vector_clock_drop(vector_clock last);

/* Forgets all clocks. */
void vector_clock_forget(void);
