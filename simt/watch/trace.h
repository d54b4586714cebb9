/* The trace (SIMT_TRACE, --trace): a CSV file of the warp-level requests, lane by lane. FORMATS.md
 * describes its columns. */
#pragma once

#include "watch/space.h"

/* The most bytes of a value: an atomicCAS has three of up to 8 bytes. */
enum { MOST_VALUE = 24 };

/* The value that an access loaded or stored. */
struct value {
    uint8_t size; /* bytes; 0: it is not known, as of some accesses in a range longer than a log */
    uint8_t bytes[MOST_VALUE];
};

/* The values of a traced lane. All zero at first. */
struct values {
    unsigned known;                 /* the values of this many events' stores are known */
    struct value value[LOG_EVENTS]; /* of each event in the lane's log */
};

/* A load or store was logged, and is not made yet. A load's value is in memory already. */
void values_add(const struct log *log);

/* The stores that were logged have been made (settle in hooks.c). */
void values_settle(const struct log *log);

/* A traced lane has made an atomic at address. bytes: the old value and the operands, size bytes
 * together. */
void values_atomic(struct lane *lane, const void *address, const void *bytes, size_t size);

/* The first `count` events were taken out of the log. */
void values_drop(struct values *values, size_t count);

/* The trace's file (simt_set_trace); NULL: no trace has been asked for. */
extern char *trace_path;

/* Records an event of a warp: a request to memory, or a barrier or warp operation (SPACE_SYNC).
 * request: its number in the warp, from 0 on. next: the event behind it in each lane's log. Ends
 * the program with status 2 when the trace grows too large. */
void trace_event(const struct block *block, const struct warp_event *event, unsigned warp,
                 uint32_t request, enum count_space space,
                 const struct event *const next[WARP_SIZE]);

/* Writes the trace into a new file, which then replaces the old one. Does nothing if no launch was
 * recorded. On failure prints one line on stderr and returns false. */
bool trace_write(void);

/* ---- files that are written as a whole or not at all ----
 *
 * First as FILE.PID, where PID is the number of the process; then they are renamed. */

/* Can the file be written? If so, returns NULL and sets *path to its path, which the caller frees;
 * the path that *path named before is freed. If not, returns why, as the end of a message. */
const char *whole_file_check(const char *file, char **path);

/* print(file) writes the new content. On failure the old file stays, one line on stderr says that
 * `what` cannot be written, and false is returned. */
bool whole_file_write(const char *path, const char *what, void (*print)(FILE *file));
