/* CUDA's calls that allocate and free memory, tell whose it is, and register the host's. */
#include "run/error.h"
#include "run/memory.h"
#include "run/stream.h"

/* All flags that there are for host memory. They change nothing here. */
enum { KNOWN_FLAGS = 15 };

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
    if (flags > KNOWN_FLAGS)
        return error_set(cudaErrorInvalidValue);
    return memory_allocate(ptr, size, MEMORY_PINNED, __builtin_return_address(0));
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return memory_allocate(ptr, size, MEMORY_PINNED, __builtin_return_address(0));
}

/* Keeps why `call` does not free ptr. */
static void refuse_free(const void *ptr, const char *call, const void *pc)
{
    struct memory memory = memory_at(ptr);
    struct complaint refusal = {.kind = FINDING_REFUSED_POINTER, .pc = pc, .freed = memory.freed};
    size_t offset = (uintptr_t)ptr - memory.begin;

    if (memory.freed)
        error_refuse(refusal, "It lies %zu bytes into freed memory of %zu bytes", offset,
                     memory.size);
    else if (memory_is_device(ptr) && memory.kind != MEMORY_NONE && offset > 0)
        error_refuse(refusal, "It lies %zu bytes past the start of an allocation of %zu bytes.",
                     offset, memory.size);
    else
        error_refuse(refusal, "%s does not free such memory.", call);
}

static cudaError_t free_memory(void *ptr, unsigned kinds, const char *call, const void *pc)
{
    if (!ptr)
        return cudaSuccess;
    async_wait();
    if (memory_free(ptr, kinds, pc))
        return cudaSuccess;
    refuse_free(ptr, call, pc);
    return error_set(cudaErrorInvalidValue);
}

cudaError_t cudaFree(void *ptr)
{
    return free_memory(ptr, 1u << MEMORY_DEVICE | 1u << MEMORY_MANAGED, __func__,
                       __builtin_return_address(0));
}

cudaError_t cudaFreeHost(void *ptr)
{
    return free_memory(ptr, 1u << MEMORY_PINNED, __func__, __builtin_return_address(0));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    *total_bytes = memory_mapping.size;
    *free_bytes = *total_bytes - memory_of_device();
    return cudaSuccess;
}

/* ---- host memory that the program registers, so that kernels may use it where it is ---- */

/* Of a MEMORY_SHADOW the words stand for those of the range: both begin at the same place of a
 * granule, which is why the shadow has one more. */
enum { MOST_REGISTERED = 256 };
static struct registered {
    uintptr_t begin, end;
    void *shadow;
} registered[MOST_REGISTERED];
static size_t registered_count;

/* The first that overlaps [begin, end); NULL: none does. */
static struct registered *find_registered(uintptr_t begin, uintptr_t end)
{
    for (struct registered *r = registered; r < registered + registered_count; r++)
        if (r->begin < end && r->end > begin)
            return r;
    return NULL;
}

bool registered_range(const void *address, uintptr_t *begin, uintptr_t *end)
{
    const struct registered *r = find_registered((uintptr_t)address, (uintptr_t)address + 1);

    if (r)
        *begin = r->begin, *end = r->end;
    return r != NULL;
}

const void *registered_shadow(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    const struct registered *r = find_registered(at, at + 1);

    return r ? (char *)r->shadow + (at - r->begin / MEMORY_GRANULE * MEMORY_GRANULE) : NULL;
}

/* The hooks look at the host's accesses to it, too, and to all that lies between. */
static void watch(uintptr_t begin, uintptr_t end)
{
    struct memory_mapping *watched = &memory_watched;
    uintptr_t last = watched->begin + watched->size;

    watched->begin = begin < watched->begin ? begin : watched->begin;
    watched->size = (end > last ? end : last) - watched->begin;
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags)
{
    struct registered new = {(uintptr_t)ptr, (uintptr_t)ptr + size, NULL};

    if (!ptr || size == 0 || flags > KNOWN_FLAGS)
        return error_set(cudaErrorInvalidValue);
    if (memory_is_device(ptr) || memory_at(ptr).symbol || find_registered(new.begin, new.end))
        return error_set(cudaErrorHostMemoryAlreadyRegistered);
    if (registered_count == MOST_REGISTERED ||
        memory_allocate(&new.shadow, size + MEMORY_GRANULE, MEMORY_SHADOW,
                        __builtin_return_address(0)) != cudaSuccess)
        return error_set(cudaErrorMemoryAllocation);
    registered[registered_count++] = new;
    watch(new.begin, new.end);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *ptr)
{
    struct registered *r = find_registered((uintptr_t)ptr, (uintptr_t)ptr + 1);

    if (!r || r->begin != (uintptr_t)ptr)
        return error_set(cudaErrorHostMemoryNotRegistered);
    async_wait();
    memory_free(r->shadow, 1u << MEMORY_SHADOW, __builtin_return_address(0));
    *r = registered[--registered_count];
    return cudaSuccess;
}

/* ---- whose memory it is ---- */

/* Host and device have one address space: it is the same pointer. */
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    if (!device || flags != 0)
        return error_set(cudaErrorInvalidValue);
    *device = memory_at(host).kind == MEMORY_PINNED ? host : NULL;
    return error_set(*device ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    static const enum cudaMemoryType types[] = {[MEMORY_NONE] = cudaMemoryTypeUnregistered,
                                                [MEMORY_PINNED] = cudaMemoryTypeHost,
                                                [MEMORY_MANAGED] = cudaMemoryTypeManaged,
                                                [MEMORY_DEVICE] = cudaMemoryTypeDevice,
                                                [MEMORY_FREED] = cudaMemoryTypeUnregistered};
    if (!attributes)
        return error_set(cudaErrorInvalidValue);
    enum cudaMemoryType type = types[memory_at(ptr).kind];
    bool on_device = type != cudaMemoryTypeUnregistered, on_host = type != cudaMemoryTypeDevice;
    *attributes = (struct cudaPointerAttributes){.type = type,
                                                 .device = on_device ? 0 : cudaInvalidDeviceId,
                                                 .devicePointer = on_device ? (void *)ptr : NULL,
                                                 .hostPointer = on_host ? (void *)ptr : NULL};
    return cudaSuccess;
}

/* ---- managed memory: it is all in one place, and hints change nothing ---- */

cudaError_t cudaMemAdvise(const void *ptr, size_t size, enum cudaMemoryAdvise advice, int device)
{
    struct memory memory = memory_at(ptr);
    bool managed = memory.kind == MEMORY_MANAGED || memory.kind == MEMORY_PINNED;

    (void)advice, (void)device;
    return error_set(managed && memory_holds(&memory, ptr, size) ? cudaSuccess
                                                                 : cudaErrorInvalidValue);
}

cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t size, int device, cudaStream_t stream)
{
    unsigned number;

    if (!stream_number(stream, &number))
        return error_set(cudaErrorInvalidResourceHandle);
    if (device < cudaCpuDeviceId || device > 0)
        return error_set(cudaErrorInvalidDevice);
    return cudaMemAdvise(ptr, size, cudaMemAdviseSetReadMostly, device);
}
