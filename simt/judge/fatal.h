/* Tells of a bug that a kernel cannot go on after. */
#ifndef SIMT_FATAL_H
#define SIMT_FATAL_H

#include "run/observer.h"

/* All findings so far, then a readable block on stderr: who is where, and the rule. Ends the
 * program with status 4. */
void fatal_report(const struct fatal *fatal);

#endif
