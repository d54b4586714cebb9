/* The output of a program about one run: a few lines for people, or CSV. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "device.h"
#include "options.h"
#include "program_name.h"
#include "timing.h"
#include "verdict.h"

struct run {
    struct program_name program;
    const char *library; /* that does the work, "" for none */
    struct device device;
    struct options opt;
    struct reference ref;
    struct verdict verdict;
    struct timing timing; /* reps 0: not timed */
    int block;
    sum_t result;
};

/* In the form that the options ask for; the counters of one reduction, too, where there are any. */
void output_print(const struct run *run);

#endif
