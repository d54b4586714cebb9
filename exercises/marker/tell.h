/* What the student reads, in 80 columns, and what programs read. */
#ifndef TELL_H
#define TELL_H

#include "mark.h"

/* The head, and that what runs is not confined (limits.h); a line for a mark, as soon as there is
 * one; and the rest, of the last one. asked: the number of the hint that is asked for, from 1; 0:
 * of none. */
void tell_head(bool confined);
void tell_mark(const struct mark *mark);
void tell_end(const struct mark *mark, int asked);

/* Where a bug is to be found, and nobody has asked for a hint: takes from the mark what shows its
 * lines. */
void tell_nothing_yet(struct mark *mark);

/* Which hint is shown, NULL: none. Where a bug is to be found there is one more before those of the
 * exercise, which shows the lines. */
struct hints {
    const char *text;
    int number, count;
};
struct hints tell_hints(const struct mark *mark, int asked);

/* Writes the marks of all types as one JSON object (json.c), its format: FORMATS.md. The first that
 * is not done decides; the last is told. False: it cannot be written there; the file is then as it
 * was. */
bool tell_json(const struct mark *marks, int count, int asked, unsigned long long seed,
               const char *path);

#endif
