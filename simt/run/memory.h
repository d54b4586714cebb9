/* Inside the CPU backend: device memory, which pointers lie in it, and which of its bytes somebody
 * has written. */
#pragma once

#include "cuda_runtime_api.h"
#include "run/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The device's mapping, half of the computer's memory, less where address space is short
 * (ulimit -v); it has no bytes until somebody needs it. */
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

/* Around it nobody else has memory, as far as an index of 32 bits leads: an address there is a
 * wrong one for the device. */
enum { MEMORY_AROUND_BITS = 36 };
bool memory_is_near(const void *address);

/* ---- what lies at an address ---- */

/* Whose memory it is. A variable is MEMORY_MANAGED or MEMORY_DEVICE. */
enum memory_kind { MEMORY_NONE, MEMORY_PINNED, MEMORY_MANAGED, MEMORY_DEVICE, MEMORY_FREED };

struct memory {
    enum memory_kind kind;
    uintptr_t begin;
    size_t size;
    const struct symbol *symbol; /* of a variable; else NULL */
    /* of an allocation */
    uintptr_t home;            /* its place in the mapping: its begin, but of registered memory */
    unsigned number;           /* 1 for the program's first */
    char *name;                /* for traces and findings; NULL: it has none */
    const void *made, *freed;  /* the return addresses of the calls that allocated and freed it */
    unsigned long long copied; /* bytes that copies have read from it */
};

/* The allocation or variable that the address lies in; MEMORY_NONE: in none. Of freed allocations a
 * thousand are remembered, as long as there is room for others. */
struct memory memory_at(const void *address);

/* The host's memory that is registered has a place in the mapping, of which nobody touches the
 * bytes: where the address stands there; of all other memory the address itself. */
const void *memory_home(const void *address);

/* True when [address, address + size) lies in it, and it has not been freed. */
static inline bool memory_holds(const struct memory *memory, const void *address, size_t size)
{
    size_t offset = (uintptr_t)address - memory->begin;

    return memory->kind >= MEMORY_PINNED && memory->kind <= MEMORY_DEVICE &&
           offset <= memory->size && size <= memory->size - offset;
}

/* Is it a __constant__ variable? */
static inline bool memory_is_constant(const struct memory *memory)
{
    return memory->symbol && memory->symbol->constant;
}

/* The first allocation that begins behind the address, within so many bytes; size 0: none does. */
struct memory memory_behind(const void *address, size_t within);

/* Has there been memory that both sides can reach? Then nobody sees what the host gets from it. */
extern bool memory_shared;

/* Bytes of all allocations. */
size_t memory_allocated(void);

/* What traces call the allocation at address, or the one before it when none is there: the name
 * that simt_set_name gave it, else its number. All __device__ variables together are "__device__".
 * Begin and size of it are set, the begin in whole sectors. NULL when
 * there is nothing to name. The text lives as long as the program. */
const char *memory_array(const void *address, uintptr_t *begin, size_t *size);

/* A sentence on where a device address lies, or what is next to it. */
void memory_describe(const void *address, char *text, size_t room);

/* A copy has read so many bytes from there; of memory that is no allocation nothing is kept. */
void memory_copied(const void *from, size_t bytes);

/* The host has taken so many bytes of device memory (simt_taken). */
void memory_taken(size_t bytes);

/* ---- for CUDA's calls (allocate.c) ---- */

/* Between two allocations so many bytes stay free at least. */
enum { MEMORY_GRANULE = 512 };

/* Allocates in the mapping, as cudaMalloc does. pc: the return address of the program's call, told
 * if freed memory is used. CUDA's error, remembered as the last one. */
cudaError_t memory_allocate(void **ptr, size_t size, enum memory_kind kind, const void *pc);

/* The allocation at home is the place of the host's memory from `host` on. */
void memory_register(const void *home, const void *host);

/* Frees what begins at ptr and is of one of these kinds (1 << MEMORY_…); false: there is nothing
 * such. */
bool memory_free(void *ptr, unsigned kinds, const void *pc);

/* ---- words: of allocations and variables together ---- */

/* How many of 4 bytes there are, which one an address (of any of these) lies in, and the address of
 * one. */
size_t memory_words(void);
size_t memory_word(const void *address);
const void *memory_address(size_t word);

/* Which bytes somebody has written since they were allocated: a bit for each, 64 in each of these,
 * committed where it is used. The checks ask; all set it: the runtime's calls, kernels' stores
 * where they are judged. Bytes are numbered as words are: 4 * memory_word(address) + address % 4.
 */
extern uint64_t *written_bits;

/* Marks bytes in such an array. */
void written_mark(uint64_t *bits, size_t byte, size_t size);

/* Are all of these bytes written? size > 0. */
static inline bool written_all(const uint64_t *bits, size_t byte, size_t size)
{
    size_t first = byte / 64, last = (byte + size - 1) / 64;
    uint64_t from = ~(uint64_t)0 << byte % 64, to = ~(uint64_t)0 >> (63 - (byte + size - 1) % 64);

    if (first == last)
        return (~bits[first] & from & to) == 0;
    uint64_t missing = ~bits[first] & from;
    for (size_t i = first + 1; i < last; i++)
        missing |= ~bits[i];
    return (missing | (~bits[last] & to)) == 0;
}

/* How many of these bytes nobody has written, in runs of `least` and more; *first: which is the
 * first. The mapping holds them. */
size_t memory_unwritten(const void *address, size_t size, size_t least, size_t *first);

/* A call of the runtime writes [to, to + size): what is there then is written as far as what it
 * copies is (from NULL: all is). For memory that is not in the mapping nothing happens. */
void memory_written(const void *to, const void *from, size_t size);
