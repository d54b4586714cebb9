/* The gate: behind it begins, on several GPUs at the same moment, what the CPU has enqueued before.
 *
 * A program that launches on one GPU after the other would time the CPU. So all of a reduction is
 * enqueued first, on each GPU behind a kernel of one warp that polls a word of pinned memory. When
 * every GPU polls, the CPU opens the gate: it changes the word. A GPU sees the change after one
 * trip to the CPU's memory; so the GPUs begin within a microsecond of each other.
 *
 * The word is the only state, odd as long as the gate is closed. So processes that share it share
 * the gate. Errors end the program as CHECK does. */
#ifndef GATE_H
#define GATE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of several processes each calls it before all else, with the same word of the machine's memory,
 * 0 at first. A process of which nobody knows has a word of its own. */
void gate_share(unsigned *word);

/* Closes the gate, which is open. */
void gate_close(void);

/* On the default stream of the current GPU: what follows there waits until the gate is opened. If
 * it is open, nothing happens. A GPU that waits for some seconds ends with an error: then a launch
 * does not return before its kernel has ended (a debugger). */
void gate_enqueue(void);

/* Waits until all GPUs on which this process has enqueued the gate are there. */
void gate_await(void);

/* Awaits them and opens the gate. */
void gate_open(void);

#ifdef __cplusplus
}
#endif
#endif
