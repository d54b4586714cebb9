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

static void keep_unseen(const struct simt_site *site, cudaError_t error, bool overwritten)
{
    size_t i = 0;

    if (error == cudaSuccess)
        return;
    while (i < unseen_count && !same_place(&unseen[i].site, site))
        i++;
    if (i == unseen_count && i < MOST_UNSEEN)
        unseen[unseen_count++] = (struct unseen_error){error, *site, overwritten};
}

void simt_discard(const struct simt_site *site, cudaError_t error)
{
    keep_unseen(site, error, false);
}

void simt_overwrite(const struct simt_site *site, cudaError_t error)
{
    keep_unseen(site, error, true);
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

void error_refuse(struct complaint refusal, const char *format, ...)
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
}

const struct complaint *error_refusals(size_t *count)
{
    *count = refusal_count;
    return refusals;
}

static const struct error_text {
    cudaError_t error;
    const char *name, *text;
} error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

static const struct error_text *find_text(cudaError_t error)
{
    for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
        if (error_texts[i].error == error)
            return &error_texts[i];
    return NULL;
}

static bool told;

bool error_was_told(void)
{
    return told;
}

const char *cudaGetErrorName(cudaError_t error)
{
    told |= error != cudaSuccess;
    const struct error_text *text = find_text(error);
    return text ? text->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    told |= error != cudaSuccess;
    const struct error_text *text = find_text(error);
    return text ? text->text : "unrecognized error code";
}
