/* A student's program: compiling it, and running it once at given sizes. */
#ifndef TRIAL_H
#define TRIAL_H

#include "../work.h"
#include "counters.h"
#include "findings.h"
#include "limits.h"
#include "places.h"
#include "task_file.h"

#include <stdbool.h>

/* What is compiled: one type of elements, its size, and what its reference is. */
struct subject {
    const struct places *places;
    const struct task_file *file;
    const char *type;
    unsigned bytes;
    void (*reference)(struct work *w), (*inputs)(struct work *w); /* inputs: NULL: the usual ones */
};

/* Compiles work/main.cu to the program that trials run. */
struct ended trial_compile(const struct subject *subject);

/* Why there is no answer, or that there is one. */
enum answered { ANSWERED, NOT_ANSWERED, ANSWERED_TWICE };

/* How the program's output differs from the reference: the first element, the values as text. */
struct difference {
    bool any;
    const char *array;
    int out;             /* which output, 0 the first */
    size_t index, count; /* count: of elements that differ */
    double want, have;
    const char *expected, *got;
};

/* One run. `changed`: an input that is no longer what it was. The report may be missing. */
struct trial {
    long size[WIRE_MOST];
    struct ended ended;
    enum answered answered;
    bool reported;
    struct findings findings;
    struct counters counters;
    unsigned long long launches, copied, busiest, unnamed, input_bytes; /* as in wire.h */
    size_t input_elements;
    struct difference wrong;
    const char *changed;
};

/* Runs the program at these sizes, with inputs and an order of threads (SIMT_ORDER, 0: as numbered)
 * from the random numbers' state. NULL, or why that could not be done. trial_free frees what it
 * took, also then. */
const char *trial_run(const struct subject *subject, const long *sizes, bool shuffled,
                      unsigned long long *random, struct trial *trial);
void trial_free(struct trial *trial);

#endif
