/* Times a reduction with CUDA events. */
#include "timing.h"
#include "check.h"
#include "clock.h"
#include "gate.h"
#include "kernels.h"

#include <stdlib.h>

enum { MIN_REPS = 5, MAX_REPS = 100, MAX_TOTAL_MS = 1000, WARM_UP_MS = 100 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double timing_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The resources of one repetition. */
struct subject {
    const struct job *job;
    struct conditions on;
    struct flush flush[MAX_GPUS];
    cudaEvent_t start, end;
};

/* Gives GPU g, which becomes the current one, what empties its cache; or takes it back. */
static void own_flush(struct subject *s, int g, bool begin)
{
    if (s->on.gpus > 1)
        CHECK(cudaSetDevice(s->on.devices[g]));
    if (begin && !s->on.hot)
        s->flush[g] = flush_new(s->on.l2_bytes);
    else
        flush_free(&s->flush[g]);
}

/* Sends GPU g, which becomes the current one, to the gate, with an empty cache. */
static void send_to_gate(const struct subject *s, int g)
{
    CHECK(cudaSetDevice(s->on.devices[g]));
    if (!s->on.hot)
        flush_enqueue(&s->flush[g]);
    gate_enqueue();
}

static double time_once(struct subject *s)
{
    float ms;

    if (s->on.hot && !s->job->work)
        job_run(s->job);
    job_restore(s->job);
    if (s->on.gate) {
        gate_close();
        for (int g = s->on.gpus - 1; g >= 0; g--)
            send_to_gate(s, g);
    } else if (s->on.hot) {
        spin_enqueue();
    } else {
        flush_enqueue(&s->flush[0]);
    }
    CHECK(cudaEventRecord(s->start, 0));
    job_run(s->job);
    CHECK(cudaEventRecord(s->end, 0));
    if (s->on.gate)
        gate_open();
    CHECK(cudaEventSynchronize(s->end));
    CHECK(cudaEventElapsedTime(&ms, s->start, s->end));
    return ms;
}

struct timing timing_measure(const struct job *job, int reps, const struct conditions *conditions)
{
    struct subject s = {.job = job, .on = *conditions};
    int most = reps ? reps : MAX_REPS, done = 0;
    double *ms = malloc((size_t)most * sizeof *ms), total = 0;

    if (!ms)
        CHECK(cudaErrorMemoryAllocation);
    for (int g = s.on.gpus - 1; g >= 0; g--)
        own_flush(&s, g, true);
    CHECK(cudaEventCreate(&s.start));
    CHECK(cudaEventCreate(&s.end));
    for (double begin = clock_ms(); reps != 1 && clock_ms() - begin < WARM_UP_MS;)
        time_once(&s);
    while (done < most && (reps || done < MIN_REPS || total < MAX_TOTAL_MS))
        total += ms[done++] = time_once(&s);
    CHECK(cudaEventDestroy(s.start));
    CHECK(cudaEventDestroy(s.end));
    for (int g = s.on.gpus - 1; g >= 0; g--)
        own_flush(&s, g, false);

    struct timing timing = {.reps = done, .median_ms = timing_median(ms, done)};
    timing.min_ms = ms[0];
    timing.max_ms = ms[done - 1];
    free(ms);
    return timing;
}
