/* Exercise 04: the sum of all elements, and of their squares. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "halve the barriers",
    .types = "int float double",
    .size = {{"n",
              {4096, 1, 31, 255, 256, 257, 511, 512, 513, 1000, 10240},
              .draw = {{2, 1, 4000}, {1, 70000, 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("sum", ELEM, 1);
    out("squares", ELEM, 1);
}

/* Odd, or halves of odd numbers, and so small that the squares' sum is exact in any order. */
void inputs(void)
{
    elem_t *in = elems("in");
    int bits = ELEM_IS_INT ? 30 : sizeof(elem_t) == 4 ? 24 : 52;
    int most = (int)sqrt(exp2(bits) / (double)size("n"));

    for (size_t i = 0; i < size("n"); i++)
        in[i] = (elem_t)((int)(next_random() % (unsigned)(most + 1)) / 2 * 2 + 1) *
                (next_random() % 2 ? 1 : -1) / (ELEM_IS_INT ? 1 : 2);
}

void reference(void)
{
    const elem_t *in = elems("in");

    for (size_t i = 0; i < size("n"); i++) {
        elems("sum")[0] += in[i];
        elems("squares")[0] += in[i] * in[i];
    }
}

void judge(const struct figures *f)
{
    double n = size("n");
    struct figures pairs = *f;

    /* Given: 18 barriers of 8 warps for 256 elements, 144; the half is 72. Blocks of 1024 threads
     * have 11 barriers of 32 warps for 1024 elements, 88. */
    budget("barriers", "Warps at __syncthreads() per 256 elements", 256 * f->syncthreads / n, 92,
           n >= 4096);
    predict("Barriers per block", 32 * f->syncthreads / f->threads);
    if (256 * f->syncthreads >= 140 * n)
        hint("barriers", "In the first tree's round with stride 128 a thread adds in s between two "
                         "barriers. What could it add in q between the same two?");
    hint("barriers", "Both arrays can be filled before the first barrier. One loop then does a "
                     "round of both trees, and one barrier ends it.");

    /* A program that stores all elements somewhere else can have the host add them. */
    keep("stores", "Elements and results that are stored, or added by atomics, per thread",
         (f->global_store_lanes + f->global_atomic_lanes + f->shared_atomic_lanes) /
             fmin(n, f->busy_threads),
         0.2, n >= 4096);
    hint("stores", "A block leaves two sums: thread 0 adds them to the results. Within the block "
                   "they stay trees: atomics on one word come one after the other.");
    keep_busy(f, n);
    /* A pair of values is shuffled in two parts. */
    pairs.shuffles /= 2;
    keep_lanes_at_work(&pairs, 2 * n, 2);

    /* Five for each of both sums, or ten where all warps join the warps' sums, also in a launch of
     * one block for all blocks' sums. */
    double others = 20 * f->threads / f->blocks / 32;
    keep("rounds", "Shuffles of a word, by warps, per 32 elements, but for those of a block",
         32 * (f->shuffles / (sizeof(elem_t) / 4.0) - others) / n, 24, n >= 4096);
    hint("rounds", "Within a warp they add side by side, too, as in a tree: five rounds join 32 "
                   "lanes, by 16, 8, 4, 2 and 1. 32 shuffles hand on one lane after the other.");

    hint_at_digits(f);
    if (f->wrong_out >= 1)
        hint("wrong", "The sum is right, the sum of squares is not: is each x * x added once, and "
                      "before anything else has been added to x?");
    hint("wrong,unread", "Is each element added once, to both results?");
    hint("global-bounds", "Each index into in must be compared with n.");
    hint("array-bounds,shared-bounds",
         "Only the threads below stride add. An if holds the one statement behind it: two "
         "statements want braces around them.");
    if (f->same_line)
        hint("shared-race,divergent-barrier,deadlock",
             "All threads of the block come to the barrier after each round, those without work, "
             "too.");
    hint("shared-race,divergent-barrier,deadlock",
         "Before a tree's first round all threads must have stored into its array, and after each "
         "round all threads of the block meet, those without work, too.");
}
