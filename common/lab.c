/* Runs a step: input, reduction, verdict, time, report, in this order. */
#define _GNU_SOURCE
#include "lab.h"
#include "device.h"
#include "input.h"
#include "options.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef SIMT
#include <simt.h>
#else
#include "empty.h"
#endif

/* Device memory of a run. scratch has its promised minimum (lab.h). */
struct buffers {
    elem_t *in, *out, *scratch;
};

enum { MIN_SCRATCH = 64 * 1024 };

void lab_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(error),
            cudaGetErrorName(error));
    exit(STATUS_CUDA);
}

static size_t scratch_bytes(size_t n)
{
    size_t bytes = n * sizeof(elem_t);
    return bytes > MIN_SCRATCH ? bytes : MIN_SCRATCH;
}

static struct buffers buffers_new(size_t n)
{
    struct buffers b;
    CHECK(cudaMalloc((void **)&b.in, n * sizeof(elem_t)));
    CHECK(cudaMalloc((void **)&b.out, sizeof(elem_t)));
    CHECK(cudaMalloc((void **)&b.scratch, scratch_bytes(n)));
#ifdef SIMT
    simt_set_name(b.in, "in");
    simt_set_name(b.out, "out");
    simt_set_name(b.scratch, "scratch");
#endif
    return b;
}

static void buffers_free(struct buffers *b)
{
    CHECK(cudaFree(b->in));
    CHECK(cudaFree(b->out));
    CHECK(cudaFree(b->scratch));
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
static void run_reduction(struct run *run, reduce_fn *reduce, const elem_t *values, size_t period)
{
    const struct options *opt = &run->opt;
    struct buffers b = buffers_new(opt->n);

    upload(b.in, opt->n, values, period);
    poison(b.out, sizeof(elem_t));
    poison(b.scratch, scratch_bytes(opt->n));
    count(true);
    for (int i = 0; i < opt->warmup; i++) {
        reduce(b.in, b.out, b.scratch, opt->n);
        count(false); /* one reduction is enough */
    }
    run->result = download(b.out);
    run->verdict = verdict_of(run->result, &run->ref, opt->n, opt->uniform);
#ifndef SIMT
    if (run->verdict.ok) {
        poison(b.out, sizeof(elem_t));
        run->timing = timing_measure(reduce, b.in, b.out, b.scratch, opt->n, opt->reps, opt->hot,
                                     run->device.l2_bytes);
        run->result = download(b.out);
        run->verdict = verdict_of(run->result, &run->ref, opt->n, opt->uniform);
    }
#endif
    buffers_free(&b);
}

/* Times an empty launch, under its own name. */
static void run_empty(struct run *run)
{
#ifdef SIMT
    (void)run;
#else
    run->program = report_program_name("empty-launch/main.cu");
    run->block = 1;
    run->timing = timing_measure(empty_launch, NULL, NULL, NULL, 0, run->opt.reps, run->opt.hot,
                                 run->device.l2_bytes);
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
    struct program_name name = report_program_name(file);

    options_parse(argc, argv, name.program, name.title);
    fprintf(stderr, "%s: needs a GPU and %s: make BACKEND=cuda %s on a machine that has them\n",
            name.program, what, name.program);
    return STATUS_CUDA;
}

int lab_run(int argc, char **argv, const char *file, int block, reduce_fn *reduce)
{
    struct run run = {.program = report_program_name(file), .block = block};
    const char *program = run.program.program;

    run.opt = options_parse(argc, argv, program, run.program.title);
    run.device = device_open(program, run.opt.device);
    device_check_memory(program, run.opt.n, run.opt.n * sizeof(elem_t) + scratch_bytes(run.opt.n));
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
    input_fill(values, period, run.opt.seed, run.opt.uniform);
    run.ref = reference_sum(values, period, run.opt.n);
    if (run.opt.n > 0)
        run_reduction(&run, reduce, values, period);
    else
        run.verdict.ok = true; /* the empty sum is 0: nothing to launch */
    if (run.opt.empty)
        run_empty(&run);
    free(values);

    print_report(&run);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "%s: cannot write the result to standard output\n", program);
        return STATUS_CUDA;
    }
    return run.verdict.ok ? STATUS_OK : STATUS_WRONG;
}
