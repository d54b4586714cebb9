/* The protocol of the marker and an exercise's program: one request in a file that the program
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

struct wire_request {
    uint32_t magic;          /* WIRE_MAGIC */
    uint32_t sizes;          /* the number of struct wire_size that follow */
    uint32_t arrays;         /* the number of struct wire_array behind them */
    uint32_t blank;          /* the byte that outputs and memory to work with hold at first */
    unsigned char nonce[16]; /* random bytes, which the answer repeats */
};

struct wire_size {
    char name[WIRE_NAME];
    uint64_t value;
};

struct wire_array {
    char name[WIRE_NAME];
    uint32_t role;  /* enum task_role */
    uint32_t bytes; /* of an element */
    uint64_t count; /* of elements */
};

/* While task_run ran. */
struct wire_answer {
    unsigned char nonce[16]; /* the request's: a program that does not know it has not answered */
    uint64_t launches;       /* as in struct simt_so_far */
    uint64_t several;        /* its several_streams */
    uint64_t copied;         /* bytes of the inputs that CUDA's copies read */
    uint64_t taken;          /* as in struct simt_so_far, */
    uint64_t busiest[2];     /* also this, */
    uint64_t few[2];         /* this */
    uint64_t busy;           /* and this */
    uint64_t unnamed;        /* unnamed_reads of that, */
    uint64_t active;         /* active_masks */
    uint64_t fences;         /* and fences */
    uint64_t status;         /* simt_status */
    uint64_t counters;       /* bytes of the text that follows */
};

#endif
