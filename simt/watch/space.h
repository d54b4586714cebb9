/* Finds the memory that an address lies in: shared memory, which is the block's __shared__
 * variables and its dynamic shared memory, or global memory. */
#pragma once

#include "run/lane.h"
#include "run/memory.h"
#include "watch/count.h"

struct range {
    uintptr_t begin, end;
};

/* The thread-local variables of the OS thread that runs all blocks: the __shared__ variables and
 * dynamic shared memory are among them. That thread calls space_begin first. */
extern _Thread_local struct range space_shared;
void space_begin(void);

/* Is it the byte in which g++ notes whether a shared variable's constructor has run? */
bool space_is_guard(uintptr_t address);

/* Is the address in the thread-local variables among dynamic shared memory? */
bool space_is_dynamic(uintptr_t address);

/* The memory of an access, whether the access is allowed or not; space_elsewhere is for an address
 * outside the device's mapping and shared memory. SPACE_NONE: constants, and tables that the
 * compiler made. SPACE_HOST: memory of the host. */
enum count_space space_elsewhere(uintptr_t address, unsigned size, enum event_kind kind);

static inline bool space_is_shared(uintptr_t address)
{
    return address >= space_shared.begin && address < space_shared.end;
}

static inline enum count_space space_of(uintptr_t address, unsigned size, enum event_kind kind)
{
    if (memory_is_device((const void *)address))
        return SPACE_GLOBAL;
    if (space_is_shared(address))
        return SPACE_SHARED;
    return space_elsewhere(address, size, kind);
}

/* The bounds of the allocation or shared variable that the address, in this space, lies in; begin >
 * end if they are not known. */
struct range space_range(const struct block *block, uintptr_t address, enum count_space space);

/* An array, as traces name it. */
struct array {
    const char *name; /* of a shared variable its own name, of dynamic shared memory "dynamic", of
                         global memory memory_array's name, and "?" if it is not known */
    uintptr_t begin;
    size_t size;
};

/* The array that the address, in this space, lies in, or the shared variable in front of it. */
struct array space_array(const struct block *block, uintptr_t address, enum count_space space);
