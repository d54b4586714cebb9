/* Tells of a bug that a kernel cannot go on after. */
#ifndef SIMT_FATAL_H
#define SIMT_FATAL_H

#include "run/observer.h"

/* Adds a finding, prints all findings so far, and ends the program with status 4. */
void fatal_report(const struct fatal *fatal);

#endif
