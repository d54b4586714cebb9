/* Exercise 02: the largest element of each row of 32. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "remove the divergence",
    .types = "int float double",
    .size = {{"rows",
              {128, 1, 2, 7, 8, 9, 16, 31, 200, 1000},
              .draw = {{2, 1, 100}, {1, 2500, 4500}}}},
};

void arrays(void)
{
    double rows = size("rows");

    in("in", ELEM, 32 * rows);
    out("most", ELEM, rows);
}

/* Most rows are negative: a 0 that nobody has loaded is larger. Some are far from 0, with one sign
 * or both. */
void inputs(void)
{
    elem_t *in = elems("in");

    for (size_t row = 0; row < size("rows"); row++)
        if (row % 4 < 2)
            draw_near(in + 32 * row, 32, -1);
        else
            draw_far(in + 32 * row, 32, row % 4 == 2 ? -1 : 0);
}

void reference(void)
{
    const elem_t *in = elems("in");
    elem_t *most = elems("most");

    for (size_t row = 0; row < size("rows"); row++) {
        most[row] = in[32 * row];
        for (size_t i = 32 * row; i < 32 * row + 32; i++)
            most[row] = in[i] > most[row] ? in[i] : most[row];
    }
}

void judge(const struct figures *f)
{
    double rows = size("rows");

    /* Given: 5 rounds of 8 warps with two loads each for 8 rows, 10. The first threads: 4 + 2 + 1 +
     * 1 + 1 warps, 2.4; blocks of 64 threads, which take 2 rows, 5.5. So the limit is 3.6 for
     * blocks of 256 threads, and 6.2 for 64: the pairs of all rows of the block are to be numbered.
     */
    budget("loads", "Loads from shared memory, by warps, per row", f->shared_load_requests / rows,
           2.7 + 7 * 32 * f->blocks / f->threads, rows >= 128);
    if (f->shared_load_requests >= 9 * rows)
        hint("loads", "In the first round 8 rows have 128 pairs, which 4 warps could take. Which "
                      "warps work today, and with how many of their lanes?");
    hint("loads", "In the round with stride 2 a row has 8 pairs, which begin at columns 0, 4, 8, … "
                  "Threads 0 to 7 take those of row 0. Which threads take those of row 1, and how "
                  "do they compute row and column?");
    hint("loads", "A row has COLS / (2 * stride) pairs. Divide tid by this number: the quotient is "
                  "the row, the remainder the pair's number within the row.");

    /* Given: on average 6.2 lanes of a warp load; the first threads: 27, with blocks of 64 12.4. */
    double busy = f->shared_load_lanes / f->shared_load_requests;
    budget("idle", "Idle lanes of a warp per load from shared memory", 32 - busy, 21,
           rows >= 128 && f->shared_load_requests >= 1);
    hint("idle", "In the first rounds all 32 lanes of a warp have a pair: a thread for each pair, "
                 "not one for each row.");

    keep_coalesced(f, 32 * rows);
    keep_share(f, 32 * rows, 256, 4.5);
    keep_lanes_at_work(f, 32 * rows, rows);

    keep("unshared", "Shuffles, votes and shared atomics, by warps, per row",
         (f->shuffles + f->votes + f->reductions + f->shared_atomic_requests) / rows, 0, true);
    hint("unshared", "All pairs are compared through shared memory: what changes is which thread "
                     "takes which pair.");

    /* A program that stores all elements somewhere else can have the host compare them. */
    keep("stores", "Elements stored per row",
         (f->global_store_lanes + f->global_atomic_lanes) / rows, 6, rows >= 128);
    hint("stores", "Of each row only its largest element is stored.");

    if (f->wrong_got > f->wrong_expected)
        hint("wrong", "This is larger than every element of the row. Is it another row's, or a "
                      "number that no thread has loaded, such as 0?");
    if (f->wrong_got == (double)elems("in")[32 * (size_t)f->wrong_index])
        hint("wrong", "This is the row's first element: has anybody compared it? Are the pairs of "
                      "all 8 rows numbered, or those of one row?");
    if (ELEM_IS_INT && (int)f->wrong_index % 4 == 3)
        hint("wrong", "Here ints of both signs are far from 0, so the difference of two of them "
                      "overflows. Does the program compare by one? max() does not.");
    hint("wrong,unread",
         "Which pairs are compared in a round stays the same; only the threads that do it change.");
    hint("shared-bounds,array-bounds", "A block has 8 rows and 32 columns. How many pairs has a "
                                       "round in all, and which threads have none?");
    const char *pairs = "In a round each element belongs to one pair, and each pair to one thread. "
                        "Write down row and column of the pairs of threads 0, 1, 8 and 9 in the "
                        "round with stride 2: do two of them share an element?";
    const bool each_round = f->syncthreads + f->syncwarps >= 5 * f->threads / 32;
    if (f->same_line && each_round)
        hint("shared-race", pairs);
    hint("shared-race,divergent-barrier,deadlock",
         "Between two rounds all threads of the block meet at a barrier, those without work, too.");
    if (!(f->same_line && each_round))
        hint("shared-race", pairs);
}
