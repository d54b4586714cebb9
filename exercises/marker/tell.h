/* Prints a mark for the student, in 80 columns, and writes it for programs. */
#ifndef TELL_H
#define TELL_H

#include "mark.h"

/* tell_head prints the exercise, and a warning where programs are not confined (limits.h);
 * tell_mark a line for each type, as soon as it is marked; tell_end the details of the last one.
 * asked: the number of the hint that the student asks for, from 1; 0: none. */
void tell_head(bool confined);
void tell_mark(const struct mark *mark);
void tell_end(const struct mark *mark, int asked);

/* Removes the lines of a finding from the mark, where the task is to find the bug. */
void tell_nothing_yet(struct mark *mark);

/* The hint to show. Where the task is to find a bug, number 1 is its lines, and the exercise's
 * hints follow. */
struct hints {
    const char *text; /* NULL: none */
    int number;       /* from 1; 0: none was asked for */
    int count;
};
struct hints tell_hints(const struct mark *mark, int asked);

/* Writes the marks of all types as one JSON object (json.c); FORMATS.md has its format. Only the
 * last one may be not done. False: the file cannot be written, and is as it was. */
bool tell_json(const struct mark *marks, int count, int asked, unsigned long long seed,
               const char *path);

#endif
