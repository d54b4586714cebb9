/* Runs a step: input, reduction, verdict, time, report, in this order. */
#define _GNU_SOURCE
#include "lab.h"
#include "device.h"
#include "input.h"
#include "job.h"
#include "options.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef SIMT
#include <simt.h>
#else
#include "empty.h"
#endif

enum { MIN_SCRATCH = 64 * 1024 };

static int gpus = 1;

void lab_gpus(int count)
{
    gpus = count;
}

static size_t scratch_bytes(size_t n)
{
    size_t bytes = n * sizeof(elem_t);
    return bytes > MIN_SCRATCH ? bytes : MIN_SCRATCH;
}

/* All device memory of a job. */
static void job_allocate(struct job *job)
{
    CHECK(cudaMalloc((void **)&job->in, job->n * sizeof(elem_t)));
    if (job->reduce_in_place)
        CHECK(cudaMalloc((void **)&job->work, job->n * sizeof(elem_t)));
    CHECK(cudaMalloc((void **)&job->out, sizeof(elem_t)));
    CHECK(cudaMalloc((void **)&job->scratch, scratch_bytes(job->n)));
#ifdef SIMT
    simt_set_name(job->in, "in");
    if (job->work)
        simt_set_name(job->work, "data");
    simt_set_name(job->out, "out");
    simt_set_name(job->scratch, "scratch");
#endif
}

static size_t job_bytes(const struct job *job)
{
    int inputs = job->reduce_in_place ? 2 : 1;
    return inputs * job->n * sizeof(elem_t) + scratch_bytes(job->n);
}

static void job_free(const struct job *job)
{
    CHECK(cudaFree(job->in));
    CHECK(cudaFree(job->work));
    CHECK(cudaFree(job->out));
    CHECK(cudaFree(job->scratch));
}

/* Copies the period to the device and repeats it there until in has n elements. */
static void upload(elem_t *in, size_t n, const elem_t *values, size_t period)
{
    CHECK(cudaMemcpy(in, values, period * sizeof(elem_t), cudaMemcpyHostToDevice));
    for (size_t have = period; have < n;) {
        size_t count = have < n - have ? have : n - have;
        CHECK(cudaMemcpy(in + have, in, count * sizeof(elem_t), cudaMemcpyDeviceToDevice));
        have += count;
    }
}

/* What out and scratch hold before the reduction is undefined, so let it not be zeros but -1 or a
 * NaN: a reduction that relies on them, or forgets to write its result, is found out. */
static void poison(elem_t *memory, size_t bytes)
{
    CHECK(cudaMemset(memory, 0xFF, bytes));
}

static elem_t download(const elem_t *out)
{
    elem_t result;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
    return result;
}

/* On the CPU backend: counts what the following launches do (and traces it if asked), or not. */
static void count(bool on)
{
#ifdef SIMT
    simt_set_counters(on);
#else
    (void)on;
#endif
}

/* Verifies after the first, untimed reductions, and what was timed once more. */
static void run_reduction(struct run *run, struct job *job, const elem_t *values, size_t period)
{
    const struct options *opt = &run->opt;

    job_allocate(job);
    upload(job->in, opt->n, values, period);
    count(true);
    for (int i = 0; i < opt->warmup; i++) {
        job_restore(job);
        poison(job->out, sizeof(elem_t));
        poison(job->scratch, scratch_bytes(opt->n));
        job_run(job);
        count(false); /* one reduction is enough */
    }
    run->result = download(job->out);
    run->verdict = verdict_of(run->result, &run->ref, opt->n, opt->uniform);
#ifndef SIMT
    if (run->verdict.ok) {
        poison(job->out, sizeof(elem_t));
        run->timing = timing_measure(job, opt->reps, opt->hot, run->device.l2_bytes);
        run->result = download(job->out);
        run->verdict = verdict_of(run->result, &run->ref, opt->n, opt->uniform);
    }
#endif
    job_free(job);
}

/* Times an empty launch, under its own name. */
static void run_empty(struct run *run)
{
#ifdef SIMT
    (void)run;
#else
    const struct job job = {.reduce = empty_launch};

    run->program = program_name_of("empty-launch/main.cu");
    run->block = 1;
    run->timing = timing_measure(&job, run->opt.reps, run->opt.hot, run->device.l2_bytes);
#endif
}

static void print_report(const struct run *run)
{
    if (run->opt.counters == COUNTERS_CSV) {
        report_print_counters(run);
        if (!run->verdict.ok)
            fprintf(stderr, "%s: the result was WRONG\n", run->program.program);
    } else if (run->opt.csv) {
        report_print_csv(run);
    } else {
        report_print(run);
        report_print_counters(run);
    }
}

int lab_refuse(int argc, char **argv, const char *file, const char *what)
{
    struct program_name name = program_name_of(file);

    options_parse(argc, argv, name.program, name.title);
    fprintf(stderr, "%s: needs a GPU and %s: make BACKEND=cuda %s on a machine that has them\n",
            name.program, what, name.program);
    return STATUS_CUDA;
}

/* What lab_requires was told. */
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
    struct run run = {.program = program_name_of(file), .block = block};
    struct job job = {.reduce = reduce, .reduce_in_place = reduce_in_place};
    const char *program = run.program.program;

    run.opt = options_parse(argc, argv, program, run.program.title);
    job.n = run.opt.n;
    run.device = device_open(program, run.opt.device);
    check_requirement(program, &run.device);
    device_check_memory(program, run.opt.n, job_bytes(&job));
#ifdef SIMT
    if (run.opt.threads)
        simt_set_threads(run.opt.threads);
    if (run.opt.order >= 0)
        simt_set_order((unsigned)run.opt.order);
    const char *why = run.opt.trace ? simt_set_trace(run.opt.trace) : NULL;
    if (why)
        options_fail(program, "--trace %s: %s", run.opt.trace, why);
#endif

    size_t period = input_period(run.opt.n);
    elem_t *values = malloc(period * sizeof(elem_t) + 1);
    if (!values)
        options_fail(program, "-n %zu: no host memory for %zu input values; choose a smaller -n",
                     run.opt.n, period);
    input_fill(values, period, &run.opt);
    run.ref = reference_of(values, period, run.opt.n);
    if (run.opt.n > 0) {
        run_reduction(&run, &job, values, period);
    } else { /* of nothing: the neutral element, and nothing to launch */
        run.result = verdict_expected(&run.ref);
        run.verdict.ok = true;
    }
    if (run.opt.empty)
        run_empty(&run);
    free(values);

    run.device.count = gpus;
    print_report(&run);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "%s: cannot write the result to standard output\n", program);
        return STATUS_CUDA;
    }
    return run.verdict.ok ? STATUS_OK : STATUS_WRONG;
}
