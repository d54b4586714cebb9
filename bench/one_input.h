/* What a program begins with that measures many kernels in one process, on one input. */
#ifndef ONE_INPUT_H
#define ONE_INPUT_H

#include <stdio.h>
#include <stdlib.h>

extern "C" { /* the harness is C */
#include "backend.h"
#include "device.h"
#include "input.h"
#include "program_name.h"
#include "verdict.h"
}

struct one_input {
    struct program_name name;
    struct options opt;
    struct device device;
    struct input input; /* on the host */
    struct job job;     /* with the input on the device */
    struct reference ref;
};

/* As the options say; file: the program's __FILE__; reduce: what the job runs. Ends the program, as
 * the harness does, where something is missing, and with a line on -n below least. */
static struct one_input one_input_new(int argc, char **argv, const char *file, size_t least,
                                      reduce_fn *reduce)
{
    struct one_input on = {};

    on.name = program_name_of(file);
    const char *program = on.name.program;
    on.opt = options_parse(argc, argv, program, on.name.title);
    on.job.n = on.opt.n;
    on.job.reduce = reduce;
    on.device = device_open(program, on.opt.device);
    device_check_memory(program, on.opt.n, job_bytes(&on.job));
    on.input = input_new(&on.opt);
    if (!on.input.values || on.opt.n < least)
        options_fail(program, "-n %zu: want %zu or more, and host memory for it", on.opt.n, least);
    job_allocate(&on.job);
    input_upload(&on.input, on.job.in);
    return on;
}

/* Of the first n elements alone, from now on. */
static void one_input_take(struct one_input *on, size_t n)
{
    on->job.n = n;
    on->ref = reference_of(on->input.values, on->input.period, n);
}

/* Ends the program if what was run last has left a wrong result; what: in words, what that was. */
static void one_input_verify(const struct one_input *on, const char *what)
{
    if (verdict_of(job_result(&on->job), &on->ref, on->job.n, on->opt.uniform).right)
        return;
    fprintf(stderr, "%s: %s, n = %zu: the result is WRONG\n", on->name.program, what, on->job.n);
    exit(STATUS_WRONG);
}

#endif
