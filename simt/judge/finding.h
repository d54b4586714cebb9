/* Findings: the bugs that the checks found, each place once. They are told at the program's end,
 * as text and as JSON. */
#pragma once

#include "run/observer.h"
#include "watch/source.h"

/* One end of a finding: a thread that did something at a place. */
struct actor {
    uint32_t pc;       /* the place: an offset as in event.h */
    uint32_t block;    /* linear index in the grid */
    uint16_t thread;   /* linear index in the block */
    uint8_t operation; /* enum event_kind; EVENT_KINDS: none that is told */
    uint8_t size;      /* of an access, in bytes */
};

struct finding {
    enum finding_kind kind;
    struct launch launch;       /* which may have ended; all zero: on the host */
    struct actor actor[2];      /* the first is named first */
    struct source_line line[2]; /* where the actors are; of number 0: at their pc */
    int actors;                 /* 0 to 2; 0: the finding is at the launch's call */
    uint64_t count;             /* how often it was found; 0 counts as 1 */
    unsigned behind;            /* of an unseen error: number of the launch in front of it */
    const char *rule;           /* advice to print instead of the kind's; NULL: the kind's */
    char detail[640];           /* a sentence on this very case, or empty */
    char kernel[256];           /* name of the launch's kernel, once it is added; "": on the host */
};

/* A lane as an actor; the host as an actor. */
struct actor finding_actor(const struct lane *lane, uint32_t pc, unsigned operation, unsigned size);
struct actor finding_host(const void *pc, unsigned operation, size_t size);

/* A finding of what this lane does. */
struct finding finding_of(enum finding_kind kind, const struct lane *lane, uint32_t pc,
                          unsigned operation, unsigned size);

/* Adds a finding, or counts it if one of the same kind and places is there. A finding that is only
 * a symptom of another one at its place (enum kind_family) is dropped. Thread-safe. */
void finding_add(const struct finding *finding);

/* Adds a formatted text: to `text`, which has `room` bytes; to a finding's detail; to its detail,
 * and then adds the finding. */
void finding_text(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define finding_write(finding, ...)                                                                \
    finding_text((finding)->detail, sizeof(finding)->detail, __VA_ARGS__)
#define finding_say(finding, ...) (finding_write(finding, __VA_ARGS__), finding_add(finding))

/* Has anything been found that decides the exit status, other than notes? */
bool finding_any(void);

/* All findings, and how many more places were found than are kept. From now on nothing is added.
 * The array belongs to this module; a `line` that is not known has number 0. */
const struct finding *finding_all(size_t *count, uint64_t *left_out);

/* ---- report.c: how findings are told ---- */

/* Prints all findings on stderr, in their order; those of one kind in one kernel as one. */
void report_text(void);

/* Chooses the file that report_json_write writes. Returns NULL, or why it cannot be written. */
const char *report_json_set(const char *file);

/* Writes all findings, and the exit status that they give, completely or not at all. Does nothing
 * if no file was chosen. On failure one line on stderr, and false. */
bool report_json_write(int status);
