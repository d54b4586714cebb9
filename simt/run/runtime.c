/* CUDA's runtime API: errors, streams, events and waiting; and the table of the kinds of findings.
 * Each request to a stream is done at once, in the order of the calls. */
#include "run/runtime.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- the kinds of findings ---- */

const struct kind kinds[FINDING_KINDS] = {
#define ROW(name, id, title, family, note, rule) {id, title, KIND_##family, note, rule},
#include "run/kinds.rows"
};

/* ---- for exercises ---- */

struct simt_so_far lane_so_far;

struct simt_so_far simt_so_far(void)
{
    return lane_so_far;
}

/* ---- errors: the last one, those that the program has not looked at, names and texts ---- */

static _Thread_local cudaError_t last_error = cudaSuccess;

enum { MOST_REFUSALS = 32 };
unsigned error_launches;
static struct refusal refusals[MOST_REFUSALS];
static size_t refusal_count;
static _Thread_local struct refusal *last_refusal; /* of this host thread's last call; NULL: none */

cudaError_t error_set(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    else
        last_refusal = NULL;
    return error;
}

static bool same_place(const struct simt_site *a, const struct simt_site *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0 && strcmp(a->kernel, b->kernel) == 0;
}

cudaError_t error_refuse(struct complaint why, cudaError_t error, const char *format, ...)
{
    va_list args;
    size_t i = 0;

    while (i < refusal_count && (refusals[i].why.pc != why.pc || !refusals[i].why.text[0] ||
                                 (!why.pc && !same_place(&refusals[i].why.site, &why.site))))
        i++;
    last_refusal = i < MOST_REFUSALS ? &refusals[i] : NULL;
    if (i == refusal_count && last_refusal) {
        va_start(args, format);
        vsnprintf(why.text, sizeof why.text, format, args);
        va_end(args);
        refusals[refusal_count++] = (struct refusal){.why = why, .error = error};
    }
    return error;
}

/* The error is the last call's, or that of an earlier call at this place. */
void simt_discard(const struct simt_site *site, cudaError_t error)
{
    struct refusal *its = last_refusal && last_refusal->error == error ? last_refusal : NULL;

    last_refusal = NULL;
    if (error == cudaSuccess)
        return;
    for (size_t i = 0; i < refusal_count && !its; i++)
        if (refusals[i].site.file && same_place(&refusals[i].site, site))
            its = &refusals[i];
    if (!its && refusal_count < MOST_REFUSALS)
        its = &refusals[refusal_count++];
    if (its && !its->unseen)
        *its = (struct refusal){its->why, error, true, *site, error_launches};
}

_Thread_local bool simt_looks_away;

