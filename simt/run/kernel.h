/* Inside the CPU backend: what is known of a kernel, by its function. */
#ifndef SIMT_KERNEL_H
#define SIMT_KERNEL_H

#include "run/facts.h"

struct kernel {
    const void *function;
    unsigned threads; /* the most of a block, by __launch_bounds__; 0: not said */
    size_t shared;    /* bytes of the __shared__ variables that it declares itself */
    size_t opted;     /* bytes of dynamic shared memory, by its attribute; 0: not set */
    struct kernel *next;
};

/* Of one that is not in the program's symbol table nothing is known; NULL: it may be any, with the
 * most that an attribute allows one of them. */
struct kernel *kernel_at(const void *function);

#endif
