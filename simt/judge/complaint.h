/* Tells what the program did wrong in its calls, and what a kernel cannot go on after. */
#ifndef SIMT_COMPLAINT_H
#define SIMT_COMPLAINT_H

#include "run/observer.h"

/* Adds a finding. */
void complaint_judge(const struct complaint *complaint);

/* The program ends, with this status of its own: errors that nobody looked at become findings. */
void complaint_program_end(int status);

/* Adds a finding, or, where it is a limit of the backend, says why nothing more is judged
 * (run/end.h). */
void fatal_judge(const struct fatal *fatal);

#endif
