/* A lane's log, and the compiler's hooks that fill it.
 *
 * The kernel's file is compiled with g++'s -fsanitize=thread and -fsanitize-coverage=trace-pc,
 * which put a call in front of every memory access and at the begin of every basic block. We do not
 * link the sanitizers' runtimes but define these calls ourselves (access.c), as the Linux kernel's
 * KCSAN does. They only write the lane's log; what the log means is worked out warp by warp
 * (observe.h). */
#ifndef SIMT_TRACE_H
#define SIMT_TRACE_H

#include "watch/event.h"

#include <stddef.h>

enum { TRACE_EVENTS = 252, TRACE_LEVELS = 16 };

struct trace {
    struct event *next, *end; /* of the log; NULL: nobody looks, nothing is logged */
    uintptr_t stack;          /* the lane's own stack: its local variables are not memory */
    uint64_t path;            /* fields of the key above the current depth */
    uint64_t last;            /* key of the last event of any kind, and its pc */
    uint32_t last_pc;
    unsigned depth;
    uint64_t level[TRACE_LEVELS]; /* key of the last place at each depth of calls; 0: none */
    struct event *begin;
};

/* Starts a lane's log of TRACE_EVENTS events at begin (NULL: log nothing), on a stack that begins
 * at address stack. */
void trace_start(struct trace *trace, struct event *begin, uintptr_t stack);

struct lane;

/* Logs a barrier, warp operation, fence or atomic of the running lane. pc: the return address of
 * the call in the kernel. */
void trace_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     const void *pc);

/* A pc as the offset that keys hold, and back. */
uint32_t trace_offset(const void *pc);
uintptr_t trace_address(uint32_t pc);

#endif
