/* CUDA's runtime API: streams, events and waiting. Each request is done at once, in the order of
 * the calls. */
#define _GNU_SOURCE
#include "run/runtime.h"
#include "simt.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* A handle is a number; 0 to 2 are CUDA's own. */
enum { FIRST_STREAM = 3, MOST_STREAMS = 4096 };
static enum { NOT_THERE, BLOCKING, NON_BLOCKING } live[MOST_STREAMS];

struct simt_event {
    double ms;           /* when it was recorded; 0: it has not been */
    unsigned long asked; /* requests before it, as async_asked has it */
};

bool stream_number(cudaStream_t stream, unsigned *number)
{
    uintptr_t handle = (uintptr_t)stream;

    *number = stream == cudaStreamLegacy ? 0 : (unsigned)handle;
    return handle < FIRST_STREAM || (handle < MOST_STREAMS && live[handle]);
}

/* CUDA's error, remembered as the last one, of a call that names the stream and other handles. */
static cudaError_t check_stream(cudaStream_t stream, bool all_there)
{
    unsigned number;

    return error_set(all_there && stream_number(stream, &number) ? cudaSuccess
                                                                 : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    uintptr_t handle = FIRST_STREAM;
    unsigned as = flags == cudaStreamNonBlocking ? NON_BLOCKING : BLOCKING;

    if (!stream || flags > cudaStreamNonBlocking)
        return error_set(cudaErrorInvalidValue);
    while (handle < MOST_STREAMS && !__sync_bool_compare_and_swap(&live[handle], NOT_THERE, as))
        handle++; /* another thread of the host may be after the same one */
    *stream = (cudaStream_t)handle;
    return error_set(handle < MOST_STREAMS ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error = check_stream(stream, (uintptr_t)stream >= FIRST_STREAM);

    if (error == cudaSuccess)
        live[(uintptr_t)stream] = NOT_THERE;
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = check_stream(stream, true);

    if (error == cudaSuccess)
        async_wait();
    return error;
}

cudaError_t cudaDeviceSynchronize(void)
{
    async_wait();
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    return check_stream(stream, event != NULL);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof **event);
    return error_set(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return check_stream(NULL, event != NULL);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = check_stream(stream, event != NULL);
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (error == cudaSuccess) {
        event->ms = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
        event->asked = async_asked();
    }
    return error;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (event)
        async_wait_for(event->asked);
    return check_stream(NULL, event != NULL);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!start || !end || !start->ms || !end->ms)
        return error_set(cudaErrorInvalidResourceHandle);
    async_wait_for(end->asked); /* there is a time only when it is over */
    *ms = (float)(end->ms - start->ms);
    return cudaSuccess;
}

/* ---- numbers the host's requests, and notes which streams it uses ---- */

static unsigned long requests, waited_for;
static unsigned first_stream; /* its number and 1; 0: none yet */
static bool several, several_launched;

struct stream_request {
    unsigned long number; /* 0: none yet */
    unsigned stream;
};

void async_wait_for(unsigned long request)
{
    if (waited_for < request)
        waited_for = request;
}

void async_wait(void)
{
    async_wait_for(requests);
}

unsigned long async_asked(void)
{
    return requests;
}

unsigned long async_waited_for(void)
{
    return waited_for;
}

/* Is a request to this stream in no order with an earlier one? The default stream and one that is
 * not cudaStreamNonBlocking wait for each other. */
static bool apart(unsigned stream, const struct stream_request *earlier)
{
    unsigned low = stream < earlier->stream ? stream : earlier->stream;

    return earlier->number > waited_for && stream != earlier->stream &&
           (low > 0 || live[stream + earlier->stream] == NON_BLOCKING);
}

unsigned async_use(unsigned stream, unsigned launch)
{
    static struct stream_request launched, copied;
    static unsigned last_stream, last; /* one stream alone is followed */
    unsigned before = stream == last_stream ? last : 0;

    requests++;
    if (first_stream == 0)
        first_stream = stream + 1;
    several |= first_stream != stream + 1;
    last_stream = stream;
    last = launch;
    if (launch) {
        several_launched |= launched.number > 0 && launched.stream != stream;
        several_launched |= apart(stream, &copied);
        launched = (struct stream_request){requests, stream};
    } else {
        several_launched |= apart(stream, &launched);
        copied = (struct stream_request){requests, stream};
    }
    return before;
}

int simt_several_streams(void)
{
    return several_launched;
}

bool async_used_several(void)
{
    return several;
}
