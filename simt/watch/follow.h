/* A lane that stands among steps (run/step.h) comes to a hook which is not the one that came last
 * behind its step. Each call goes to the step that another lane left there, or leaves a new one.
 * False: the lane writes a log of its own from here on, and the hook is to be told there. */
#ifndef SIMT_FOLLOW_H
#define SIMT_FOLLOW_H

#include "run/lane.h"

/* Does the step tell such an event? One call in the machine code may be of several in the source,
 * which differ in what they say of it. */
static inline bool step_is_for(const struct step *step, uint64_t what)
{
    return ((step->what ^ what) & ~event_what(UINT64_MAX, 0, 3, 0, 0)) == 0;
}

/* A basic block begins at pc. */
bool follow_branch(struct lane *lane, const void *pc);

/* A function is called from call_site; it returns, by the hook at pc. */
bool follow_entry(struct lane *lane, const void *call_site);
bool follow_exit(struct lane *lane, const void *pc);

/* An access or operation, that an event with this second half would tell, but for its address. The
 * step has as many rows (watch/trail.h), and a log would need as many events. */
bool follow_event(struct lane *lane, const void *pc, uint64_t what, unsigned rows, unsigned events);

#endif
