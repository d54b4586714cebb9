/* The exercise that is marked: its exercise.c, compiled for one type of elements and loaded. There
 * is one at a time. */
#ifndef LOADED_H
#define LOADED_H

#include "../exercise.h"
#include "../wire.h"

enum { MOST_BUDGETS = 12, MOST_HINTS = 40 };

/* root: of the repository; name: of its folder, such as 04-halve-the-barriers; exercise: a copy,
 * whose sizes may be changed; sizes: how many it has. The rest is of the present run. An array's
 * data are on the host: inputs, and outputs as they are right. */
extern struct loaded {
    const char *root, *name, *type;
    struct exercise exercise;
    int sizes;
    long size[MOST_SIZES];
    struct array {
        struct wire_array wire;
        bool is_int;
        void *data;
    } array[WIRE_MOST];
    unsigned arrays;
} loaded;

/* What judge() says of a run, or of a line. */
struct judged {
    struct budget {
        const char *name, *means;
        double value, limit;
        bool keep, applies;
    } budget[MOST_BUDGETS];
    struct hint {
        const char *reasons, *text;
    } hint[MOST_HINTS];
    int budgets, hints;
    const char *predicts; /* NULL: nothing */
    double came;
};

/* Loads what make has built of an exercise in the repository `root`. What is wrong with it ends the
 * program (text_fail). */
void loaded_open(const char *root, const char *name, const char *type);

/* How many runs there are: each value of the sizes, and each draw. */
int loaded_runs(void);

/* Chooses run k's sizes, and makes its arrays. Sizes, inputs and orders are drawn by next_random(),
 * from this seed on. */
void loaded_choose(int k);
void loaded_make_arrays(void);
void loaded_seed(unsigned long long seed);

struct judged loaded_judge(const struct figures *figures);

static inline bool budget_missed(const struct budget *b)
{
    return b->applies && !(b->value <= b->limit);
}

#endif
