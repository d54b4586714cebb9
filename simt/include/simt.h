/* Steering the CPU backend from a program: what the lab harness needs beyond CUDA's own API.
 * The environment (SIMT_COUNTERS, SIMT_CHECKS, SIMT_ORDER, SIMT_TRACE) says the same
 * for programs that know nothing of this header; a call here wins. */
#ifndef SIMT_H
#define SIMT_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Order in which blocks, warps and lanes run: 0 as numbered, else shuffled with this seed. Results
 * and counters of a correct kernel do not depend on it. */
void simt_set_order(unsigned seed);

/* Kernels that the program has launched so far, counted or not. A launch that CUDA refuses is none.
 */
unsigned simt_launches(void);

/* Counts (1) or not (0) what the launches from here on do. */
void simt_set_counters(int on);

/* table: totals per launch, for people. csv: a header and a row per launch, source line, space and
 * operation; step goes into the first column. annotate: the kernels' source, with the figures of
 * all counted launches beside each line. */
enum simt_style { SIMT_TABLE, SIMT_CSV, SIMT_ANNOTATE };
void simt_print_counters(FILE *file, enum simt_style style, const char *step);

/* Writes every warp-level request of the launches that are counted, lane by lane, into a CSV file
 * (its columns: README.md) when the program ends. The file is replaced as a whole; when nothing was
 * launched it is left as it is. Returns NULL, or why no file can be written there. */
const char *simt_set_trace(const char *file);

/* Bytes that the warp which loaded most loaded from global memory, summed over the launches that
 * were counted: is the work spread over the warps? */
unsigned long long simt_busiest_warp(void);

/* Bytes that at most 16 lanes of a warp at a time load, likewise: of global memory; of shared
 * memory (1), behind the fourth such load in a row, with no barrier, shuffle or the like between.
 */
unsigned long long simt_few_lanes(int shared);

/* Threads that loaded or stored something, likewise: others only fill the grid. */
unsigned long long simt_busy_threads(void);

/* The status with which the program would end now, were it not for what was found so far: 0; 4, a
 * bug was found; 5, none, but not all could be judged. */
int simt_status(void);

/* How often so far a lane's shuffle read a lane that its mask does not name. What it gets is
 * undefined, which is no bug as long as nothing uses it. */
unsigned long long simt_unnamed_reads(void);

/* How often so far a lane asked for __activemask(). */
unsigned long long simt_active_masks(void);

/* How often so far a thread called __threadfence(), or its like for the whole system. */
unsigned long long simt_fences(void);

/* Was a kernel launched on another stream than one before it? */
int simt_several_streams(void);

/* Bytes that the host's copies have read of the allocation that ptr lies in, so far. */
unsigned long long simt_copied(const void *ptr);

/* Bytes of device memory that the host has taken so far: that were copied to it, that it read where
 * memory is common to both, that it registered; and those that went within the device in pieces of
 * less than 1024 bytes, since who copies these puts them in order. */
unsigned long long simt_taken(void);

/* What traces and findings call the allocation that ptr lies in; without this traces number it. */
void simt_set_name(const void *ptr, const char *name);

/* What the allocation that ptr lies in holds counts as never written: a kernel that reads it before
 * something is written there reads garbage. */
void simt_forget(const void *ptr);

#ifdef __cplusplus
}
#endif
#endif
