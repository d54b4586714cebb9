/* A step on a GPU that is pretended: CUDA's runtime as far as the harness calls it, the kernels of
 * the harness and its clock. Memory is the host's, and all work takes a time that is known before,
 * on one clock; so tests/test_timing.py can foresee what the harness must measure and report.
 *
 * PRETEND_MS="7 99 3"  how long the first reduction takes, the second …; then from the first again
 * PRETEND_LOG=FILE     what was asked of the GPU, one thing a line
 * PRETEND_GPUS=2       so many; each is twice, three times … the first one (default 1)
 * PRETEND_MHZ=0        its memory's clock, which new drivers may keep to themselves (default 1000)
 * PRETEND_SHARED=2     the reduction says that so many GPUs share it, this one and those after it
 * PRETEND_NEEDS=9.1    it needs this compute capability
 * PRETEND_IN_PLACE=1   it destroys its input
 * PRETEND_ERROR=0.5    so far its result is off
 * PRETEND_STORES=1     so often it stores its result, and then never again
 * PRETEND_FAIL=CALL    this call of CUDA fails */
#include "clock.h"
#include "gate.h"
#include "kernels.h"
#include "lab.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* not all that CUDA is told counts here */

enum { FLUSH_MS = 5, SPIN_MS = 3, COPY_MS = 11, EMPTY_MS = 1, LOOK_MS = 8 };

struct simt_event {
    int number;
    double time;
    int recorded, waited_for;
};

static double now = 1e6;
static int events;

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    const char *name = getenv("PRETEND_LOG");
    FILE *file = name ? fopen(name, "a") : NULL;
    va_list args;

    if (!file)
        return;
    va_start(args, format);
    vfprintf(file, format, args);
    va_end(args);
    fputc('\n', file);
    fclose(file);
}

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value ? value : otherwise;
}

/* The CPU needs some time to look at the clock. */
double clock_ms(void)
{
    return now += LOOK_MS;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorNotReady ? "not ready" : "it was asked to fail";
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaErrorNotReady ? "cudaErrorNotReady" : "cudaErrorUnknown";
}

/* A call of CUDA, what it is given, and what it does. */
#define CALL(name, given, ...)                                                                     \
    cudaError_t name given                                                                         \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return strcmp(setting("PRETEND_FAIL", ""), #name) == 0 ? cudaErrorUnknown : cudaSuccess;   \
    }

/* ---- devices ---- */

CALL(cudaGetDeviceCount, (int *count), *count = atoi(setting("PRETEND_GPUS", "1")))
CALL(cudaDriverGetVersion, (int *version), *version = 13000)
CALL(cudaSetDevice, (int device), note("device %d", device))
CALL(cudaDeviceSynchronize, (void), )
CALL(cudaGetDeviceProperties, (struct cudaDeviceProp * prop, int device),
     *prop = (struct cudaDeviceProp){.multiProcessorCount = 100 * (device + 1),
                                     .major = 9,
                                     .minor = device,
                                     .l2CacheSize = (device + 1) << 20};
     snprintf(prop->name, sizeof prop->name, "Pretended %d", device))
/* 1 GHz, two transfers a clock, 64 bytes each: 128 GB/s the first one. */
CALL(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attr, int device),
     int khz = 1000 * atoi(setting("PRETEND_MHZ", "1000")) * (device + 1);
     *value = attr == cudaDevAttrMemoryClockRate ? khz : 8 * 64)

/* ---- memory ---- */

CALL(cudaMemGetInfo, (size_t * left, size_t *total), *left = *total = (size_t)1 << 30)
CALL(cudaMalloc, (void **ptr, size_t size), *ptr = malloc(size + 1))
CALL(cudaFree, (void *ptr), free(ptr))
CALL(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
     memcpy(to, from, size))
CALL(cudaMemcpyAsync,
     (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
     note("restore");
     now += COPY_MS; memcpy(to, from, size))
CALL(cudaMemset, (void *ptr, int byte, size_t size), memset(ptr, byte, size))

/* ---- events ---- */

CALL(cudaEventCreate, (cudaEvent_t * event), *event = calloc(1, sizeof **event);
     (*event)->number = ++events)
CALL(cudaEventDestroy, (cudaEvent_t event), free(event))
CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), note("event %d", event->number);
     event->time = now; event->recorded = 1; event->waited_for = 0)
CALL(cudaEventSynchronize, (cudaEvent_t event), note("wait %d", event->number);
     event->waited_for = event->recorded)
CALL(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end),
     if (!start->recorded || !end->waited_for) return cudaErrorNotReady;
     *ms = (float)(end->time - start->time))

/* ---- the harness's kernels, and the reduction ---- */

struct flush flush_new(size_t l2_bytes)
{
    struct flush flush = {NULL, l2_bytes};

    note("flush of %zu", l2_bytes);
    cudaMalloc((void **)&flush.buffer, 1);
    return flush;
}

void flush_free(struct flush *flush)
{
    cudaFree(flush->buffer);
}

void flush_enqueue(const struct flush *flush)
{
    note(flush->buffer ? "flush" : "flush of nothing");
    now += FLUSH_MS;
}

void spin_enqueue(void)
{
    note("spin");
    now += SPIN_MS;
}

void gate_close(void) {}
void gate_enqueue(void) {}
void gate_open(void) {}

void empty_launch(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    note("empty");
    now += EMPTY_MS;
}

static double next_ms(void)
{
    static const char *next = "";
    char *end;
    double ms = strtod(next, &end);

    if (end == next)
        ms = strtod(next = setting("PRETEND_MS", "1"), &end);
    next = end;
    return ms;
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static int runs;
    double sum = atof(setting("PRETEND_ERROR", "0"));

    note("reduce");
    now += next_ms();
    for (size_t i = 0; i < n; i++)
        sum += (double)in[i];
    if (runs++ < atoi(setting("PRETEND_STORES", "1000")))
        *out = (elem_t)sum;
}

static void reduce_in_place(elem_t *data, elem_t *out, elem_t *scratch, size_t n)
{
    reduce(data, out, scratch, n);
    memset(data, 0xFF, n * sizeof *data);
}

int main(int argc, char **argv)
{
    static const char file[] = "steps/42-pretended/main.cu";
    int major = 0, minor = 0, in_place = *setting("PRETEND_IN_PLACE", "") != '\0';
    int shared = atoi(setting("PRETEND_SHARED", "1"));

    lab_gpus(shared, (int[]){1, 2, 3}, shared - 1);
    sscanf(setting("PRETEND_NEEDS", "0.0"), "%d.%d", &major, &minor);
    lab_requires(major, minor, "what it does");
    return lab_run(argc, argv, file, BLOCK, in_place ? NULL : reduce,
                   in_place ? reduce_in_place : NULL);
}
