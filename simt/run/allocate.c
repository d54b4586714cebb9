/* CUDA's calls that allocate and free memory; the host's free and delete, and memset and the like,
 * as files that simtcc compiles call them; and what an allocation is called. */
#include "run/array.h"
#include "run/end.h"
#include "run/runtime.h"
#include "run/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cudaError_t cudaMalloc(void **ptr, size_t size)
{
    return memory_allocate(ptr, size, MEMORY_DEVICE, __builtin_return_address(0));
}

cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return memory_allocate(ptr, *pitch * height, MEMORY_DEVICE, __builtin_return_address(0));
}

cudaError_t cudaMallocManaged(void **ptr, size_t size, unsigned flags)
{
    (void)flags;
    return memory_allocate(ptr, size, MEMORY_MANAGED, __builtin_return_address(0));
}

cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned flags)
{
    (void)flags;
    return memory_allocate(ptr, size, MEMORY_PINNED, __builtin_return_address(0));
}

/* Keeps the reason why `call` does not free ptr. */
static cudaError_t refuse_free(const void *ptr, const char *call, const void *pc)
{
    const cudaError_t error = cudaErrorInvalidValue;
    struct memory memory = memory_at(ptr);
    struct complaint refusal = {.kind = FINDING_REFUSED_POINTER, .pc = pc, .freed = memory.freed};
    size_t offset = (uintptr_t)ptr - memory.begin;

    if (memory.freed)
        return error_refuse(refusal, error, "It lies %zu bytes into freed memory of %zu bytes",
                            offset, memory.size);
    if (memory_is_device(ptr) && memory.kind != MEMORY_NONE && offset > 0)
        return error_refuse(refusal, error,
                            "It lies %zu bytes past the start of an allocation of %zu bytes.",
                            offset, memory.size);
    return error_refuse(refusal, error, "%s does not free such memory.", call);
}

/* waits: the call does, for all that was asked for before. */
static cudaError_t free_memory(void *ptr, unsigned kinds, bool waits, const char *call,
                               const void *pc)
{
    if (!ptr)
        return cudaSuccess;
    if (waits)
        async_wait();
    if (memory_free(ptr, kinds, pc))
        return cudaSuccess;
    return error_set(refuse_free(ptr, call, pc));
}

cudaError_t cudaFree(void *ptr)
{
    return free_memory(ptr, 1u << MEMORY_DEVICE | 1u << MEMORY_MANAGED, true, __func__,
                       __builtin_return_address(0));
}

cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream)
{
    (void)stream;
    return free_memory(ptr, 1u << MEMORY_DEVICE, false, __func__, __builtin_return_address(0));
}

cudaError_t cudaFreeHost(void *ptr)
{
    return free_memory(ptr, 1u << MEMORY_PINNED, true, __func__, __builtin_return_address(0));
}

/* The checks keep whole words: memory that begins within a word has a place that begins with it. */
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags)
{
    size_t within = (uintptr_t)ptr % 4;
    void *home;

    (void)flags;
    if (!ptr || size == 0)
        return error_set(cudaErrorInvalidValue);
    if (memory_at(ptr).kind != MEMORY_NONE)
        return error_set(cudaErrorHostMemoryAlreadyRegistered);
    cudaError_t error =
        memory_allocate(&home, size + within, MEMORY_PINNED, __builtin_return_address(0));
    if (error == cudaSuccess) {
        memory_entry(home)->begin = (uintptr_t)ptr - within;
        lane_so_far.taken += size + within;
    }
    return error;
}

cudaError_t cudaHostUnregister(void *ptr)
{
    char *home = (char *)memory_home(ptr) - (uintptr_t)ptr % 4;
    bool found = !memory_is_device(ptr) && memory_free(home, 1u << MEMORY_PINNED, NULL);

    async_wait();
    return error_set(found ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

/* The host's own address of a __device__ variable is no memory that CUDA knows. */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    static const enum cudaMemoryType types[] = {[MEMORY_PINNED] = cudaMemoryTypeHost,
                                                [MEMORY_MANAGED] = cudaMemoryTypeManaged,
                                                [MEMORY_DEVICE] = cudaMemoryTypeDevice,
                                                [MEMORY_FREED] = cudaMemoryTypeUnregistered};
    struct memory memory = memory_at(ptr);
    bool hosts = memory.kind == MEMORY_DEVICE && memory.symbol && !memory.symbol->asked;
    enum cudaMemoryType type = types[hosts ? MEMORY_NONE : memory.kind];
    bool known = type != cudaMemoryTypeUnregistered;

    if (!attributes)
        return error_set(cudaErrorInvalidValue);
    *attributes = (struct cudaPointerAttributes){
        .type = type,
        .device = known ? 0 : cudaInvalidDeviceId,
        .devicePointer = known ? (void *)ptr : NULL,
        .hostPointer = type == cudaMemoryTypeDevice ? NULL : (void *)ptr};
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    *total_bytes = memory_mapping.size;
    *free_bytes = *total_bytes - memory_allocated;
    return cudaSuccess;
}

/* ---- the host's free and delete ---- */

/* May the host not free this, since it is the device's memory? Then that is told. */
static bool is_stray(void *ptr, const void *pc)
{
    if (simt_current_lane) /* in a virtual destructor; simtcc refuses others */
        end_not_judged("a kernel deletes, and the CPU backend has no heap of the device");
    else if (memory_is_device(ptr))
        observer_complain(COMPLAINT(WRONG_FREE, NULL, pc),
                          "The host frees memory that CUDA allocated.");
    return simt_current_lane || memory_is_device(ptr);
}

/* operator delete and delete[] of the C++ library or of the program. */
void _ZdlPv(void *ptr) __attribute__((weak));
void _ZdaPv(void *ptr) __attribute__((weak));

#define FREES(name, function)                                                                      \
    void name(void *ptr)                                                                           \
    {                                                                                              \
        if (!is_stray(ptr, __builtin_return_address(0)))                                           \
            function(ptr);                                                                         \
    }
FREES(simt_free, free)
FREES(simt_delete, _ZdlPv)
FREES(simt_delete_array, _ZdaPv)

/* ---- memset and the like: the observer is told of the bytes that they access; of strcmp, where it
 * begins ---- */

#define READS(from, size) OBSERVE(range, from, size, false, __builtin_return_address(0))
#define WRITES(to, size)  OBSERVE(range, to, size, true, __builtin_return_address(0))
#define SEEN(result, name, parameters, arguments, ...)                                             \
    __attribute__((weak)) result simt_##name parameters                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return name arguments;                                                                     \
    }

