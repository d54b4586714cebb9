/* CUDA's errors: the last one, their names, and those that nobody looked at. */
#include "run/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local cudaError_t last_error = cudaSuccess;

enum { MOST_UNSEEN = 16 };
static struct unseen_error unseen[MOST_UNSEEN];
static size_t unseen_count;
static struct complaint refusals[MOST_REFUSALS];
static size_t refusal_count;
cudaError_t error_set(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

static bool same_place(const struct simt_site *a, const struct simt_site *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0 && strcmp(a->kernel, b->kernel) == 0;
}

static void keep_unseen(struct unseen_error new)
{
    size_t i = 0;

    while (i < unseen_count && !same_place(&unseen[i].site, &new.site))
        i++;
    if (new.error != cudaSuccess && i == unseen_count &&i < MOST_UNSEEN)
        unseen[unseen_count++] = new;
}

void simt_discard(const struct simt_site *site, cudaError_t error)
{
    keep_unseen((struct unseen_error){error, *site, false});
}

void simt_overwrite(const struct simt_site *site, cudaError_t error)
{
    keep_unseen((struct unseen_error){error, *site, true});
}

cudaError_t cudaPeekAtLastError(void)
{
    unseen_count = 0;
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

const struct unseen_error *error_unseen(size_t *count)
{
    *count = unseen_count;
    return unseen;
}

static bool same_call(const struct complaint *a, const struct complaint *b)
{
    return a->pc == b->pc && (a->pc || same_place(&a->site, &b->site));
}

cudaError_t error_refuse(struct complaint refusal, cudaError_t error, const char *format, ...)
{
    va_list args;
    size_t i = 0;

    va_start(args, format);
    while (i < refusal_count && !same_call(&refusals[i], &refusal))
        i++;
    if (i == refusal_count && i < MOST_REFUSALS) {
        vsnprintf(refusal.text, sizeof refusal.text, format, args);
        refusals[refusal_count++] = refusal;
    }
    va_end(args);
    return error;
}

const struct complaint *error_refusals(size_t *count)
{
    *count = refusal_count;
    return refusals;
}

/* ---- the kinds of findings ---- */

const struct kind kinds[FINDING_KINDS] = {
#define FINDING(name, id, title, rule) {id, title, rule, false},
#define NOTE(name, id, title, rule)    {id, title, rule, true},
#include "run/kinds.h"
};

/* ---- words ---- */

/* Their names, without what they all begin with, and what they say. */
#define ERROR(name, text)                                                                          \
    {                                                                                              \
        cudaError##name, "cudaError" #name, text                                                   \
    }
static const struct error_text {
    cudaError_t error;
    const char *name, *text;
} error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    ERROR(InvalidValue, "invalid argument"),
    ERROR(MemoryAllocation, "out of memory"),
    ERROR(InvalidConfiguration, "invalid configuration argument"),
    ERROR(InvalidPitchValue, "invalid pitch argument"),
    ERROR(InvalidSymbol, "invalid device symbol"),
    ERROR(InvalidDevicePointer, "invalid device pointer"),
    ERROR(InvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR(InsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    ERROR(InvalidDeviceFunction, "invalid device function"),
    ERROR(NoDevice, "no CUDA-capable device is detected"),
    ERROR(InvalidDevice, "invalid device ordinal"),
    ERROR(InvalidResourceHandle, "invalid resource handle"),
    ERROR(NotReady, "device not ready"),
    ERROR(IllegalAddress, "an illegal memory access was encountered"),
    ERROR(LaunchOutOfResources, "too many resources requested for launch"),
    ERROR(LaunchFailure, "unspecified launch failure"),
    ERROR(CooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ERROR(NotSupported, "operation not supported"),
    ERROR(Unknown, "unknown error"),
};

/* That of an error, all the same if it is none. */
static struct error_text text_of(cudaError_t error)
{
    static const char unknown[] = "unrecognized error code";

    for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
        if (error_texts[i].error == error)
            return error_texts[i];
    return (struct error_text){error, unknown, unknown};
}

static bool told;

bool error_was_told(void)
{
    return told;
}

const char *cudaGetErrorName(cudaError_t error)
{
    told |= error != cudaSuccess;
    return text_of(error).name;
}

const char *cudaGetErrorString(cudaError_t error)
{
    told |= error != cudaSuccess;
    return text_of(error).text;
}
