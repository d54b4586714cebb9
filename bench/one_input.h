/* What measures many kernels in one process, on one input: each is what reduce launches, verified
 * and timed as the harness does it (common/timing.h). */
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

/* As the options say; file: the program's __FILE__. Ends the program, as the harness does, where
 * something is missing, and with a line on -n below least. */
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

/* What follows is measured with the first n elements alone. */
static void one_input_take(struct one_input *on, size_t n)
{
    on->job.n = n;
    on->ref = reference_of(on->input.values, on->input.period, n);
}

/* Ends the program if what was run last has left a wrong sum. */
static void one_input_verify(const struct one_input *on)
{
    if (verdict_of(job_result(&on->job), &on->ref, on->job.n, on->opt.uniform).right)
        return;
    fprintf(stderr, "%s: n = %zu: the result is WRONG\n", on->name.program, on->job.n);
    exit(STATUS_WRONG);
}

/* Times what reduce launches now. On the CPU backend nothing is timed: all is 0. */
static struct timing one_input_time(const struct one_input *on)
{
    return backend_time(&on->job, on->opt.reps, on->opt.hot, on->device.l2_bytes);
}

/* … and verifies it before and after. */
static struct timing one_input_measure(const struct one_input *on)
{
    backend_poison(&on->job);
    job_run(&on->job);
    one_input_verify(on);
    struct timing t = one_input_time(on);
    one_input_verify(on);
    return t;
}

/* A field of a row and what stands behind it; empty where nothing was timed. */
static void print_figure(double figure, const char *end)
{
    if (figure > 0)
        printf("%.6f", figure);
    printf("%s", end);
}

#endif
