/* Stacks for fibers, and the first frame on them. The switch itself is in fiber.S. */
#define _GNU_SOURCE
#include "run/lane.h"

#include <sys/mman.h>

/* A stack and its guard page: 137 pages. With an even number the same variable of all fibers would
 * compete for a few sets of the data cache (measured: 10 to 40 % slower). */
enum { PAGE = 4096, STRIDE = FIBER_STACK_BYTES + PAGE };

bool fiber_stacks_fit(struct fiber_stacks *stacks, int count, bool few_guards)
{
    if (stacks->count >= count)
        return true;
    if (stacks->count > 0)
        munmap(stacks->base, (size_t)stacks->count * STRIDE);
    stacks->count = 0;
    stacks->base = mmap(NULL, (size_t)count * STRIDE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks->base == MAP_FAILED)
        return false;
    stacks->count = count;
    for (int i = 0; i < count; i += few_guards ? 32 : 1)
        if (mprotect(stacks->base + (size_t)i * STRIDE, PAGE, PROT_NONE) != 0)
            return false;
    return true;
}

char *fiber_stack_low(const struct fiber_stacks *stacks, int index)
{
    return stacks->base + (size_t)index * STRIDE + PAGE;
}

char *fiber_stack_high(const struct fiber_stacks *stacks, int index)
{
    return stacks->base + (size_t)(index + 1) * STRIDE;
}

/* In assembly: calls the function in the first saved register with the second as its argument. */
void fiber_start(void);

#if defined __x86_64__
/* As fiber_switch pops them: r15 r14 r13 r12 rbx rbp, then the address to return to. */
enum { SAVED = 7, RUN = 3, ARG = 2, RETURN = 6 };
#elif defined __aarch64__
/* As fiber_switch loads them: x19 … x28, x29 (frame), x30 (return address), d8 … d15. */
enum { SAVED = 20, RUN = 0, ARG = 1, RETURN = 11 };
#else
#error "the CPU backend switches fibers on x86-64 and aarch64 only"
#endif

fiber_t fiber_new(const struct fiber_stacks *stacks, int index, void (*run)(void *), void *arg)
{
    /* Each stack starts at another cache line, so that the hot frames of a block's fibers spread
     * over the cache. Both architectures need the pointer on 16 bytes in front of a call. */
    uintptr_t top = (uintptr_t)fiber_stack_high(stacks, index) - (uintptr_t)(index % 16) * 64 - 64;
    uintptr_t *frame = (uintptr_t *)top - (SAVED + SAVED % 2);

    for (int i = 0; i < SAVED; i++)
        frame[i] = 0;
    frame[RUN] = (uintptr_t)run;
    frame[ARG] = (uintptr_t)arg;
    frame[RETURN] = (uintptr_t)fiber_start;
    return frame;
}
