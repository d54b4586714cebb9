/* Is the undefined value of a shuffle used? A shuffle from a lane that takes no part gives one.
 *
 * Many reductions of a part of a warp get such a value and discard it, which is right. A lane that
 * got one has shadows from then on: copies of the thread that run as it does, each with another
 * value in place of the undefined one. As long as a shadow does to memory what the lane does, and
 * comes to the same barrier, atomic or other deed that other threads can see, the value is not
 * used. Where they differ it is used: a complaint (observer.h). A shadow's values that other lanes
 * read by shuffles, votes and the like give these lanes shadows, too. A shadow whose registers and
 * stack equal its lane's again ends. */
#pragma once

#include "run/lane.h"

/* What others can see a thread do. */
enum stray_deed {
    DEED_WARP,
    DEED_BARRIER,
    DEED_ATOMIC,
    DEED_FENCE,
    DEED_OTHER, /* it lets time pass, or others run */
    DEED_LOOK,  /* a volatile load */
    DEED_END,
    DEED_FAILS /* a shadow's alone: it cannot go on */
};

/* A shuffle's value and source, which may differ. */
struct deed {
    enum stray_deed kind;
    uint64_t a, b, c;
    uint64_t value;
    int from;
};

/* The lane, which has strayed, is about to do this. True: it is a shadow, for which the lane has
 * done it; the call that it is in returns at once. */
bool stray_meets(struct lane *lane, const struct deed *deed);

#define STRAY_AT(lane, ...)                                                                        \
    (__builtin_expect((lane)->strayed, 0) && stray_meets(lane, &(struct deed){__VA_ARGS__}))

/* What the lane's warp operation gave, to the lane or the shadow that runs; shadows begin here. */
uint64_t stray_result(struct lane *lane);

/* A shadow runs instead of its lane; and cannot go on. */
bool stray_is_shadow(void);
void stray_fails(void) __attribute__((noreturn));

/* The lane, or its shadow, is about to store size bytes, or (a shadow, 0 bytes) does something else
 * once more. */
void stray_stores(struct lane *lane, uintptr_t address, size_t size);

/* It is about to load these by a volatile load. */
void stray_looks(struct lane *lane, uintptr_t address, size_t size);

/* The operation of these lanes is complete, and each has its result; sources: the lanes that a
 * shuffle's ask. Sets what their shadows get. */
void stray_spread(struct lane *lanes, enum simt_warp_op op, unsigned arrived,
                  const int sources[WARP_SIZE]);
