/* Which bytes of global memory a launch touches, and how: for what comes after it, the host and the
 * operations of other streams.
 *
 * All OS threads mark bytes in the same maps while the launch runs; when it has ended they are
 * taken as spans. Bytes are numbered as in run/written.h. What kernels allocate themselves is left
 * out: it is handed from one to another in ways that nobody sees. */
#ifndef SIMT_FOOTPRINT_H
#define SIMT_FOOTPRINT_H

#include "judge/spans.h"
#include "run/lane.h"
#include "watch/merge.h"

enum touch {
    TOUCH_LOAD,
    TOUCH_STORE,
    TOUCH_LOOK,   /* a volatile load */
    TOUCH_ATOMIC, /* an atomic, or a volatile store */
    TOUCHES
};

/* Before any of the others, at least once. Ends the program when there is no address space.
 * Thread-safe. */
void footprint_begin(void);

/* A request of a warp to global memory. word[lane]: as memory_word gives it. */
void footprint_access(const struct warp_event *event, const size_t word[WARP_SIZE]);

/* All that was marked since the last call, to the caller. What is looked at by a load and then
 * changed by an atomic counts as the latter alone. */
void footprint_take(struct spans touched[TOUCHES]);

#endif
