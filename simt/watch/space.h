/* Which memory an address lies in: the __shared__ variables and dynamic shared memory of the block,
 * or global memory. */
#pragma once

#include "run/lane.h"
#include "run/memory.h"
#include "watch/count.h"

struct range {
    uintptr_t begin, end;
};

/* The thread-local variables, among which are the __shared__ ones, and dynamic shared memory: those
 * of the OS thread that runs all blocks, which is to call this before any of the others. */
extern _Thread_local struct range space_shared;
void space_begin(void);

/* Is the byte g++'s own, by which it tells whether a shared variable's constructor has run? */
bool space_is_guard(uintptr_t address);

/* Where an access of size bytes would go, whether it may or not. SPACE_NONE: constants, and tables
 * that the compiler made; SPACE_HOST: memory that a kernel has no business in. */
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

/* Bounds of the allocation or shared variable of that space that a valid access at address went to;
 * begin > end when there are none to tell. */
struct range space_range(const struct block *block, uintptr_t address, enum count_space space);

/* The array of that space that an access at address went to, or the shared variable in front of it,
 * as traces name it: a shared variable's own name, "dynamic" for dynamic shared memory,
 * memory_array's for global memory. "?", from address 0 on, when there is none to tell. */
struct array {
    const char *name;
    uintptr_t begin;
    size_t size;
};

struct array space_array(const struct block *block, uintptr_t address, enum count_space space);
