/* The CPU backend's half, and the GPU's. */
#include "backend.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

static const struct backend cpu = {"cpu", "CPU backend", "2^20", true};
static const struct backend cuda = {"cuda", "GPU", "2^24", false};

#ifdef SIMT /* cuda_runtime_api.h is the CPU backend's */

#include <simt.h>

const struct backend *const backend = &cpu, *const other_backend = &cuda;

const char *backend_steer(int order, const char *trace)
{
    if (order >= 0)
        simt_set_order((unsigned)order);
    return trace ? simt_set_trace(trace) : NULL;
}

void backend_name_arrays(const struct job *job)
{
    simt_set_name(job->in, "in");
    if (job->work)
        simt_set_name(job->work, "data");
    simt_set_name(job->out, "out");
    simt_set_name(job->scratch, "scratch");
}

void backend_poison(const struct job *job)
{
    job_poison(job);
    simt_forget(job->out);
    simt_forget(job->scratch);
}

void backend_count(bool on)
{
    simt_set_counters(on);
}

bool backend_launched(void)
{
    static unsigned before;
    unsigned last = before;
    return (before = simt_so_far().launches) != last;
}

void backend_print_counters(enum counters style, const char *number)
{
    static const enum simt_style styles[] = {[COUNTERS_TABLE] = SIMT_TABLE,
                                             [COUNTERS_CSV] = SIMT_CSV,
                                             [COUNTERS_ANNOTATE] = SIMT_ANNOTATE};
    simt_print_counters(stdout, styles[style], number);
}

struct timing backend_time(const struct job *job, int reps, const struct conditions *conditions)
{
    (void)job, (void)reps, (void)conditions;
    return (struct timing){0};
}

#else

#include "kernels.h"

const struct backend *const backend = &cuda, *const other_backend = &cpu;
static const struct job empty = {.reduce = empty_launch};

const char *backend_steer(int order, const char *trace)
{
    (void)order, (void)trace;
    return NULL;
}

void backend_name_arrays(const struct job *job)
{
    (void)job;
}

void backend_poison(const struct job *job)
{
    job_poison(job);
}

void backend_count(bool on)
{
    (void)on;
}

bool backend_launched(void)
{
    return true;
}

void backend_print_counters(enum counters style, const char *number)
{
    (void)style, (void)number;
}

struct timing backend_time(const struct job *job, int reps, const struct conditions *conditions)
{
    return timing_measure(job ? job : &empty, reps, conditions);
}

#endif
