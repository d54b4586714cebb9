/* Finds out whether the undefined value of a shuffle is used.
 *
 * A shuffle from a lane that takes no part gives an undefined value. Many reductions of a part of a
 * warp get such a value and discard it, which is right. So a lane that got one has shadows from
 * then on: copies of the thread that run as it does, each with another value in place of the
 * undefined one. As long as a shadow changes memory as its lane does, and comes to the same
 * barrier, atomic or other deed that other threads can see, the value is not used. Where they
 * differ, it is used, which is a complaint (observer.h). Other lanes that read a shadow's value by
 * a shuffle, vote or the like get shadows, too. A shadow ends when its registers and stack equal
 * its lane's. */
#pragma once

#include "run/lane.h"

/* A thread's deeds that others can see. */
enum stray_deed {
    DEED_WARP,
    DEED_BARRIER,
    DEED_ATOMIC,
    DEED_FENCE,
    DEED_OTHER, /* it lets time pass, or others run */
    DEED_LOOK,  /* a volatile load */
    DEED_END,
    DEED_FAILS /* of a shadow alone: it cannot go on */
};

struct deed {
    enum stray_deed kind;
    uint64_t a, b, c; /* its arguments: lane and shadow differ if these do */
    uint64_t value;   /* of a warp operation the operand, */
    int from;         /* and the source lane: these may differ */
};

/* A lane that has strayed is about to do this. True: it is a shadow that runs; its lane has done
 * the deed, and the calling function must return at once. */
bool stray_meets(struct lane *lane, const struct deed *deed);

#define STRAY_AT(lane, ...)                                                                        \
    (__builtin_expect((lane)->strayed, 0) && stray_meets(lane, &(struct deed){__VA_ARGS__}))

/* The result of the lane's warp operation, for the lane or for the shadow that runs. Shadows begin
 * here. */
uint64_t stray_result(struct lane *lane);

/* Does a shadow run instead of its lane? The shadow that runs cannot go on. */
bool stray_is_shadow(void);
void stray_fails(void) __attribute__((noreturn));

/* The lane, or its shadow, is about to store size bytes. size 0: a shadow has taken another step,
 * and ends after too many of them. */
void stray_stores(struct lane *lane, uintptr_t address, size_t size);

/* The lane, or its shadow, is about to load these bytes by a volatile load. */
void stray_looks(struct lane *lane, uintptr_t address, size_t size);

/* The warp operation of these lanes is complete, and each has its result. Sets the results of their
 * shadows. sources: of a shuffle, the lane whose value each lane asks for. */
void stray_spread(struct lane *lanes, enum simt_warp_op op, unsigned arrived,
                  const int sources[WARP_SIZE]);
