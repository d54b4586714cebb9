/* An exercise's data file, task.txt: what counts as done. exercises/FORMATS.md has the format. */
#ifndef TASK_FILE_H
#define TASK_FILE_H

#include "../wire.h"

#include <stdbool.h>
#include <stddef.h>

enum { MOST_TYPES = 3, MOST_VALUES = 32, MOST_BUDGETS = 12, MOST_HINTS = 40 };

/* One size: its values in turn, and how many more are drawn, from low to high. */
struct task_size {
    char name[WIRE_NAME];
    long value[MOST_VALUES];
    int values, draws;
    long low, high;
};

/* An array: its role (enum task_role), the type of its elements ("int" or "elem"), how many there
 * are (an expression in the sizes), and how far an output may be from the reference, relative to
 * it: 0, or an expression; NULL is 0. */
struct task_array {
    char name[WIRE_NAME];
    int role;
    bool is_int;
    char *count, *within;
};

/* figure <= limit must hold where condition >= least does; NULL: everywhere. All four are
 * expressions. means: the figure in words. */
struct task_budget {
    char name[WIRE_NAME];
    bool keep;
    char *figure, *limit, *condition, *least, *means;
};

/* What to say for a reason, or for one of several with commas between: mark.h lists them. */
struct task_hint {
    char *when, *text;
};

struct task_file {
    char *title;
    char type[MOST_TYPES][8];
    struct task_size size[WIRE_MOST];
    struct task_array array[WIRE_MOST];
    struct task_budget budget[MOST_BUDGETS];
    struct task_hint hint[MOST_HINTS];
    int types, sizes, arrays, budgets, hints;
    char *text; /* what the others point into */
};

/* Reads a data file. A mistake is told in one line, "PATH:LINE: what is wrong, what would be
 * right", in error, and false returned. task_file_free frees what it took. */
bool task_file_read(const char *path, struct task_file *file, char error[400]);
void task_file_free(struct task_file *file);

/* What expressions may name besides counters: a size, of which values[] are in the order of the
 * file; bytes: of an element. False: there is none of that name, which is not ended by a 0. */
bool task_file_size(const struct task_file *file, const long *values, unsigned bytes,
                    const char *name, size_t length, double *value);

/* The hints for a reason, in order: the one of that number from 1, NULL if there is none. */
const char *task_file_hint(const struct task_file *file, const char *reason, int number);
int task_file_hints(const struct task_file *file, const char *reason);

#endif
