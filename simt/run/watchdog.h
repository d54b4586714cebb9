/* Watches the time while kernels run, on an OS thread of its own, and listens for Ctrl-C. */
#ifndef SIMT_WATCHDOG_H
#define SIMT_WATCHDOG_H

/* Starts it, once; calling again does nothing. After 5 seconds in which no thread of a launch has
 * ended the observer is told where they are; after SIMT_WATCHDOG seconds (60; 0: never) the launch
 * is stopped, and so it is at SIGINT and SIGTERM, unless the program handles these itself. */
void watchdog_start(void);

#endif
