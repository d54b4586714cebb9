/* What the backend found in a program, read from its report (SIMT_REPORT). */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdbool.h>

enum { FINDING_ENDS = 2 };

/* Texts are NULL where the report has null; a line of another file than main.cu is 0. Who did it:
 * two ends of a race, else one; operation is "read", "write", … or NULL. */
struct finding {
    const char *id, *title, *text;
    int ends;
    struct finding_end {
        const char *operation;
        int line;
    } end[FINDING_ENDS];
};

/* not_judged: why not all was, or NULL; list: the findings as JSON; any: there is one to tell. */
struct findings {
    const char *not_judged, *list;
    bool any;
    struct finding first;
};

/* Reads the text of a report, which it changes, into what holds zeros. False: it is none. The first
 * is told; notes are not. */
bool findings_read(char *report, struct findings *findings);

#endif
