/* CUDA's calls that make host memory usable by kernels: pinned memory, which lies in the device's
 * mapping, and registered memory, which the program has already. */
#include "run/error.h"
#include "run/memory.h"
#include "run/registered.h"

enum { KNOWN_FLAGS = 15 };

cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned flags)
{
    if (flags > KNOWN_FLAGS)
        return error_set(cudaErrorInvalidValue);
    return memory_allocate(ptr, size, MEMORY_PINNED, __builtin_return_address(0));
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return memory_allocate(ptr, size, MEMORY_PINNED, __builtin_return_address(0));
}

cudaError_t cudaFreeHost(void *ptr)
{
    return memory_free(ptr, 1u << MEMORY_PINNED, "cudaFreeHost", __builtin_return_address(0));
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags)
{
    struct registered memory = {(uintptr_t)ptr, (uintptr_t)ptr + size, NULL}, other;
    const void *pc = __builtin_return_address(0);
    void *shadow;

    if (!ptr || size == 0 || flags > KNOWN_FLAGS)
        return error_set(cudaErrorInvalidValue);
    if (memory_is_device(ptr) || memory_is_symbol(ptr, 1) ||
        registered_find(memory.begin, memory.end, &other))
        return error_set(cudaErrorHostMemoryAlreadyRegistered);
    if (memory_allocate(&shadow, size + REGISTERED_GRANULE, MEMORY_SHADOW, pc) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    memory.shadow = shadow;
    memory_watch(memory.begin, memory.end);
    return error_set(registered_add(memory) ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *ptr)
{
    uintptr_t begin = (uintptr_t)ptr;
    struct registered memory;

    if (!registered_find(begin, begin + 1, &memory) || memory.begin != begin)
        return error_set(cudaErrorHostMemoryNotRegistered);
    registered_remove(begin);
    return memory_free(memory.shadow, 1u << MEMORY_SHADOW, "cudaHostUnregister",
                       __builtin_return_address(0));
}

/* Host and device have one address space: it is the same pointer. */
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    struct registered memory;

    if (!device || flags != 0)
        return error_set(cudaErrorInvalidValue);
    *device = NULL;
    if (memory_kind_of(host) != MEMORY_PINNED &&
        !registered_find((uintptr_t)host, (uintptr_t)host + 1, &memory))
        return error_set(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}
