/* Tells of what a kernel cannot go on after. */
#ifndef SIMT_FATAL_H
#define SIMT_FATAL_H

#include "run/observer.h"

/* Adds a finding, or, where it is a limit of the backend, says why nothing more is judged
 * (run/end.h). */
void fatal_judge(const struct fatal *fatal);

#endif
