/* Crashes, traps and failed assertions within kernels. */
#ifndef SIMT_CRASH_H
#define SIMT_CRASH_H

/* From here on a segmentation fault in a kernel on this OS thread ends the program with a report,
 * status 4; an integer division by zero is told to the observer, and the kernel goes on. Called by every OS thread that runs blocks; calling again does nothing. */
void crash_handle(void);

#endif
