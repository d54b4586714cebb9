/* Critical sections: what a thread does between taking a lock and its next operation on it.
 *
 * Rule: a thread that takes a lock, by a compare-and-swap or an exchange, passes a fence behind it,
 * even where nobody had the lock before it in the order of this run. In another order it comes
 * second, and without the fence nothing orders what it does behind what the first did. So two
 * sections that took the lock from the same value race if the first lacks that fence, unless more
 * than the lock orders them. (Two taken from different values could not change places.)
 *
 * Source: PTX ISA, "Memory Consistency Model": an acquire pattern is an operation and a fence
 * behind it. */
#pragma once

#include "judge/view.h"

/* Of a thread: the section that it is in. */
struct holding {
    uint32_t section; /* its number; 0: none */
    uint8_t fences;   /* widest scope of the fences passed in it, plus 1; 0: none. A barrier counts
                         as the device's */
};
enum { LOCK_FENCED = SCOPE_DEVICE + 1 };

/* The thread takes the lock, the word of this name; from: a hash of the value that it changed
 * (order_of, run/event.h). Its time goes on by one. */
void lock_take(struct holding *holding, struct view *view, uint64_t lock, uint32_t from);

/* The thread writes the word by an operation. True: it leaves the section of this lock. */
bool lock_leave(struct holding *holding, uint64_t lock);

/* The lanes of an older access that lack the fence behind taking the lock that the thread holds,
 * too; same_block: they are of its block. */
unsigned lock_lacks_fence(const struct holding *holding, const struct access *old, bool same_block,
                          unsigned lanes);

/* The last clock that a section has; 0: none. */
vector_clock lock_last_clock(void);

/* The launch has ended: forgets all sections. */
void lock_forget(void);
