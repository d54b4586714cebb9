/* What measures many kernels in one process, on one input: each is what the job's reduction
 * launches when it is measured, verified and timed as the harness does it (common/timing.h). */
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

static struct program_name name;
static struct options options;
static struct device device;
static struct input input; /* on the host */
static struct job job;     /* with the input on the device */
static struct reference reference;

/* What follows is measured with the first n elements alone. */
static void take_elements(size_t n)
{
    job.n = n;
    reference = reference_of(input.values, input.period, n);
}

/* As the options say; file: the program's __FILE__. Ends the program, as the harness does, where
 * something is missing, and with a line on -n below least. */
static void begin(int argc, char **argv, const char *file, size_t least, reduce_fn *reduce)
{
    name = program_name_of(file);
    options = options_parse(argc, argv, name.program, name.title);
    job.reduce = reduce;
    job.n = options.n;
    device = device_open(name.program, options.device);
    device_check_memory(name.program, options.n, job_bytes(&job));
    input = input_new(&options);
    if (!input.values || options.n < least)
        options_fail(name.program, "-n %zu: want %zu or more, and host memory for it", options.n,
                     least);
    job_allocate(&job);
    input_upload(&input, job.in);
    take_elements(options.n);
}

/* Times what is launched now. On the CPU backend nothing is timed: all is 0. */
static struct timing time_now(void)
{
    return backend_time(&job, options.reps, options.hot, device.l2_bytes);
}

/* Ends the program if what was run last has left a wrong sum. */
static void verify(void)
{
    if (verdict_of(job_result(&job), &reference, job.n, options.uniform).right)
        return;
    fprintf(stderr, "%s: n = %zu: the result is WRONG\n", name.program, job.n);
    exit(STATUS_WRONG);
}

static struct timing verify_and_time(void)
{
    backend_poison(&job);
    job_run(&job);
    verify();
    struct timing t = time_now();
    verify();
    return t;
}

#endif
