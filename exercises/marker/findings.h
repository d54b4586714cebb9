/* The backend's findings in a program, read from its report (SIMT_REPORT). */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdbool.h>

enum { FINDING_ENDS = 2 };

/* Texts are NULL where the report has null. */
struct finding {
    const char *id;    /* such as shared-race */
    const char *title; /* a few words */
    const char *text;  /* the rule that is broken */
    int ends;          /* 2 of a race, else 1 */
    struct finding_end {
        const char *operation; /* "read", "write", …, or NULL */
        int line;              /* of main.cu; 0: of another file */
        unsigned warp;         /* the thread's; those of all blocks are numbered */
    } end[FINDING_ENDS];
};

struct findings {
    const char *not_judged; /* why the backend did not judge all of it, or NULL */
    const char *list;       /* all findings, as JSON */
    bool any;               /* is there one that is no note? */
    struct finding first;   /* of those */
};

/* Reads the text of a report, which it changes, into a struct that holds zeros. False: the text is
 * no report. */
bool findings_read(char *report, struct findings *findings);

#endif
