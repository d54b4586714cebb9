/* The compiler's hooks, which fill the lanes' logs.
 *
 * The kernel's file is compiled with g++'s -fsanitize=thread and -fsanitize-coverage=trace-pc,
 * which put a call in front of every memory access and at the begin of every basic block. We do not
 * link the sanitizers' runtimes but define these calls ourselves, as the Linux kernel's KCSAN does.
 * They only write the lane's log; what the log means is worked out warp by warp (merge.h). */
#ifndef SIMT_HOOKS_H
#define SIMT_HOOKS_H

#include "watch/append.h"

/* Logs a barrier, warp operation or atomic of the running lane, and tells of these and of its
 * fences and the order of operations. pc: the return address of the call in the kernel. */
void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     unsigned extra, const void *pc);

/* Logs what memset, memcpy or memmove is about to do to size bytes. pc: the return address of its
 * call. */
void hooks_range(const void *address, size_t size, bool store, const void *pc);

/* What follows is told as it happens; NULL, as at first: nobody is. */

/* Is told what the host, in a file compiled with hooks, touches of the device's memory and of its
 * own that is registered: size bytes at address, by a volatile or atomic access (polls) or any
 * other. Of other memory nothing is told: that costs a comparison or two. */
extern void (*hooks_host_access)(uintptr_t address, unsigned size, bool store, bool polls,
                                 const void *pc);

/* Tells it of an atomic of the host, which also reads unless it only stores; kernels have others.
 */
void hooks_host_atomic(const void *address, unsigned size, bool store, const void *pc);

/* An access of a lane: as an event of this kind, extra and pc tells it. */
struct lane_access {
    uintptr_t address;
    unsigned kind, size, extra;
    uint32_t pc;
};

/* Is told that the lane is about to make an access. SETTLES: append_told is to be called when what
 * it stores has been; REFUSED: it is not to be logged. */
enum access_verdict { ACCESS_FINE, ACCESS_SETTLES, ACCESS_REFUSED };
extern enum access_verdict (*hooks_access)(const struct lane *lane,
                                           const struct lane_access *access);

/* Is told that the lane jumps back, from the end of the basic block of this key to the begin of one
 * at `to`. */
extern void (*hooks_jumps)(const struct lane *lane, uint64_t key, uint32_t to);

#endif
