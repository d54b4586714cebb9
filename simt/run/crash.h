/* Crashes and failed assertions, of kernels and of the host. */
#pragma once

#include <stdbool.h>

/* From here on a segmentation fault or an integer division by zero in a kernel on this OS thread
 * ends the program with a report and status 4. When the host dies of such a signal, or by abort,
 * the observer is told first. The program's first thread calls this, and each OS thread that runs
 * blocks; a second call does nothing. */
void crash_handle(void);

/* Handles a crash or failed assertion of a shadow (stray.h), which must not end the program. Does
 * not return. NULL while no shadow runs. */
extern void (*crash_of_shadow)(int signal_number);

/* The instruction at which a signal came. context: the third argument of the signal's handler. */
const void *crash_pc(const void *context);

/* Does the address lie in code that simtcc compiled, not in a library's code or ours? */
bool crash_in_program(const void *pc);
