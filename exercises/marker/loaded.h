/* The exercise that is marked: its exercise.c, compiled for one type of elements and loaded. There
 * is one at a time. */
#ifndef LOADED_H
#define LOADED_H

#include "../exercise.h"
#include "../wire.h"

enum { MOST_BUDGETS = 16, MOST_HINTS = 40 };

extern struct loaded {
    const char *root;         /* the repository's folder */
    const char *name;         /* the exercise's folder in it, such as 04-halve-the-barriers */
    const char *type;         /* of elements */
    struct exercise exercise; /* a copy: the marker may change its sizes */
    int sizes;                /* how many it has */
    long size[MOST_SIZES];    /* of the present run, as all that follows */
    struct array {
        struct wire_array wire;
        bool is_int;
        void *data; /* on the host: an input, or an output as it is right */
    } array[WIRE_MOST];
    unsigned arrays;
} loaded;

/* Filled by the exercise's judge(), for a run. */
struct judged {
    struct budget {
        const char *name, *means; /* one word; in words */
        double value, limit;
        bool keep;    /* does the given program meet it already? */
        bool applies; /* at these sizes */
    } budget[MOST_BUDGETS];
    struct hint {
        const char *reasons, *text; /* reasons: with commas between */
    } hint[MOST_HINTS];
    int budgets, hints;
    const char *predicts; /* the figure to predict, in words; NULL: none */
    double came;          /* that figure as it was */
};

/* Loads the libraries that make has built of an exercise in the repository `root`. An error in it
 * ends the program (text_fail). */
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
