/* Keeps the GPU busy and its memory in peace. */
#ifndef SPIN_H
#define SPIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues a kernel on the default stream that takes about a tenth of a millisecond and touches no
 * memory: what the CPU enqueues meanwhile then runs without a gap. Errors end the program as CHECK
 * does. */
void spin_enqueue(void);

#ifdef __cplusplus
}
#endif
#endif
