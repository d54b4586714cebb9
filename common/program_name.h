/* A program's names, all from the folder of its main.cu. */
#ifndef PROGRAM_NAME_H
#define PROGRAM_NAME_H

/* steps/03-sequential-addressing/main.cu gives number "03", name "sequential-addressing", title
 * "sequential addressing", program "step03"; detours/single-pass/main.cu gives number "", name and
 * program "single-pass", title "single pass". */
struct program_name {
    char number[3], name[64], title[64], program[64];
};

/* file: the main.cu, as __FILE__ names it. Pure. */
struct program_name program_name_of(const char *file);

#endif
