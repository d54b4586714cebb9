/* The last operation of each thread of a launch (sync.h). Pure, but for the memory that it needs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The last operation by which a thread wrote a word. */
struct last {
    uint32_t chain;  /* as in struct order (word.h) */
    uint32_t number; /* as in struct order; 0: there was none */
    uint32_t time;   /* the thread's */
    uint32_t fence;  /* set when its block ends: the time of the thread's last fence or barrier; 0:
                        it  made no operation */
};

/* The block begins. Until lasts_end its threads are at `running`. */
void lasts_begin(uint32_t block, const struct last *running);

/* The block has ended, with so many threads: packs them, and no longer reads `running`. Nothing to
 * do for a block that never began. */
void lasts_end(uint32_t block, unsigned threads);

/* Has the block ended, without a write by an operation after this time? Then no access of another
 * block can be ordered behind what it did at this time. */
bool lasts_released_nothing(uint32_t block, uint32_t since);

/* The thread's last operation; all zero: it made none. */
struct last last_of(uint32_t block, unsigned thread);

/* The launch has ended. */
void lasts_forget(void);
