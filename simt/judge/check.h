/* Checks of single accesses: is the address one that this access may touch? And which memory is it?
 * Also: has the shared memory that is read been written? */
#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "run/block.h"
#include "watch/count.h"

/* The shared memory of the OS thread that runs a block, as the checks see it: its static variables
 * lie among the thread-local ones, dynamic memory in simt_dynamic_shared. */
struct shared_memory {
    uintptr_t tls, tls_end, dynamic;
};

struct shared_memory check_shared_memory(void);

/* Which memory a valid access goes to; SPACE_NONE for constants. With checks on, an access that may
 * not be is reported as a finding and belongs to no space. */
enum count_space check_access(const struct block *block, const struct shared_memory *shared,
                              const struct warp_event *event, int lane, unsigned warp, bool checks);

/* Bounds of the allocation or shared variable of that space that a valid access at address went to;
 * begin > end when there are none to tell. */
void check_range(const struct block *block, const struct shared_memory *shared, uintptr_t address,
                 enum count_space space, uintptr_t *begin, uintptr_t *end);

/* The array of that space that a valid access at address went to: its name in traces (a shared
 * variable's own, "dynamic" for dynamic shared memory, memory_array's for global memory), begin and
 * size. "?", from address 0 on, when there is none to tell. */
const char *check_array(const struct block *block, const struct shared_memory *shared,
                        uintptr_t address, enum count_space space, uintptr_t *begin, size_t *size);

#endif
