/* Device memory: the mapping, the allocations in it, and which of them a pointer lies in. */
#pragma once

#include "cuda_runtime_api.h"
#include "run/symbols.h"

/* The device's mapping: half of the computer's memory, or less where address space is short
 * (ulimit -v). The operating system commits its bytes when they are first used. */
extern struct memory_mapping {
    uintptr_t begin;
    size_t size;
} memory_mapping;

/* Does the address lie in the device's mapping, allocated or not? One comparison, since the hooks
 * ask it for every access of the host. */
static inline bool memory_is_device(const void *address)
{
    return (uintptr_t)address - memory_mapping.begin < memory_mapping.size;
}

/* Does it lie in the mapping or around it, as far as a wrong index of 32 bits leads? Nobody else
 * has memory there, so such an address was meant for the device. */
enum { MEMORY_AROUND_BITS = 36 };
bool memory_is_near(const void *address);

/* ---- a bit for each byte of device memory: has it been written since it was allocated? ----
 *
 * The checks ask. The runtime's calls set the bits, and so do kernels' stores where they are
 * judged. Bytes are numbered from the begin of the mapping. */

/* 64 bits each. Memory is committed when it is first used. */
extern uint64_t *memory_bits;

/* Sets the bits of these bytes in an array like memory_bits. */
void memory_mark(uint64_t *bits, size_t byte, size_t size);

/* Are all of these bytes written? size > 0. */
static inline bool memory_all_written(const uint64_t *bits, size_t byte, size_t size)
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

/* The number of these bytes that were never written, in runs of at least `least` bytes. *first: the
 * index of the first of them. */
size_t memory_unwritten(const uint64_t *bits, size_t byte, size_t size, size_t least,
                        size_t *first);

/* A call of the runtime writes [to, to + size). If it copies, the bytes count as written that were
 * written at `from`; if from is NULL, all do. Nothing happens for memory outside the mapping. */
void memory_write(const void *to, const void *from, size_t size);

/* ---- what lies at an address ---- */

/* A variable is MEMORY_MANAGED or MEMORY_DEVICE. */
enum memory_kind { MEMORY_NONE, MEMORY_PINNED, MEMORY_MANAGED, MEMORY_DEVICE, MEMORY_FREED };

/* An allocation or a variable. */
struct memory {
    enum memory_kind kind;
    uintptr_t begin;
    size_t size;
    const struct symbol *symbol; /* of a variable; else NULL. Below: of an allocation */
    uintptr_t home;            /* its place in the mapping: begin, unless it is registered memory */
    unsigned number;           /* 1 for the program's first allocation */
    char *name;                /* for traces and findings; NULL: it has none */
    const void *made;          /* the return address of the call that allocated it, */
    const void *freed;         /* and of the call that freed it; NULL: none has */
    unsigned long long copied; /* bytes that copies have read from it */
};

/* The allocation or variable that the address lies in; MEMORY_NONE: it lies in none. A thousand
 * freed allocations are remembered, as long as there is room for others. */
struct memory memory_at(const void *address);

/* Registered memory of the host has a place in the mapping, whose bytes nobody uses. This is the
 * address's counterpart there; for all other memory, the address itself. */
const void *memory_home(const void *address);

/* Does [address, address + size) lie in this memory, which has not been freed? */
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

/* The live allocation or the variable that an address in it or near it is probably meant for; size
 * 0: there is none. */
struct memory memory_nearest(const void *address);

/* The entry of the allocation that begins at the address, or of the last one in front of it; NULL:
 * there is none. It belongs to memory.c. */
struct memory *memory_entry(const void *address);

/* Bytes of all live allocations. */
extern size_t memory_allocated;

/* ---- names (allocate.c) ---- */

/* Traces' name of the allocation at the address, or of the last one in front of it: the name that
 * simt_set_name gave it, else its number. All __device__ variables together are "__device__". Sets
 * *begin and *size; the begin of "__device__" is a multiple of a sector. NULL: nothing is there.
 * The text lives as long as the program. */
const char *memory_array(const void *address, uintptr_t *begin, size_t *size);

/* A sentence that says where a device address lies, or what is next to it. It stays until the OS
 * thread's next call. */
const char *memory_describe(const void *address);

/* ---- for CUDA's calls (allocate.c) ---- */

/* At least so many bytes between two allocations stay free; more, up to MEMORY_GAP, where there is
 * room: the elements of a block or two, so that an index of theirs is not in the next array. */
enum { MEMORY_GRANULE = 512, MEMORY_GAP = 1 << 16 };

/* Allocates in the mapping, as cudaMalloc does. pc: the return address of the program's call, which
 * is told if the memory is used after it was freed. Returns CUDA's error, which is also kept as the
 * last one. */
cudaError_t memory_allocate(void **ptr, size_t size, enum memory_kind kind, const void *pc);

/* Frees the allocation that begins at ptr if its kind is in `kinds` (1 << MEMORY_…); else false. */
bool memory_free(void *ptr, unsigned kinds, const void *pc);

/* ---- 4-byte words: those of the mapping and of __device__ variables have numbers ---- */

/* The number of all words; the word that an address lies in; the address of a word. */
size_t memory_words(void);
size_t memory_word(const void *address);
const void *memory_address(size_t word);
