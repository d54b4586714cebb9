/* What each thread of a launch did last by an operation (sync.h). Pure, but for the memory that it
 * needs. */
#pragma once

#include <stdint.h>

/* The last operation by which a thread wrote a word: its chain and number as in struct order
 * (word.h), number 0: there was none; and the thread's time. fence: when its block has ended, the
 * time of its last fence or barrier, 0: it made no operation. */
struct last {
    uint32_t chain, number, time, fence;
};

/* The block of this number runs; of its threads they are there, until lasts_end. */
void lasts_begin(uint32_t block, const struct last *running);

/* So many threads of the block have ended, and what was `running` may be used otherwise. A block
 * that never began is none's concern. */
void lasts_end(uint32_t block, unsigned threads);

/* All zero: the thread made no operation. */
struct last last_of(uint32_t block, unsigned thread);

/* The launch has ended. */
void lasts_forget(void);
