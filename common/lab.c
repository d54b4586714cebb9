/* Runs a step: input, reduction, verdict, time, output, in this order. */
#include "lab.h"
#include "backend.h"
#include "device.h"
#include "input.h"
#include "job.h"
#include "options.h"
#include "output.h"
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int gpus = 1;
static struct conditions conditions = {.gpus = 1};
static const char *library = "";
static size_t tile;

void lab_gpus(int count, const int *others, int other_count)
{
    gpus = count;
    conditions.gpus = 1 + other_count;
    for (int g = 0; g < other_count; g++)
        conditions.devices[1 + g] = others[g];
}

void lab_uses(const char *name)
{
    library = name;
}

void lab_tiles(size_t elements)
{
    tile = elements;
}

static struct verdict judge(struct run *run, const struct job *job)
{
    run->result = job_result(job);
    return verdict_of(run->result, &run->ref, run->opt.n, run->opt.uniform);
}

/* A job, or NULL for an empty launch. One repetition is for profilers, which may end a kernel
 * before they let the next one be enqueued: at a gate they would wait for ever. */
static struct timing measure(struct run *run, const struct job *job)
{
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");

    run->opt.gate = (run->opt.gate || gpus > 1) && run->opt.reps != 1;
    if (run->opt.gate && blocking && strcmp(blocking, "0") != 0)
        options_fail(run->program.program,
                     "CUDA_LAUNCH_BLOCKING is set, and a launch at the gate would block for ever: "
                     "unset it, or want -r 1");
    conditions.hot = run->opt.hot;
    conditions.gate = run->opt.gate;
    conditions.l2_bytes = run->device.l2_bytes;
    conditions.devices[0] = run->opt.device;
    return backend_time(job, run->opt.reps, &conditions);
}

/* Verifies after the first, untimed reductions, which on a GPU is one, and what was timed once
 * more. */
static void run_reduction(struct run *run, struct job *job, const struct input *input)
{
    const struct options *opt = &run->opt;
    int untimed = backend->simulated && opt->reps ? opt->reps : 1;
    bool idle = false;

    job_allocate(job);
    backend_name_arrays(job);
    input_upload(input, job->in);
    backend_count(true);
    for (int i = 0; i < untimed; i++) {
        job_restore(job);
        backend_poison(job);
        job_run(job);
        idle = !backend_launched() || idle;
        backend_count(false); /* one reduction is enough */
    }
    run->verdict = judge(run, job);
    if (run->verdict.right && !backend->simulated) {
        backend_poison(job);
        run->timing = measure(run, job);
        run->verdict = judge(run, job);
    }
    run->verdict.idle = idle;
    if (job->reduce) /* one in place had a copy */
        run->verdict.change = input_change(input, job->in);
    job_free(job);
}

/* Times an empty launch, under its own name. */
static void run_empty(struct run *run)
{
    run->program = program_name_of("empty-launch/main.cu");
    run->block = 1;
    run->timing = measure(run, NULL);
}

int lab_refuse(int argc, char **argv, const char *file, const char *needs, const char *make)
{
    struct program_name name = program_name_of(file);

    options_parse(argc, argv, name.program, name.title);
    fprintf(stderr, "%s: needs %s: %s %s\n", name.program, needs, make, name.program);
    return STATUS_CUDA;
}

/* The arguments of lab_requires. */
static struct {
    int major, minor;
    const char *what;
} required;

void lab_requires(int major, int minor, const char *what)
{
    required.major = major;
    required.minor = minor;
    required.what = what;
}

static void check_requirement(const char *program, const struct device *device)
{
    if (device->major * 100 + device->minor >= required.major * 100 + required.minor)
        return;
    fprintf(stderr,
            "%s: needs a GPU of compute capability %d.%d or later for %s; this %s has %d.%d\n",
            program, required.major, required.minor, required.what, device->name, device->major,
            device->minor);
    exit(STATUS_CUDA);
}

int lab_run(int argc, char **argv, const char *file, int block, reduce_fn *reduce,
            reduce_in_place_fn *reduce_in_place)
{
    struct run run = {.program = program_name_of(file), .library = library, .block = block};
    struct job job = {.reduce = reduce, .reduce_in_place = reduce_in_place, .tile = tile};
    const char *program = run.program.program;

    run.opt = options_parse(argc, argv, program, run.program.title);
    source_check(program, file);
    job.n = run.opt.n;
    run.device = device_open(program, run.opt.device);
    check_requirement(program, &run.device);
    device_check_memory(program, run.opt.n, job_bytes(&job));
    const char *why = backend_steer(run.opt.order, run.opt.trace);
    if (why)
        options_fail(program, "--trace %s: %s", run.opt.trace, why);

    struct input input = input_new(&run.opt);
    if (!input.values)
        options_fail(program, "-n %zu: no host memory for %zu input values; choose a smaller -n",
                     input.n, input.period);
    run.ref = reference_of(input.values, input.period, input.n, !run.opt.csv);
    if (run.opt.n > 0) {
        run_reduction(&run, &job, &input);
    } else { /* of nothing: the neutral element, and nothing to launch */
        run.result = verdict_expected(&run.ref);
        run.verdict.right = true;
    }
    if (run.opt.empty)
        run_empty(&run);
    input_free(&input);

    run.device.count = gpus;
    output_print(&run);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "%s: cannot write the result to standard output\n", program);
        return STATUS_CUDA;
    }
    return verdict_ok(&run.verdict) ? STATUS_OK : STATUS_WRONG;
}
