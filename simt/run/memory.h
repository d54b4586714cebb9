/* Inside the CPU backend: device memory, and which pointers lie in it. */
#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include "cuda_runtime_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of device memory: half of the computer's, less where address space is short (ulimit -v). */
size_t memory_capacity(void);

/* The device's mapping; it has no bytes until somebody needs it. */
extern struct memory_mapping {
    uintptr_t begin;
    size_t size;
} memory_mapping;

/* True when the address lies in the device's mapping, allocated or not. One comparison, since the
 * hooks ask it for every access by the host. */
static inline bool memory_is_device(const void *address)
{
    return (uintptr_t)address - memory_mapping.begin < memory_mapping.size;
}

/* The mapping; once there was registered memory, also that, and all that lies between: what the
 * hooks look at of the host's accesses. */
extern struct memory_mapping memory_watched;

static inline bool memory_is_watched(const void *address)
{
    return (uintptr_t)address - memory_watched.begin < memory_watched.size;
}

/* Whose memory an allocation is. What is MEMORY_SHADOW nobody may touch, nor what was freed: its
 * words stand for those of host memory that is registered (cudaHostRegister), which kernels use
 * where the program has it. */
enum memory_kind {
    MEMORY_NONE,
    MEMORY_DEVICE,
    MEMORY_MANAGED,
    MEMORY_PINNED,
    MEMORY_SHADOW,
    MEMORY_FREED
};

/* Allocates in the mapping, as cudaMalloc does; memory_free frees what begins at ptr and is of one
 * of these kinds (1 << MEMORY_…), NULL being nothing. pc: the return address of the program's call,
 * told if freed memory is used; call: its name. Both return CUDA's error, remembered as the last
 * one. */
cudaError_t memory_allocate(void **ptr, size_t size, enum memory_kind kind, const void *pc);
cudaError_t memory_free(void *ptr, unsigned kinds, const char *call, const void *pc);

/* Of the allocation that the address lies in or just behind; MEMORY_NONE outside the mapping. */
enum memory_kind memory_kind_of(const void *address);

/* True when all of [address, address + size) lies in one live allocation, or in host memory that is
 * registered. */
bool memory_is_allocated(const void *address, size_t size);

/* True when [address, address + size) lies in one __device__, __constant__ or __managed__ variable;
 * and when a __constant__ one is the nearest. */
bool memory_is_symbol(const void *address, size_t size);
bool memory_is_constant(const void *address);

/* Bounds of the allocation that address lies in. False if it lies in none. */
bool memory_allocation(const void *address, uintptr_t *begin, uintptr_t *end);

/* Bytes of all allocations and registered host memory. */
size_t memory_allocated(void);

/* What traces call the allocation at address, or the one before it when none is there: the name
 * that simt_set_name gave it, else its number, 1 for the program's first. All __device__ variables
 * together are "__device__". Begin and size of it are set, the begin in whole sectors. NULL when
 * there is nothing to name. The text lives as long as the program. */
const char *memory_array(const void *address, uintptr_t *begin, size_t *size);

/* True when the host may use the address in the mapping, too: managed or pinned memory. */
bool memory_is_managed(const void *address);

/* Global memory in words of 4 bytes, allocations, registered host memory and variables together:
 * how many there are, and which one an address (of any of these) lies in. */
size_t memory_words(void);
size_t memory_word(const void *address);

/* The address in a MEMORY_SHADOW that stands for one in registered host memory; NULL for any other.
 */
const void *registered_shadow(const void *address);

/* The address of a word: of registered host memory that of what stands for it. */
const void *memory_address(size_t word);

/* A call of the runtime writes [address, address + size); for memory that is not in the mapping
 * nothing happens. */
void memory_written(const void *address, size_t size);

/* A copy has read so many bytes from there; of memory that is no allocation nothing is kept. */
void memory_copied(const void *from, size_t bytes);

/* A freed allocation: its number (1 for the program's first), and the return addresses of the calls
 * that made and freed it. */
struct memory_freed {
    size_t start, size;
    unsigned number;
    const void *made, *freed;
};

/* Was there an allocation at this address, where none is now? As its start: how many bytes the
 * address lies within. A thousand are remembered, as long as there is room for others. */
bool memory_freed(const void *address, struct memory_freed *found);

/* A sentence on which byte of which allocation is read there, "" where cudaMalloc gave none. */
void memory_describe_read(const void *address, char *text, size_t room);

/* A sentence on where a device address that is not allocated lies. */
void memory_describe(const void *address, char *text, size_t room);

#endif
