/* What the marker and an exercise's program tell each other: one request in a file that the program
 * finds open as WIRE_IN, one answer in another that it finds as WIRE_OUT. Both run on one machine.
 *
 * A request: struct wire_request, its sizes, its arrays, then the inputs' elements in order. An
 * answer: struct wire_answer, the counters as SIMT_COUNTERS=csv prints them, then the elements of
 * all inputs and outputs in order. */
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>

enum { WIRE_IN = 3, WIRE_OUT = 4, WIRE_MOST = 16, WIRE_NAME = 32 };

#define WIRE_MAGIC 0x6b736174u

/* The answer repeats the request's nonce: who does not know it has not answered. blank: the byte
 * that outputs and memory to work with hold at first. */
struct wire_request {
    uint32_t magic, sizes, arrays, blank;
    unsigned char nonce[16];
};

struct wire_size {
    char name[WIRE_NAME];
    uint64_t value;
};

struct wire_array {
    char name[WIRE_NAME];
    uint32_t role, bytes; /* enum task_role; of an element */
    uint64_t count;
};

/* launches: of kernels; several: were they on several streams? copied: bytes of the inputs that
 * CUDA's copies read; the others up to status as simt.h has them: simt_taken, simt_busiest_warp,
 * simt_few_lanes, simt_busy_threads, simt_unnamed_reads, simt_active_masks; all while task_run ran.
 * counters: bytes of the text that follows. */
struct wire_answer {
    unsigned char nonce[16];
    uint64_t launches, several, copied, taken, busiest, few[2], busy, unnamed, active, status;
    uint64_t counters;
};

#endif
