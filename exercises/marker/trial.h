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

/* How the program's outputs differ from the right ones. */
struct difference {
    const char *array;          /* the first output that is wrong; NULL: none */
    const char *expected, *got; /* its first wrong element, as text */
    size_t index, count;        /* of that element; of all wrong ones in that output */
};

/* One run. */
struct trial {
    struct ended ended;
    bool answered; /* has task_run returned, and is there an answer? */
    bool reported; /* is there a report of the backend? */
    struct findings findings;
    struct counters counters;
    struct figures figures; /* for judge() */
    struct wire_answer answer;
    size_t input_bytes, input_elements;
    struct difference wrong;
    const char *changed; /* an input that is no longer as it was; NULL: none */
};

/* Runs the program at the sizes that are loaded. shuffled: blocks and threads in random order. */
struct trial trial_run(bool shuffled);

/* Removes all files in its folder but main.cu and the compiled program. */
void trial_clean(const char *folder);

#endif
