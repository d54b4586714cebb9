/* Times a reduction with CUDA events. */
#define _GNU_SOURCE
#include "timing.h"
#include "flush.h"

#include <stdlib.h>

enum { MIN_REPS = 5, MAX_REPS = 100, MAX_TOTAL_MS = 1000 };

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

struct timing timing_measure(reduce_fn *reduce, const elem_t *in, elem_t *out, elem_t *scratch,
                             size_t n, int reps, bool hot, size_t l2_bytes)
{
    int most = reps ? reps : MAX_REPS;
    double *ms = malloc((size_t)most * sizeof *ms), total = 0;
    struct flush flush = {0};
    cudaEvent_t start, end;
    int done = 0;

    if (!ms)
        CHECK(cudaErrorMemoryAllocation);
    if (!hot)
        flush = flush_new(l2_bytes);
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    while (done < most && (reps || done < MIN_REPS || total < MAX_TOTAL_MS)) {
        float elapsed;
        if (hot)
            reduce(in, out, scratch, n);
        else
            flush_enqueue(&flush);
        CHECK(cudaEventRecord(start, 0));
        reduce(in, out, scratch, n);
        CHECK(cudaEventRecord(end, 0));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&elapsed, start, end));
        ms[done++] = elapsed;
        total += elapsed;
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    flush_free(&flush);

    struct timing timing = {.reps = done, .median_ms = timing_median(ms, done)};
    timing.min_ms = ms[0];
    timing.max_ms = ms[done - 1];
    free(ms);
    return timing;
}
