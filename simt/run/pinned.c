/* CUDA's calls that make host memory usable by kernels. */
#include "run/pinned.h"
#include "run/end.h"
#include "run/error.h"
#include "run/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A shadow begins where the granule does in which its memory begins. */
enum { GRANULE = 512, KNOWN_FLAGS = 15 };

static struct registered {
    uintptr_t begin, end;
    char *shadow;
} *table;
static size_t table_length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Index of the registered memory that overlaps [begin, end); table_length if none does. */
static size_t find(uintptr_t begin, uintptr_t end)
{
    size_t i = 0;
    while (i < table_length && (table[i].end <= begin || table[i].begin >= end))
        i++;
    return i;
}

static bool find_at(const void *address, struct registered *found)
{
    if (table_length == 0)
        return false;
    pthread_mutex_lock(&lock);
    size_t i = find((uintptr_t)address, (uintptr_t)address + 1);
    bool inside = i < table_length;
    if (inside)
        *found = table[i];
    pthread_mutex_unlock(&lock);
    return inside;
}

bool pinned_registered(const void *address, uintptr_t *begin, uintptr_t *end)
{
    struct registered found;

    if (!find_at(address, &found))
        return false;
    *begin = found.begin;
    *end = found.end;
    return true;
}

const void *pinned_shadow(const void *address)
{
    struct registered found;

    if (!find_at(address, &found))
        return NULL;
    return found.shadow + ((uintptr_t)address - found.begin / GRANULE * GRANULE);
}

static cudaError_t add(uintptr_t begin, size_t size)
{
    void *shadow;
    struct registered *larger = realloc(table, (table_length + 1) * sizeof *larger);

    if (!larger)
        return cudaErrorMemoryAllocation;
    table = larger;
    if (find(begin, begin + size) < table_length)
        return cudaErrorHostMemoryAlreadyRegistered;
    if (memory_allocate(&shadow, size + GRANULE, MEMORY_SHADOW) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    table[table_length++] = (struct registered){begin, begin + size, shadow};
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags)
{
    if (!ptr || size == 0 || flags > KNOWN_FLAGS)
        return error_set(cudaErrorInvalidValue);
    if (memory_is_device(ptr) || memory_is_symbol(ptr, 1))
        return error_set(cudaErrorHostMemoryAlreadyRegistered);
    pthread_mutex_lock(&lock);
    cudaError_t error = add((uintptr_t)ptr, size);
    pthread_mutex_unlock(&lock);
    return error_set(error);
}

cudaError_t cudaHostUnregister(void *ptr)
{
    void *shadow = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < table_length && !shadow; i++)
        if (table[i].begin == (uintptr_t)ptr) {
            shadow = table[i].shadow;
            table[i] = table[--table_length];
        }
    pthread_mutex_unlock(&lock);
    return shadow ? memory_free(shadow) : error_set(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned flags)
{
    if (flags > KNOWN_FLAGS)
        return error_set(cudaErrorInvalidValue);
    return memory_allocate(ptr, size, MEMORY_PINNED);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *ptr)
{
    if (!ptr)
        return cudaSuccess;
    return memory_kind_of(ptr) == MEMORY_PINNED ? memory_free(ptr)
                                                : error_set(cudaErrorInvalidValue);
}

/* Host and device have one address space: it is the same pointer. */
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    struct registered found;

    if (!device || flags != 0)
        return error_set(cudaErrorInvalidValue);
    *device = NULL;
    if (memory_kind_of(host) != MEMORY_PINNED && !find_at(host, &found))
        return error_set(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}
