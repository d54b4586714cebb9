/* What a program prints about one run: a few lines for people, or a header and a row of CSV. */
#ifndef REPORT_H
#define REPORT_H

#include "device.h"
#include "options.h"
#include "program_name.h"
#include "timing.h"
#include "verdict.h"

struct run {
    struct program_name program;
    struct device device;
    struct options opt;
    struct reference ref;
    struct verdict verdict;
    struct timing timing; /* reps 0: not timed */
    int block;
    elem_t result;
};

void report_print(const struct run *run);
void report_print_csv(const struct run *run);

/* The counters of one reduction in the style that the options ask for. CPU backend only; nothing
 * elsewhere. */
void report_print_counters(const struct run *run);

#endif
