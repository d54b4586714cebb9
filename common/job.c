/* Runs a reduction, one that destroys its input on a copy of it. */
#include "job.h"
#include "check.h"

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
