/* A student's program: compiling it, and running it once. */
#ifndef TRIAL_H
#define TRIAL_H

#include "../wire.h"
#include "counters.h"
#include "findings.h"
#include "limits.h"

/* Compiles main.cu in the present folder, for the type that is loaded, to `program` beside it.
 * foreign: what it includes and may not; NULL: nothing. */
struct ended trial_compile(const char **foreign);

/* How the program's outputs differ from the right ones: the first wrong element, its values as
 * text, and how many of that output are wrong. array: NULL: none is. */
struct difference {
    const char *array, *expected, *got;
    size_t index, count;
};

/* One run. answered: task_run has returned, and there is an answer; reported: there is a report;
 * changed: an input that is no longer what it was; figures: what judge() is called with. */
struct trial {
    struct ended ended;
    bool answered, reported;
    struct findings findings;
    struct counters counters;
    struct figures figures;
    struct wire_answer answer;
    size_t input_bytes, input_elements;
    struct difference wrong;
    const char *changed;
};

/* Runs the program at the sizes that are loaded. shuffled: with blocks and threads in another order
 * than numbered. */
struct trial trial_run(bool shuffled);

/* Removes what lies in its folder, but for main.cu and the compiled program. */
void trial_clean(const char *folder);

#endif
