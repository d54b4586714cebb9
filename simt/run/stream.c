/* CUDA's runtime API: streams and events. All that streams are asked for is done at once, in the
 * order of the calls. */
#define _GNU_SOURCE
#include "run/stream.h"
#include "run/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* Handles point into a table, so that a wrong one is seen. */
enum { MOST_STREAMS = 4096 };

static struct simt_stream {
    int live;
} streams[MOST_STREAMS];

struct simt_event {
    bool recorded;
    struct timespec time;
};

bool stream_number(cudaStream_t stream, unsigned *number)
{
    uintptr_t offset = (uintptr_t)stream - (uintptr_t)streams;

    *number = 0;
    if (!stream || stream == cudaStreamLegacy)
        return true;
    if (stream == cudaStreamPerThread)
        *number = MOST_STREAMS + 1;
    else if (offset < sizeof streams && offset % sizeof *stream == 0 && stream->live)
        *number = (unsigned)(stream - streams) + 1;
    return *number > 0;
}

/* CUDA's error, remembered as the last one, of a call that names the stream and other handles. */
static cudaError_t check(cudaStream_t stream, bool all_there)
{
    unsigned number;

    return error_set(all_there && stream_number(stream, &number) ? cudaSuccess
                                                                 : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    size_t i = 0;

    if (!stream || flags > cudaStreamNonBlocking)
        return error_set(cudaErrorInvalidValue);
    while (i < MOST_STREAMS && __atomic_exchange_n(&streams[i].live, true, __ATOMIC_SEQ_CST))
        i++; /* another thread of the host may be after the same one */
    if (i < MOST_STREAMS)
        *stream = &streams[i];
    return error_set(i < MOST_STREAMS ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error =
        check(stream, stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread);

    if (error == cudaSuccess)
        stream->live = false;
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = check(stream, true);

    if (error == cudaSuccess)
        async_wait();
    return error;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    return check(stream, event != NULL);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return error_set(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return check(NULL, event != NULL);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = check(stream, event != NULL);

    if (error != cudaSuccess)
        return error;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->recorded = true;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (event)
        async_wait();
    return check(NULL, event != NULL);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!start || !end || !start->recorded || !end->recorded)
        return error_set(cudaErrorInvalidResourceHandle);
    async_wait(); /* that there is a time says that it is over */
    double seconds = (double)(end->time.tv_sec - start->time.tv_sec);
    double nanoseconds = (double)(end->time.tv_nsec - start->time.tv_nsec);
    *ms = (float)(1e3 * seconds + 1e-6 * nanoseconds);
    return cudaSuccess;
}

/* A callback can tell the host that it was called in ways that nobody sees: when it has been, the
 * host counts as having waited. */
static cudaError_t begin_callback(cudaStream_t stream, bool is_there)
{
    cudaError_t error = check(stream, true);

    if (error != cudaSuccess)
        return error;
    async_wait();
    return error_set(is_there ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags)
{
    cudaError_t error = begin_callback(stream, callback != NULL);

    (void)flags;
    if (error == cudaSuccess)
        callback(stream, cudaSuccess, data);
    return error;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    cudaError_t error = begin_callback(stream, function != NULL);

    if (error == cudaSuccess)
        function(data);
    return error;
}

/* ---- counts the host's waits, and notes which streams it uses ---- */

static unsigned long waits;
static unsigned first_stream; /* its number and 1; 0: none yet */
static bool several;

void async_wait(void)
{
    waits++;
}

unsigned long async_waits(void)
{
    return waits;
}

unsigned async_use(unsigned stream, unsigned launch)
{
    static unsigned last_stream, last; /* one stream alone is followed */
    unsigned before = stream == last_stream ? last : 0;

    if (first_stream == 0)
        first_stream = stream + 1;
    several |= first_stream != stream + 1;
    last_stream = stream;
    last = launch;
    return before;
}

bool async_used_several(void)
{
    return several;
}
