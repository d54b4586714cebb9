/* Times a reduction with CUDA events. */
#include "timing.h"
#include "check.h"
#include "clock.h"
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

/* What one repetition needs. */
struct subject {
    const struct job *job;
    bool hot;
    struct flush flush;
    cudaEvent_t start, end;
};

static double time_once(struct subject *s)
{
    float ms;

    if (s->hot && !s->job->work)
        job_run(s->job);
    job_restore(s->job);
    if (s->hot)
        spin_enqueue();
    else
        flush_enqueue(&s->flush);
    CHECK(cudaEventRecord(s->start, 0));
    job_run(s->job);
    CHECK(cudaEventRecord(s->end, 0));
    CHECK(cudaEventSynchronize(s->end));
    CHECK(cudaEventElapsedTime(&ms, s->start, s->end));
    return ms;
}

struct timing timing_measure(const struct job *job, int reps, bool hot, size_t l2_bytes)
{
    struct subject s = {job, hot, {0}, NULL, NULL};
    int most = reps ? reps : MAX_REPS, done = 0;
    double *ms = malloc((size_t)most * sizeof *ms), total = 0;

    if (!ms)
        CHECK(cudaErrorMemoryAllocation);
    if (!hot)
        s.flush = flush_new(l2_bytes);
    CHECK(cudaEventCreate(&s.start));
    CHECK(cudaEventCreate(&s.end));
    for (double begin = clock_ms(); reps != 1 && clock_ms() - begin < WARM_UP_MS;)
        time_once(&s);
    while (done < most && (reps || done < MIN_REPS || total < MAX_TOTAL_MS))
        total += ms[done++] = time_once(&s);
    CHECK(cudaEventDestroy(s.start));
    CHECK(cudaEventDestroy(s.end));
    flush_free(&s.flush);

    struct timing timing = {.reps = done, .median_ms = timing_median(ms, done)};
    timing.min_ms = ms[0];
    timing.max_ms = ms[done - 1];
    free(ms);
    return timing;
}
