/* Findings: the bugs that the checks found, each place once, told at the program's end. */
#pragma once

#include "run/error.h"
#include "run/lane.h"
#include "watch/source.h"

/* One end of a finding: which thread of which block did what at which place. pc is an offset as in
 * event.h. */
struct actor {
    uint32_t pc;
    uint32_t block;    /* linear index in the grid */
    uint16_t thread;   /* linear index in the block */
    uint8_t operation; /* enum event_kind */
    uint8_t size;
};

struct finding {
    enum finding_kind kind;
    const struct launch *launch; /* read at once, not kept; NULL: on the host */
    struct actor actor[2];
    struct source_line line[2]; /* where they are; of line 0: where their pc is */
    int actors;
    uint64_t count;   /* how often; 0 is taken for 1 */
    unsigned behind;  /* of an error that nobody looked at: the number of the launch before it */
    const char *rule; /* instead of its kind's; NULL: that */
    char detail[640]; /* a sentence on this very case, or empty */
};

/* The lane as an actor; one of the host. */
struct actor finding_actor(const struct lane *lane, uint32_t pc, unsigned operation, unsigned size);
struct actor finding_host(const void *pc, unsigned operation, size_t size);

/* A finding of what this lane does. */
struct finding finding_of(enum finding_kind kind, const struct lane *lane, uint32_t pc,
                          unsigned operation, unsigned size);

/* Adds a finding, or counts it when one of the same kind and places is there; of one that another
 * at its place says more of (a race there, of garbage or a note) nothing is kept. Thread-safe. The
 * second only counts one of the same kind and pcs: false, if there is none. */
void finding_add(const struct finding *finding);
bool finding_again(const struct finding *finding);

/* Adds to a text that has room for so many bytes (printf's arguments); to the detail of a finding;
 * and that, which is then added. */
void text_add(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define finding_write(finding, ...)                                                                \
    text_add((finding)->detail, sizeof(finding)->detail, __VA_ARGS__)
#define finding_say(finding, ...) (finding_write(finding, __VA_ARGS__), finding_add(finding))

/* Has anything been found that decides the exit status, other than notes? */
bool finding_any(void);

/* Prints all findings on stderr, as they were found; those of one kind in one kernel as one. */
void finding_print(void);

/* What is kept of a finding, whose launch ends before it is told: a copy, of line 0 where it is of
 * none. kernel "": on the host. */
struct kept_finding {
    struct finding finding;
    char kernel[256];
    struct launch launch;
};

/* All findings so far, which the other threads may not add to meanwhile; and how many more places
 * were found than are kept. They belong to the module. */
const struct kept_finding *finding_all(size_t *count, uint64_t *left_out);

/* Where the actor's thread is in its block, and that in the grid. */
void finding_where(const struct kept_finding *kept, int actor, uint3 *thread, uint3 *block);

/* Chooses the file that report_write writes. Returns NULL, or why it cannot be written. */
const char *report_set(const char *file);

/* Writes all findings so far, and the exit status that they give, completely or not at all. Nothing
 * to do when no file was chosen. On failure one line on stderr, and false. */
bool report_write(int status);
