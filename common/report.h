/* What a program prints about one run: a few lines for people, or a header and a row of CSV. */
#ifndef REPORT_H
#define REPORT_H

#include "device.h"
#include "options.h"
#include "timing.h"
#include "verdict.h"

/* A program's name, from the folder of its main.cu: steps/03-sequential-addressing gives number
 * "03", name "sequential-addressing", title "sequential addressing", program "step03";
 * detours/single-pass gives number "", name and program "single-pass", title "single pass". */
struct program_name {
    char number[3], name[64], title[64], program[64];
};

struct program_name report_program_name(const char *file);

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
