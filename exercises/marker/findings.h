/* What the backend found in a program, read from its report (SIMT_REPORT). */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "task_file.h"

#include <stdbool.h>
#include <stddef.h>

enum { FINDING_ENDS = 2 };

/* Texts are NULL where the report has null; line is 0 then. Who did it: two ends of a race, else
 * one or none; operation is "read", "write", … */
struct finding {
    const char *id, *title, *text;
    struct finding_place {
        const char *file, *source, *operation;
        int line;
    } place, end[FINDING_ENDS];
    int ends, launch; /* launch: 0: none */
    bool note;
};

/* status: with which the program ended, as the report says; not_judged: why not all was judged, or
 * NULL; json: the list as it stands there; texts: what the others point into. */
struct findings {
    int status;
    const char *not_judged;
    char *json, *texts;
    struct finding *finding;
    size_t count;
};

/* Reads the text of a report. False: it is none. findings_free frees what it took. */
bool findings_read(const char *report, struct findings *findings);
void findings_free(struct findings *findings);

/* The one to tell, NULL: none. Of notes only those are told that the task has a hint for. It is the
 * first of the first launch, but a divergent barrier comes before the others: the races behind it
 * are its. */
const struct finding *findings_first(const struct findings *findings, const struct task_file *task);

#endif