cudaError_t cudaPeekAtLastError(void)
{
    bool sees = last_error != cudaSuccess && !simt_looks_away; /* not if it was cleared before */

    for (size_t i = 0; i < refusal_count && sees; i++)
        refusals[i].unseen = false;
    simt_looks_away = false;
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

const struct refusal *error_refusals(size_t *kept)
{
    *kept = refusal_count;
    return refusals;
}

bool error_was_told;

/* The name of an error, or its text; CUDA's own for a number that is no error. */
static const char *words_of(cudaError_t error, bool as_name)
{
    error_was_told |= error != cudaSuccess;
    switch (error) {
    case cudaSuccess: return as_name ? "cudaSuccess" : "no error";
#define ERROR(name, number, text)                                                                  \
    case cudaError##name: return as_name ? "cudaError" #name : text;
        SIMT_ERRORS(ERROR)
    default: return "unrecognized error code";
    }
}

const char *cudaGetErrorName(cudaError_t error)
{
    return words_of(error, true);
}

const char *cudaGetErrorString(cudaError_t error)
{
    return words_of(error, false);
}

/* ---- streams and events ---- */

/* A handle is a number; 0 to 2 are CUDA's own. */
enum { FIRST_STREAM = 3, MOST_STREAMS = 4096 };
static enum { NOT_THERE, BLOCKING, NON_BLOCKING } live[MOST_STREAMS];

static struct simt_event {
    double ms;           /* when it was recorded; 0: it has not been */
    unsigned long asked; /* requests before it, as async_asked has it, */
    unsigned stream;     /* and where it was recorded */
    bool live;           /* created and not destroyed */
} events[1 << 16], *const events_end = events + sizeof events / sizeof *events;

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

static unsigned long in_default_stream;        /* the newest request to it */
static unsigned long waited_for[MOST_STREAMS]; /* requests to this stream, up to this one */
static bool follows[MOST_STREAMS];             /* it waits for others, by events */

/* For requests up to this one. The default stream waits for the others, and they for it; so what
 * was asked before its newest request is over. Old requests to other streams count as over, too:
 * nobody looks through more. */
static void wait_for_stream(unsigned stream, unsigned long request)
{
    enum { FOLLOWED = 1000 };

    if (waited_for[stream] < request)
        waited_for[stream] = request;
    if (request > FOLLOWED)
        async_wait_for(request - FOLLOWED);
    async_wait_for(stream < FIRST_STREAM || follows[stream] ? request : in_default_stream);
}

bool async_is_over(unsigned long request, unsigned stream)
{
    return request <= async_waited_for || request <= waited_for[stream];
}

/* Have all requests to a stream up to this one ended? A GPU may still be at them: the host learns
 * it by its second look, which counts as waiting. */
static bool have_ended(unsigned long request, unsigned stream)
{
    static bool looked;
    bool over = async_is_over(request, stream);

    if (!over && looked)
        async_wait_for(request);
    looked = !over && !looked;
    return !looked;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = check_stream(stream, true);
    bool ended = error || have_ended(async_asked, (unsigned)(uintptr_t)stream);

    return ended ? error : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = check_stream(stream, true);

    if (error == cudaSuccess)
        wait_for_stream((unsigned)(uintptr_t)stream, async_asked);
    return error;
}

cudaError_t cudaDeviceSynchronize(void)
{
    async_wait();
    return cudaSuccess;
}

static bool is_event(cudaEvent_t event)
{
    return event >= events && event < events_end && event->live;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t error = check_stream(stream, is_event(event));

    (void)flags;
    follows[error ? 0 : (uintptr_t)stream] = true;
    return error;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    cudaEvent_t e = events;

    while (e < events_end && !__sync_bool_compare_and_swap(&e->live, false, true))
        e++;
    *event = e;
    return error_set(e < events_end ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t error = check_stream(NULL, is_event(event));

    if (error == cudaSuccess)
        *event = (struct simt_event){0};
    return error;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = check_stream(stream, is_event(event));
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (error == cudaSuccess) {
        event->ms = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
        event->asked = async_asked;
        event->stream = (unsigned)(uintptr_t)stream;
    }
    return error;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (is_event(event))
        wait_for_stream(event->stream, event->asked);
    return check_stream(NULL, is_event(event));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t error = check_stream(NULL, is_event(event));

    return error || have_ended(event->asked, event->stream) ? error : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!is_event(start) || !is_event(end) || !start->ms || !end->ms)
        return error_set(cudaErrorInvalidResourceHandle);
    if (!have_ended(end->asked, end->stream))
        return error_set(cudaErrorNotReady);
    *ms = (float)(end->ms - start->ms);
    return cudaSuccess;
}

/* ---- numbers the host's requests, and notes which streams it uses ---- */

unsigned long async_asked, async_waited_for, async_waits;
unsigned async_stream;
struct simt_site async_printed;
bool async_used_several;

struct stream_request {
    unsigned long number; /* 0: none yet */
    unsigned stream;
};

void async_wait_for(unsigned long request)
{
    async_printed.file = NULL;
    async_waits++;
    if (async_waited_for < request)
        async_waited_for = request;
}

void async_wait(void)
{
    async_wait_for(async_asked);
}

/* Is a request to this stream in no order with an earlier one? The default stream and one that is
 * not cudaStreamNonBlocking wait for each other. */
static bool apart(unsigned stream, const struct stream_request *earlier)
{
    unsigned low = stream < earlier->stream ? stream : earlier->stream;

    return !async_is_over(earlier->number, earlier->stream) && stream != earlier->stream &&
           (low > 0 || live[stream + earlier->stream] == NON_BLOCKING);
}

unsigned async_use(unsigned stream, unsigned launch)
{
    static struct stream_request launched, copied;
    static unsigned last; /* one stream alone is followed */
    unsigned before = stream == async_stream ? last : 0;

    async_used_several |= async_asked > 0 && stream != async_stream;
    async_asked++;
    if (stream < FIRST_STREAM)
        in_default_stream = async_asked;
    async_stream = stream;
    last = launch;
    if (launch) {
        async_printed.file = NULL;
        lane_so_far.several_streams |= launched.number > 0 && launched.stream != stream;
        lane_so_far.several_streams |= apart(stream, &copied);
        launched = (struct stream_request){async_asked, stream};
    } else {
        lane_so_far.several_streams |= apart(stream, &launched);
        copied = (struct stream_request){async_asked, stream};
    }
    return before;
}
