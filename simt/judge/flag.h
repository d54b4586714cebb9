/* Flags: words by which threads tell each other that something is done. Pure. */
#ifndef SIMT_FLAG_H
#define SIMT_FLAG_H

#include "judge/history.h"

/* Of two accesses that nothing orders, by these lanes: are both volatile or atomic, did the writer
 * pass a fence before, and does the reader pass one, or a barrier, later? Then what lies behind is
 * ordered, the word itself is not. An atomicCAS or atomicExch behind a volatile store, which takes
 * the lock that was given back so, counts as a reader. */
bool flag_is(const struct history *history, const struct past *a, const struct past *b,
             const unsigned lane[2]);

#endif
