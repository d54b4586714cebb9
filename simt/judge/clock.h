/* Clocks: what somebody knows to have happened, as a map from keys to times. Pure.
 *
 * A clock never changes once it is made: a number names it, and to make one from others takes two
 * words. Only when somebody asks what is in it is it worked out, as a radix tree that shares with
 * others what is the same: to join two costs as much as they differ. Most are never asked about. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t clock_number; /* 0: knows of nothing */

/* The time of a key; 0: none. */
uint32_t clock_at(clock_number clock, uint64_t key);

/* The clock that knows what either does: of each key the later time. */
clock_number clock_join(clock_number a, clock_number b);
clock_number clock_with(clock_number clock, uint64_t key, uint32_t time);

/* Has it become too much to be kept, or to be joined, so that clocks lack something? */
bool clocks_lack(void);

/* Nobody has any more those made behind this one, 0: any. */
void clocks_drop(clock_number behind);

/* There are no clocks any more. False: they lacked something. */
bool clocks_forget(void);