SEEN(void *, memset, (void *to, int byte, size_t size), (to, byte, size), WRITES(to, size))
SEEN(void *, memmove, (void *to, const void *from, size_t size), (to, from, size),
     READS(from, size);
     WRITES(to, size))
SEEN(int, memcmp, (const void *a, const void *b, size_t size), (a, b, size), READS(a, size);
     READS(b, size))
SEEN(size_t, strlen, (const char *text), (text), READS(text, strlen(text) + 1))
SEEN(int, strcmp, (const char *a, const char *b), (a, b), READS(a, 1); READS(b, 1))
SEEN(char *, strcpy, (char *to, const char *from), (to, from), READS(from, strlen(from) + 1);
     WRITES(to, strlen(from) + 1))
SEEN(int, puts, (const char *text), (text), READS(text, strlen(text) + 1))
SEEN(size_t, fread, (void *to, size_t size, size_t count, FILE *file), (to, size, count, file),
     WRITES(to, (size * count)))
SEEN(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *file),
     (from, size, count, file), READS(from, (size * count)))

/* ---- names, for traces and findings ---- */

/* Describes memory in words, with the name that the program gave it, until the next call. */
static const char *in_words(const struct memory *m)
{
    static _Thread_local char text[256];

    if (m->symbol)
        snprintf(text, sizeof text, "%.128s, a %s variable of %zu bytes", m->symbol->name,
                 m->symbol->constant  ? "__constant__"
                 : m->symbol->managed ? "__managed__"
                                      : "__device__",
                 m->size);
    else if (m->name && !isdigit((unsigned char)*m->name)) /* else it is a trace's number */
        snprintf(text, sizeof text, "%.64s, an array of %zu bytes", m->name, m->size);
    else
        snprintf(text, sizeof text, "an allocation of %zu bytes", m->size);
    return text;
}

/* An int index that overflowed leads at least so far. */
static const size_t FAR = (size_t)1 << 30;

const char *memory_describe(const void *address)
{
    static _Thread_local char text[400];
    uintptr_t at = (uintptr_t)address;
    struct memory near = memory_nearest(address);
    size_t distance = at < near.begin ? near.begin - at : at - near.begin;

    if (near.size == 0)
        return "Nothing is allocated there; has it been freed?";
    if (at >= near.begin && (near.symbol || distance < near.size))
        snprintf(text, sizeof text, "It touches byte %zu of %s.", distance, in_words(&near));
    else
        snprintf(
            text, sizeof text, "It lies %zu byte%s %s %s%s", distance, distance == 1 ? "" : "s",
            at < near.begin ? "before" : "past the start of", in_words(&near),
            distance < FAR ? "." : ": has an int overflowed, or an unsigned index gone below 0?");
    return text;
}

void simt_set_name(const void *ptr, const char *name)
{
    struct memory *a = memory_entry(ptr);

    if (a && !(a->name = strdup(name)))
        array_no_memory();
}

const char *memory_array(const void *address, uintptr_t *begin, size_t *size)
{
    struct memory *a = memory_entry(address);

    if (memory_at(address).symbol) {
        *begin = (uintptr_t)__start_simt_device / 32 * 32;
        *size = (size_t)((uintptr_t)__stop_simt_device - *begin);
        return "__device__";
    }
    if (!a)
        return NULL;
    if (!a->name && asprintf(&a->name, "%u", a->number) < 0)
        array_no_memory();
    *begin = a->begin;
    *size = a->size;
    return a->name;
}

unsigned long long simt_copied(const void *ptr)
{
    const struct memory *a = memory_entry(ptr);

    return a ? a->copied : 0;
}
