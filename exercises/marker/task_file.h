/* An exercise's data file, task.txt: what counts as done. exercises/FORMATS.md has the format. */
#ifndef TASK_FILE_H
#define TASK_FILE_H

#include "../wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST_TYPES = 3, MOST_VALUES = 32, MOST_BUDGETS = 12, MOST_DRAWS = 2, MOST_HINTS = 40 };

/* One size: its values in turn, and how many more are drawn, from low to high; then others. */
struct task_size {
    char name[WIRE_NAME];
    long value[MOST_VALUES];
    int values;
    struct {
        long count, low, high;
    } draw[MOST_DRAWS];
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

/* What to say for a reason, or for one of several with commas between (mark.h lists them), where
 * condition >= least holds; NULL: always. */
struct task_hint {
    char *when, *text, *condition, *least;
};

/* What a student is to predict, in words, and its figure. */
struct task_prediction {
    char *words, *figure;
};

struct task_file {
    char *title;
    char type[MOST_TYPES][8];
    struct task_size size[WIRE_MOST];
    struct task_array array[WIRE_MOST];
    struct task_budget budget[MOST_BUDGETS];
    struct task_hint hint[MOST_HINTS];
    struct task_prediction prediction; /* NULLs: there is none */
    bool hunt;                         /* the task is to find a bug: tell where only when asked */
    int types, sizes, arrays, budgets, hints;
};

/* Reads a data file. A mistake ends the program (text_fail), "PATH:LINE: what is wrong, what would
 * be right". */
void task_file_read(const char *path, struct task_file *file);

/* What hints' conditions may name besides: how an output is wrong (the first element that is, its
 * value, the right one, how many are, which output, for which type: 0 int, 1 float, 2 double), and
 * whether both ends of a finding are on one line, and how many ends it has. */
enum task_figure {
    TASK_WRONG_GOT,
    TASK_WRONG_EXPECTED,
    TASK_WRONG_INDEX,
    TASK_WRONG_COUNT,
    TASK_WRONG_OUT,
    TASK_WRONG_TYPE,
    TASK_SAME_LINE,
    TASK_FINDING_THREADS,
    TASK_FIGURES
};
extern const char *const task_figures[TASK_FIGURES];

/* The figure that is no counter: reads of lanes that a shuffle's mask does not name. */
#define TASK_UNNAMED "unnamed_lanes"

/* What expressions may name besides counters: a size, of which values[] are in the order of the
 * file; bytes: of an element. False: there is none of that name. */
bool task_file_size(const struct task_file *file, const long *values, unsigned bytes,
                    const char *name, double *value);

/* How many runs there are: each value of the sizes, and each draw. */
int task_file_runs(const struct task_file *file);

/* Is this hint for that reason, whatever its condition? */
bool task_hint_is_for(const struct task_hint *hint, const char *reason);

#endif
