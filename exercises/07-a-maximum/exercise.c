/* Exercise 07: the largest element. */
#include "exercise.h"

#include <limits.h>

const struct exercise exercise = {
    .title = "a maximum instead of a sum",
    .types = "int float double",
    .size = {{"n",
              {1000, 1, 31, 32, 33, 255, 257, 2047, 2048, 2049, 10239},
              .draw = {{2, 1, 4000},
                       {1, ELEM_IS_INT ? 2120000 : 80000, ELEM_IS_INT ? 2200000 : 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("max", ELEM, 1);
    work("maxima", ELEM, ceil(n / 2048));
}

/* If the number of elements is odd, all are near the least number of their type, so that a program
 * that begins with another number is wrong. If 32 divides it they are any, the least among them:
 * their differences overflow, and so does its negative. Of many, the largest has an index of more
 * than 16 bits; where it is in the last 255, a program that leaves these out is wrong. */
void inputs(void)
{
    elem_t *in = elems("in");
    elem_t unit = ELEM_IS_INT ? 1 : (elem_t)(sizeof(elem_t) == 4 ? 1.5e29 : 8e298);
    bool wide = size("n") % 32 == 0;
    int highest = wide ? INT_MAX - 1 : size("n") % 2 == 1 ? INT_MIN + (1 << 21) : 1 << 19;

    for (size_t i = 0; i < size("n"); i++)
        in[i] = unit * (elem_t)(wide ? (int)next_random() / 2 * 2
                                     : highest - (int)(next_random() % (1 << 20)));
    if (wide)
        in[next_random() % size("n")] = unit * (elem_t)INT_MIN;
    if (size("n") > 1 << 16)
        in[far_behind(size("n"))] = unit * (elem_t)(highest + 1);
    else if (size("n") % 256 == 255)
        in[size("n") - 1 - next_random() % 255] = unit * (elem_t)(highest + 1);
}

void reference(void)
{
    const elem_t *in = elems("in");
    elem_t *max = elems("max");

    max[0] = in[0];
    for (size_t i = 1; i < size("n"); i++)
        max[0] = in[i] > max[0] ? in[i] : max[0];
}

void judge(const struct figures *f)
{
    double n = size("n");

    if (fabs(f->wrong_got) >= 2.1 * fabs(f->wrong_expected))
        hint("wrong", "No element is so far from 0: somewhere two values are still added. They "
                      "meet in each thread's loop, and behind each shuffle.");
    if (f->wrong_got >= f->wrong_expected) {
        hint_at_digits(f);
        hint("wrong", "This is larger than every element, so no thread has loaded it. A sum begins "
                      "with 0, since 0 changes no sum. Which number changes no maximum, also of "
                      "floats that are far below INT_MIN? Any of the elements themselves: in[0].");
        hint("wrong",
             "In the last step the first warp has 32 lanes and only 8 values. A number of their "
             "own may be larger than all of them: let the others repeat a value that is there.");
    }
    if (f->wrong_expected >= f->wrong_got)
        hint("wrong", "The largest element got lost. Of two values that meet, which one survives, "
                      "and does each lane that is read hold a value of the block?");
    hint(
        "wrong,unread",
        "Is each element looked at by some thread, and each block's maximum by the second launch?");

    /* A thread may also compare its value with the total so far, and rarely be larger. */
    double threads = fmin(n, f->busy_threads);
    double met = f->shuffle_lanes + 32 * (f->reductions + f->votes) + f->shared_store_lanes +
                 f->global_store_lanes;
    keep("alone", "Threads whose value neither a shuffle nor a store hands on, of 100",
         100 * fmax(1 - met / threads, 0), 50, n >= 10000);
    keep("atomics", "Values that threads hand on by atomics, per 100 threads",
         100 * (f->global_atomic_lanes + f->shared_atomic_lanes) / threads, 20, n >= 10000);
    hint("alone,atomics", "Threads that want to change one word wait for each other. A warp's "
                          "lanes join their values by shuffles, and its lane 0 stores one.");
    keep_busy(f, n);
    if (n < 20000) /* the second launch loads few values */
        keep_share(f, n, 2048, 4);
    keep_threads_at_work(f, n, 1, "A block leaves one value: its thread 0 stores it.");

    hint("shared-race", "The first warp reads what others wrote: a barrier must lie between.");
    hint("shared-uninitialised,shared-bounds,array-bounds",
         "s has eight values, one for each warp: lanes 8 to 31 have none of their own.");
    hint("global-bounds", "At n = 1 only in[0] is there: each index into in must be below n. The "
                          "second launch has as many elements as the first one has blocks.");
    hint("warp-mask,deadlock", "All lanes that the mask names must call the shuffle: keep it out "
                               "of if (tid < 8) and out of if (other > x), and let no thread "
                               "return before it.");
}
