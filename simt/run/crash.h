/* Crashes, traps and failed assertions, within kernels and of the host. */
#ifndef SIMT_CRASH_H
#define SIMT_CRASH_H

/* From here on a segmentation fault in a kernel on this OS thread ends the program with a report,
 * status 4; an integer division by zero is told to the observer, and the kernel goes on. Of the
 * host the observer is told before it dies, of these signals or by abort. Called by the first of
 * all threads and every OS thread that runs blocks; calling again does nothing. */
void crash_handle(void);

/* The instruction at which a signal came: of its handler's third argument. */
const void *crash_pc(const void *context);

#endif
