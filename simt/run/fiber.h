/* Fibers: functions that can be left in the middle and resumed, each on a stack of its own.
 *
 * Every CUDA thread of the CPU backend is one. A switch saves the registers that a called function
 * must preserve and changes the stack pointer: a few nanoseconds in assembly, where swapcontext()
 * takes two hundred, because it makes a system call. A fiber never changes its OS thread, so
 * thread-local variables (CUDA's __shared__) keep their address. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The most local memory that a GPU gives a thread, and what calls need beside their variables. */
enum { FIBER_STACK_BYTES = (512 + 32) * 1024 };

/* A fiber at rest is its stack pointer; everything else lies on its stack. */
typedef void *fiber_t;

/* Stacks for count fibers in one mapping, each with an inaccessible guard page below it; with few
 * guards every 32nd, because each costs two of the 65530 mappings that Linux gives a program.
 * Memory is committed when it is first touched. */
struct fiber_stacks {
    char *base;
    int count;
};

/* Has there be `count` stacks at least: others, at rest, in place of fewer, which held nothing any
 * more. All zero at first. False: there is no memory. */
bool fiber_stacks_fit(struct fiber_stacks *stacks, int count, bool few_guards);

/* Lowest and one-past-highest usable byte of stack number index. */
char *fiber_stack_low(const struct fiber_stacks *stacks, int index);
char *fiber_stack_high(const struct fiber_stacks *stacks, int index);

/* A fiber that, when first switched to, calls run(arg) on stack number index; run never returns. */
fiber_t fiber_new(const struct fiber_stacks *stacks, int index, void (*run)(void *), void *arg);

/* Stores the running fiber in *from and continues at to. Returns when somebody switches back. */
void fiber_switch(fiber_t *from, fiber_t to);

/* The same where `to` has not run yet, which fiber_switch may do, too, but takes longer. */
void fiber_enter(fiber_t *from, fiber_t to);
