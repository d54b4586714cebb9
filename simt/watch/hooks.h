/* The compiler's hooks, which fill the lanes' logs, and tell the checks what is done; and what
 * becomes of the logs.
 *
 * The kernel's file is compiled with g++'s -fsanitize=thread and -fsanitize-coverage=trace-pc,
 * which put a call in front of every memory access and at the begin of every basic block. We do not
 * link the sanitizers' runtimes but define these calls ourselves, as the Linux kernel's KCSAN does.
 * They only write the lane's log; what the log means is worked out warp by warp (merge.h). */
#pragma once

#include "run/lane.h"

/* Logs a barrier, warp operation or atomic of the running lane, and tells of these and of its
 * fences and the order of operations. pc: the return address of the call in the kernel. */
void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     unsigned extra, const void *pc);

/* Logs what memset, memcpy or memmove is about to do to size bytes. pc: the return address of its
 * call. */
void hooks_range(const void *address, size_t size, bool store, const void *pc);

/* The host touches memory: told if that is the device's. */
void hooks_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc);

/* An access of a lane: as an event of this kind, extra and pc tells it. */
struct lane_access {
    uintptr_t address;
    unsigned kind, size, extra;
    uint32_t pc;
};

/* SETTLES: the listener is to be told when what the access stores has been stored; REFUSED: the
 * access is not to be logged. */
enum access_verdict { ACCESS_FINE, ACCESS_SETTLES, ACCESS_REFUSED };

/* The checks, which are told as it happens. NULL, as all are at first: nobody is. */
struct listener {
    /* The lane is about to make an access. */
    enum access_verdict (*access)(const struct lane *lane, const struct lane_access *access);
    /* What the lane was about to store has been stored. */
    void (*stored)(void);
    /* The lane passes a fence (what: as the event's address), or a __syncwarp; or it has made its
     * last logged access, an atomic or volatile one (EVENT_ORDER). Returns, of a store, which it is
     * about to make, whether it settles. */
    bool (*synchronises)(const struct lane *lane, enum event_kind kind, uint64_t what);
    /* The lane jumps back, from the end of the basic block of this key to the begin of another. */
    void (*jumps)(const struct lane *lane, uint64_t from, uint64_t to);
    /* The host, in a file compiled with hooks, touches the device's memory: size bytes at address,
     * by a volatile or atomic access (polls) or any other. Of other memory nothing is told: that
     * costs a comparison or two. */
    void (*host_access)(uintptr_t address, unsigned size, bool store, bool polls, const void *pc);
};
extern struct listener hooks_listener;

/* ---- from what the lanes have logged to the counters and the trace (warps.c) ---- */

/* The block begins, in its place (run/block.h): its lanes log from here on. counts: what they do is
 * counted, and traced if a trace is wanted. Ends the program when memory is short. */
void warps_block_begin(struct block *block, bool counts);

/* No lane of the warp can run on: merges what its lanes have logged, or forgets it where nothing is
 * counted. Those that waited for room become ready. */
void warps_take(struct block *block, unsigned warp);

/* The launch, of which all was counted, has ended. */
void warps_launch_end(const struct launch *launch);
