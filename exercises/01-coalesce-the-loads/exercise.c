/* Exercise 01: the sum of each tile. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "coalesce these loads",
    .types = "int float",
    .size = {{"n",
              {16384, 1, 31, 32, 1000, 4095, 4096, 4097, 30000},
              .draw = {{2, 1, 4000}, {1, 70000, 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("sums", ELEM, ceil(n / 4096));
}

void reference(void)
{
    add_up_tiles("in", size("n"), 4096, "sums");
}

void judge(const struct figures *f)
{
    double n = size("n");

    /* 32 elements of 4 bytes that lie side by side are 4 sectors. There is no mark for doubles: of
     * a double4 the backend counts each word as a load. The threads of a tile that is not full may
     * load the last element again. */
    budget("sectors", "Sectors per 32 elements that are loaded",
           32 * f->global_load_sectors / (4096 * ceil(n / 4096)), 4.8, n >= 4096);
    predict("Sectors/request of the loads", f->global_load_sectors / f->global_load_requests);
    hint("sectors", "When lane 0 loads in[0], which element does lane 1 load at the same time, and "
                    "how far away is it? A sector holds 32 bytes: 8 ints that lie side by side.");
    hint("sectors", "In each turn of the loop over k, let the block's 256 threads load 256 "
                    "elements in a row: thread tid the one that is tid behind the first.");

    keep_share(f, n, 4096, 1.5);
    keep_threads_at_work(f, n, n / 32, "A block leaves one sum: thread 0 stores it.");

    hint_at_digits(f);
    if (f->wrong_index >= 1)
        hint("wrong,unread", "The first tile is right, another one is not: does each block begin "
                             "with its own tile?");
    hint("wrong,unread",
         "Every element of the tile must be added exactly once. Write down, for 2 threads and 2 "
         "elements a thread, which index each of them loads in each turn.");
    hint("global-bounds", "Each index into in must be compared with n.");
    hint("shared-race,divergent-barrier,deadlock",
         "The tree was right: all threads of the block meet at a barrier before it, and after each "
         "of its rounds.");
    hint("shared-uninitialised", "A thread without an element stores its 0 into s, and comes to "
                                 "every barrier: none returns before, not even from the loop.");
}
