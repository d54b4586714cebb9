/* Exercise 03: the sum of each row of 32. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "remove the bank conflict",
    .types = "int float double",
    .size = {{"rows",
              {128, 1, 2, 31, 32, 33, 127, 129, 256, 1000},
              .draw = {{2, 1, 500}, {1, 2500, 4500}}}},
};

void arrays(void)
{
    double rows = size("rows");

    in("in", ELEM, 32 * rows);
    out("sums", ELEM, rows);
}

void reference(void)
{
    add_up_tiles("in", 32 * size("rows"), 32, "sums");
}

void judge(const struct figures *f)
{
    double rows = size("rows"), bytes = sizeof(elem_t);

    /* A double takes two banks, so a half warp at a time has them all: that is no conflict. */
    budget("conflicts", "Bank conflicts per row", f->shared_bank_conflicts / rows, 0, true);
    predict("Wavefronts/request of the loads from shared memory, for ints",
            4 / bytes * f->shared_load_wavefronts / f->shared_load_requests);
    if (f->shared_store_bank_conflicts >= 1)
        hint("conflicts", "The stores into s have conflicts now. What do a warp's lanes store at "
                          "the same time: which of row and column is the same for all of them?");
    hint("conflicts",
         "If a row of s has W words (32 as given), s[r][c] is word W * r + c, and lies in "
         "the bank of that number % 32. In which banks do lanes 0, 1, 2, 3 and 16 read "
         "in the turn k = 0?");
    hint("conflicts", "The lanes must read from different columns, or the rows must begin in "
                      "different banks. Lane l may begin at column l, and go on behind the last "
                      "column with the first. Or each row gets one word more, which nobody reads.");

    /* A program that stores all elements somewhere else can have the host add them. */
    keep("stores", "Elements stored per row",
         (f->global_store_lanes + f->global_atomic_lanes) / rows, 6, rows >= 128);
    hint("stores", "Of each row only its sum is stored.");

    keep_coalesced(f, 4096 * ceil(rows / 128)); /* for missing rows the last one again is right */
    keep_share(f, 32 * rows, 4096, 2.5);
    keep_share_of_shared(f, 32 * rows, 4096);
    keep("rows", "Rows that no thread reads from shared memory, and shuffles",
         fmax(rows - f->shared_load_lanes / 8, 0) + f->shuffles + f->reductions, 0, rows >= 128);
    hint("rows",
         "Each thread still adds up one row of s: what changes is where the words lie, or in "
         "which order they are read.");
    keep_lanes_at_work(f, 32 * rows, rows);

    hint_at_digits(f);
    hint("wrong", "Each thread must add each of its row's 32 elements once. Column 31 is followed "
                  "by column 0 of the same row.");
    hint("unread", "Each element of a row must be loaded, and added once.");
    hint("shared-uninitialised",
         "A thread may read s[r][c] only after a thread has stored it: has a "
         "row more words now than are loaded?");
    hint("shared-bounds,array-bounds", "Column 32 of a row of 32 words is column 0 of the next "
                                       "row: which column comes behind column 31?");
    hint("shared-race,divergent-barrier,deadlock",
         "Each thread reads what others have stored: all threads of the block meet at the barrier "
         "before.");
    hint("global-bounds", "The last block may have fewer rows: compare each row with rows.");
}
