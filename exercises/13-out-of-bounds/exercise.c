/* Exercise 13: the sum of each 256 elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "out of bounds at n = 1000",
    .types = "int float double",
    .hunt = true,
    .size = {{"n",
              {1000, 1, 31, 255, 256, 257, 1024, 4096, 10200},
              .draw = {{2, 1, 4000}, {1, 70000, 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("parts", ELEM, ceil(n / 256));
}

void reference(void)
{
    add_up_tiles("in", size("n"), 256, "parts");
}

void judge(const struct figures *f)
{
    double n = size("n");

    hint("global-bounds", "The last block has 256 threads, and for n = 1000 only 232 elements are "
                          "left. Which threads load something that is not there?");
    hint("global-bounds",
         "A thread must not load what it never adds: which comparison belongs before in[i]?");
    hint("shared-uninitialised", "Every s[…] that somebody reads must have been written. A thread "
                                 "that returns, or goes around the store, leaves its word "
                                 "unwritten: what can it store where there is no element?");
    hint("divergent-barrier,deadlock", "Also a thread without an element must come to each "
                                       "barrier: it must not return before the last one.");
    hint("shared-race",
         "Between two rounds of the tree all threads of the block meet at a barrier.");

    /* One load of several elements counts once. */
    keep("loads", "Elements that are loaded again", fmax(f->global_load_lanes - n, 0), 0,
         loads_count());
    hint("loads", "One load per thread, for those that have an element, is enough: the others "
                  "load nothing, neither the last element nor the first.");

    /* One for each 32 elements, or for 32 vectors. A thread that loads all of the last block has up
     * to 32 times as many there. */
    keep("requests", "Loads by warps per 32 elements", 32 * f->global_load_requests / n, 2,
         n >= 255 && loads_count());
    hint("requests", "A few threads load many elements, one after the other: is that the last "
                     "block? Its threads load side by side, too, each the element that it has.");

    keep_share(f, n, 256, 4.5);
    keep_threads_at_work(f, n, n / 32, "A block leaves one sum: thread 0 stores it.");

    hint("wrong,unread", "An element that is missing counts as 0; all others are added as before.");
}
