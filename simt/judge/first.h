/* Words of which nobody had written some bytes when an atomic or volatile access came to them,
 * whose order fences and atomics may tell: whatever reads them, and is behind no other access,
 * could have come first. Where there are no fences, words that an atomicExch wrote first. */
#ifndef SIMT_FIRST_H
#define SIMT_FIRST_H

#include "judge/order.h"
#include "judge/touch.h"

/* These bytes of the word; the access follows by words_touch. */
void first_begin(const struct touch *touch, unsigned bytes);

/* An access to any word. False: it could not be kept. */
bool first_touch(const struct order *order, const struct touch *touch);

/* The launch has ended: adds pairs for all that may have read what nobody wrote. */
void first_judge(void);

#endif
