/* Crashes, traps and failed assertions, within kernels and of the host. */
#ifndef SIMT_CRASH_H
#define SIMT_CRASH_H

/* From here on a segmentation fault in a kernel on this OS thread ends the program with a report,
 * status 4; an integer division by zero is told to the observer, and the kernel goes on. Of the
 * host the observer is told before it dies, of these signals or by abort. Called by the first of
 * all threads and every OS thread that runs blocks; calling again does nothing. */
void crash_handle(void);

/* What interrupts a kernel that comes to no hook: sent to an OS thread of which a lane runs whose
 * block is disturbed (lane.h), it has the block rest. */
int crash_nudge(void);

#endif
