/* What the student reads, in 80 columns, and what programs read. */
#ifndef TELL_H
#define TELL_H

#include "mark.h"

#include <stdbool.h>
#include <stdio.h>

/* An exercise by its folder's name, such as 04-halve-the-barriers, and how its file is called. */
struct told_exercise {
    const char *name;
    const struct task_file *file;
    unsigned long long seed;
    int hint; /* the number of the hint that is asked for, from 1; 0: of none */
};

/* The head, and that what runs is not confined (confine.h); a line for a mark, as soon as there is
 * one; and the rest, of the last one. */
void tell_head(const struct told_exercise *exercise, bool confined);
void tell_mark(const struct told_exercise *exercise, const struct mark *mark);
void tell_end(const struct told_exercise *exercise, const struct mark *mark);

/* Writes the marks of all types as one JSON object, its format: README.md. The first that is not
 * done decides; the last is told. False: it cannot be written there; the file is then as it was. */
bool tell_json(const struct told_exercise *exercise, const struct mark *marks, int count,
               const char *path);

#endif
