/* Fibers: functions that can be left in the middle and resumed, each on a stack of its own.
 *
 * Every CUDA thread is a fiber. A switch saves the registers that a called function must preserve,
 * and changes the stack pointer. In assembly that takes a few nanoseconds; swapcontext() takes two
 * hundred, because it makes a system call. A fiber never changes its OS thread, so thread-local
 * variables (CUDA's __shared__) keep their addresses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The most local memory that a GPU gives a thread, and some more for the calls themselves. */
enum { FIBER_STACK_BYTES = (512 + 32) * 1024 };

/* A fiber at rest is its stack pointer; everything else lies on its stack. */
typedef void *fiber_t;

/* Stacks in one mapping, with an inaccessible guard page below each one; with few guards, below
 * every 32nd one, because each guard costs two of the 65530 mappings that Linux gives a program.
 * Memory is committed when it is first touched. All zero at first. */
struct fiber_stacks {
    char *base; /* of the mapping */
    int count;  /* stacks */
};

/* Makes sure that there are at least `count` stacks. If there are fewer, new ones replace them, and
 * what was on them is lost. False: there is no memory. */
bool fiber_stacks_fit(struct fiber_stacks *stacks, int count, bool few_guards);

/* The lowest usable byte of stack number index, and the byte behind its highest one. */
char *fiber_stack_low(const struct fiber_stacks *stacks, int index);
char *fiber_stack_high(const struct fiber_stacks *stacks, int index);

/* A fiber that, when first switched to, calls run(arg) on stack number index; run never returns. */
fiber_t fiber_new(const struct fiber_stacks *stacks, int index, void (*run)(void *), void *arg);

/* Stores the running fiber in *from and continues `to`. Returns when somebody switches back. */
void fiber_switch(fiber_t *from, fiber_t to);

/* The same, faster, for a fiber that has not run yet. */
void fiber_enter(fiber_t *from, fiber_t to);
