/* Controls the CPU backend from a program, as the lab harness and the exercises need it. Programs
 * that do not know this header are controlled by the environment (SIMT_COUNTERS, SIMT_CHECKS,
 * SIMT_ORDER, SIMT_TRACE); a call here wins over it. */
#pragma once

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order in which blocks, warps and lanes run. 0: as numbered; else shuffled with this seed. The
 * results and counters of a correct kernel do not depend on it. */
void simt_set_order(unsigned seed);

/* Are the launches from here on counted (1) or not (0)? */
void simt_set_counters(int on);

/* Prints the counters. step: for the first column of the CSV. */
enum simt_style {
    SIMT_TABLE,   /* totals of each launch, for people */
    SIMT_CSV,     /* a header, and a row for each launch, source line, space and operation */
    SIMT_ANNOTATE /* the kernels' source, and beside each line its figures of all launches */
};
void simt_print_counters(FILE *file, enum simt_style style, const char *step);

/* When the program ends, writes every warp-level request of the launches that were counted, lane by
 * lane, into a CSV file (FORMATS.md). The file is replaced as a whole; if nothing was launched it
 * stays as it is. Returns NULL, or the reason why no file can be written there. */
const char *simt_set_trace(const char *file);

/* ---- for exercises: what has happened so far? ---- */

/* 0: no bug was found; 4: a bug was found; 5: none was found, but not all could be judged. */
int simt_status(void);

struct simt_so_far {
    /* Launches, counted or not. Those that CUDA refuses are left out. */
    unsigned launches;
    /* How often a lane's shuffle has read a lane that its mask does not name. The value is
     * undefined, which is no bug as long as nothing uses it. */
    unsigned long long unnamed_reads;
    /* How often a lane has called __activemask(). */
    unsigned long long active_masks;
    /* How often a thread has called __threadfence() or __threadfence_system(). */
    unsigned long long fences;
    /* Bytes of device memory that the host has taken: bytes that were copied to it, that it read
     * where memory is common to both, or that it registered; and bytes that it copied within the
     * device in pieces of less than 1024 bytes, since such copies put them in order. */
    unsigned long long taken;
    /* Were kernels launched on different streams, or copies asked of another one that nothing keeps
     * in order with theirs? */
    int several_streams;
    /* How was the work done? Summed over the launches that were counted.
     * The most bytes that one warp has loaded from global (0), from shared memory (1): is the work
     * spread over the warps? */
    unsigned long long busiest[2];
    /* Bytes that were loaded by at most 16 lanes of a warp at a time, behind the fourth such load:
     * from global memory (0), by no more lanes so far, and no more than 64 at a time; from shared
     * memory (1), in a row, without a barrier, shuffle or the like between. */
    unsigned long long few[2];
    /* Threads that have loaded or stored something. The others only fill the grid. */
    unsigned long long busy;
};
struct simt_so_far simt_so_far(void);

/* Bytes that copies have read from the allocation that ptr lies in. */
unsigned long long simt_copied(const void *ptr);

/* ---- allocations ---- */

/* Names the allocation that ptr lies in for traces and findings; without, traces show a number. */
void simt_set_name(const void *ptr, const char *name);

/* From here on the allocation that ptr lies in counts as never written: a kernel that reads it
 * before something is written there reads garbage. */
void simt_forget(const void *ptr);

#ifdef __cplusplus
}
#endif
