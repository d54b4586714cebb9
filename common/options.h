/* The command line of a step. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "backend.h"

#include <stdbool.h>
#include <stddef.h>

struct options {
    size_t n;
    int reps; /* repetitions; 0: one, or on a GPU as many as the time allows */
    unsigned seed;
    int device;
    int order;         /* seed that shuffles its blocks and lanes; -1: as SIMT_ORDER says */
    const char *trace; /* file for the CPU backend's trace; NULL: none, or as SIMT_TRACE says */
    bool hot, uniform, is_signed, nan, small, csv; /* is_signed: uniform, in [-1, 1) */
    bool gate;                                     /* what is timed begins behind it */
    bool empty;             /* time an empty launch instead of the reduction */
    enum counters counters; /* CPU backend */
};

/* Parses argv. --help prints and exits with status 0; a mistake is told in one line that begins
 * with program and exits with status STATUS_USAGE. */
struct options options_parse(int argc, char **argv, const char *program, const char *title);

/* Prints "program: " and the message as one line on stderr and exits with status STATUS_USAGE. */
void options_fail(const char *program, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* Reads a count: digits, or digits with K, M or G (powers of 1024), or 2^E. False if text is none
 * of these, or more than 2^40; *value is set only when true. Pure. */
bool options_parse_count(const char *text, size_t *value);

#endif
