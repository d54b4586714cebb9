/* Atomic operations and fences, called by kernels (simt_device.h). */
#ifndef SIMT_ATOMIC_H
#define SIMT_ATOMIC_H

/* A launch begins: none of its threads has passed a fence. */
void atomic_launch_begin(void);

#endif
