/* The last write by an operation (words.h) of each thread of a launch. Pure, but for its memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A thread's last write by an operation. */
struct last {
    uint32_t chain;  /* as in struct order (words.h) */
    uint32_t number; /* as in struct order; 0: the thread made no such write */
    uint32_t time;   /* the thread's logical time then */
    uint32_t fence;  /* once its block has ended: the time of the thread's last fence or barrier; 0:
                        the thread made no operation */
};

/* The block begins. Until last_end its threads' entries are at `running`, which is the caller's. */
void last_begin(uint32_t block, const struct last *running);

/* The block, of so many threads, has ended: keeps a copy of `running`. Does nothing for a
 * block that never began. */
void last_end(uint32_t block, unsigned threads);

/* Has the block ended, without a write by an operation after this time? Then no access of another
 * block can be ordered behind what it did at this time. */
bool last_released_nothing(uint32_t block, uint32_t since);

/* The thread's entry; all zero: it made no such write. */
struct last last_of(uint32_t block, unsigned thread);

/* The launch has ended: forgets all. */
void last_forget(void);
