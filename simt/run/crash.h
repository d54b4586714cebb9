/* Crashes within kernels. */
#ifndef SIMT_CRASH_H
#define SIMT_CRASH_H

/* From here on a segmentation fault in a kernel on this OS thread ends the program with a report,
 * status 4. Called by every OS thread that runs blocks; calling again does nothing. */
void crash_handle(void);

#endif
