/* Runs a reduction, one that destroys its input on a copy of it. */
#include "job.h"
#include "check.h"

#include <stdlib.h>

enum { MIN_SCRATCH = 64 * 1024 };

static size_t scratch_bytes(const struct job *job)
{
    size_t bytes = job->n * sizeof(elem_t);
    return bytes > MIN_SCRATCH ? bytes : MIN_SCRATCH;
}

size_t job_bytes(const struct job *job)
{
    int inputs = job->reduce_in_place ? 2 : 1;
    return inputs * job->n * sizeof(elem_t) + scratch_bytes(job);
}

void job_allocate(struct job *job)
{
    CHECK(cudaMalloc((void **)&job->in, job->n * sizeof(elem_t)));
    if (job->reduce_in_place)
        CHECK(cudaMalloc((void **)&job->work, job->n * sizeof(elem_t)));
    CHECK(cudaMalloc((void **)&job->out, sizeof(sum_t)));
    CHECK(cudaMalloc((void **)&job->scratch, scratch_bytes(job)));
}

void job_free(const struct job *job)
{
    CHECK(cudaFree(job->in));
    CHECK(cudaFree(job->work));
    CHECK(cudaFree(job->out));
    CHECK(cudaFree(job->scratch));
}

void job_poison(const struct job *job)
{
    CHECK(cudaMemset(job->out, 0xFF, sizeof(sum_t)));
    CHECK(cudaMemset(job->scratch, 0xFF, scratch_bytes(job)));
}

void job_restore(const struct job *job)
{
    if (job->reduce_in_place)
        CHECK(cudaMemcpyAsync(job->work, job->in, job->n * sizeof(elem_t), cudaMemcpyDeviceToDevice,
                              NULL));
}

void job_run(const struct job *job)
{
    if (job->reduce_in_place)
        job->reduce_in_place(job->work, job->out, job->scratch, job->n);
    else
        job->reduce(job->in, job->out, job->scratch, job->n);
}

static sum_t add_up_tiles(const struct job *job)
{
    size_t count = (job->n + job->tile - 1) / job->tile;
    sum_t *sums = malloc(count * sizeof *sums), total = 0;

    if (!sums)
        CHECK(cudaErrorMemoryAllocation);
    CHECK(cudaMemcpy(sums, job->scratch, count * sizeof *sums, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        total += sums[i];
    free(sums);
    return total;
}

sum_t job_result(const struct job *job)
{
    sum_t result;
    CHECK(cudaDeviceSynchronize());
    if (job->tile)
        return add_up_tiles(job);
    CHECK(cudaMemcpy(&result, job->out, sizeof result, cudaMemcpyDeviceToHost));
    return result;
}
