/* CUDA's errors: the last one, their names and texts, and the errors that the program has not
 * looked at; and the table of the kinds of findings. */
#include "run/runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local cudaError_t last_error = cudaSuccess;

enum { MOST_REFUSALS = 32 };
unsigned error_launches;
static struct refusal refusals[MOST_REFUSALS];
static size_t count;
static _Thread_local struct refusal *last; /* of this host thread's last call; NULL: none */

cudaError_t error_set(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    else
        last = NULL;
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

    while (i < count && (refusals[i].why.pc != why.pc || !refusals[i].why.text[0] ||
                         (!why.pc && !same_place(&refusals[i].why.site, &why.site))))
        i++;
    last = i < MOST_REFUSALS ? &refusals[i] : NULL;
    if (i == count && last) {
        va_start(args, format);
        vsnprintf(why.text, sizeof why.text, format, args);
        va_end(args);
        refusals[count++] = (struct refusal){.why = why, .error = error};
    }
    return error;
}

/* The error is the last call's, or that of an earlier call at this place. */
void simt_discard(const struct simt_site *site, cudaError_t error)
{
    struct refusal *its = last && last->error == error ? last : NULL;

    last = NULL;
    if (error == cudaSuccess)
        return;
    for (size_t i = 0; i < count && !its; i++)
        if (refusals[i].site.file && same_place(&refusals[i].site, site))
            its = &refusals[i];
    if (!its && count < MOST_REFUSALS)
        its = &refusals[count++];
    if (its && !its->unseen)
        *its = (struct refusal){its->why, error, true, *site, error_launches};
}

cudaError_t cudaPeekAtLastError(void)
{
    for (size_t i = 0; i < count; i++)
        refusals[i].unseen = false;
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
    *kept = count;
    return refusals;
}

/* ---- the kinds of findings ---- */

const struct kind kinds[FINDING_KINDS] = {
#define FINDING(name, id, title, family, rule) {id, title, KIND_##family, rule, false},
#define NOTE(name, id, title, family, rule)    {id, title, KIND_##family, rule, true},
#include "run/kinds.h"
};

/* ---- names and texts ---- */

struct error_text {
    const char *name, *text;
};

/* The name and text of an error; CUDA's own for a number that is no error. */
static struct error_text text_of(cudaError_t error)
{
    static const char unknown[] = "unrecognized error code";

    switch (error) {
    case cudaSuccess: return (struct error_text){"cudaSuccess", "no error"};
#define ERROR(name, number, text)                                                                  \
    case cudaError##name: return (struct error_text){"cudaError" #name, text};
        SIMT_ERRORS(ERROR)
    default: return (struct error_text){unknown, unknown};
    }
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
