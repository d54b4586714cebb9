/* Exercise 17: the transpose. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "a transpose with bank conflicts",
    .types = "int float double",
    .size = {{"rows",
              {64, 1, 1, 31, 32, 33, 63, 100, 127, 256},
              .draw = {{2, 17, 200}, {1, 300, 500}}},
             {"cols",
              {64, 1, 31, 33, 32, 31, 65, 1000, 129, 64},
              .draw = {{2, 17, 200}, {1, 300, 500}}}},
};

void arrays(void)
{
    double rows = size("rows"), cols = size("cols");

    in("in", ELEM, rows * cols);
    out("out", ELEM, rows * cols);
}

void reference(void)
{
    const elem_t *in = elems("in");
    elem_t *out = elems("out");
    size_t rows = size("rows"), cols = size("cols");

    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            out[c * rows + r] = in[r * cols + c];
}

void judge(const struct figures *f)
{
    double rows = size("rows"), cols = size("cols"), bytes = sizeof(elem_t);

    /* A double takes two banks, so a half warp at a time has them all: that is no conflict. */
    budget("conflicts", "Bank conflicts per 32 elements",
           32 * f->shared_bank_conflicts / (rows * cols), 0, true);
    predict("Wavefronts/request of the loads from shared memory, for ints",
            4 / bytes * f->shared_load_wavefronts / f->shared_load_requests);
    hint("conflicts",
         "If a row of s has W words (32 as given), s[r][c] is word W * r + c, and lies in the bank "
         "of that number % 32. Which banks do s[0][5], s[1][5], s[2][5], … lie in?");
    if (f->shared_load_bank_conflicts >= 1)
        hint("conflicts",
             "If a row had 33 words, s[r][c] would lie in bank (r + c) % 32: for a row and for a "
             "column that is 32 different ones. The 33rd word need not be used.");
    if (f->shared_store_bank_conflicts >= 1)
        hint("conflicts", "The stores into the tile have conflicts: which words does a warp store "
                          "at the same time, and how far are they apart?");

    /* 32 elements that lie side by side are so many sectors as an element has bytes, and two more
     * where they begin and end within one. Behind the last row that one may be loaded again. */
    keep("loads", "Sectors per 32 elements that are loaded",
         f->global_load_sectors / (32 * ceil(rows / 32) * ceil(cols / 32)), bytes + 2, true);
    hint("loads", "A warp loads a part of a row of in: neighbours of x are neighbours in memory.");

    keep("stores", "Sectors per 32 elements that are stored",
         (f->global_store_sectors + f->global_atomic_sectors) / (cols * ceil(rows / 32)), bytes + 2,
         true);
    hint("stores", "A warp stores a part of a row of out: neighbours of x are neighbours in "
                   "memory. The tile is turned in shared memory.");

    keep_share(f, rows * cols, 1024, 2.5);
    keep_share_of_shared(f, rows * cols, 1024);
    keep("tile", "Elements that no thread loads from shared memory, and shuffles",
         fmax(rows * cols - 4 * f->shared_load_lanes, 0) + f->shuffles, 0, true);
    hint("tile", "The tile stays in shared memory: what changes is where its words lie.");
    keep("lanes", "Loads from shared memory, by warps, per 32 elements",
         f->shared_load_requests / (cols * ceil(rows / 32)), 4, true);
    hint("lanes", "All 32 lanes of a warp load at the same time.");

    hint_at_digits(f);
    hint("wrong", "in[r * cols + c] becomes out[c * rows + r]: of the tile at (r0, c0) s[x][k] is "
                  "element (r0 + x, c0 + k).");
    hint("shared-race", "The thread that stores a row loads columns that others have stored: a "
                        "barrier must lie between.");
    hint("shared-bounds,array-bounds", "A tile has 32 rows and 32 columns, whatever its layout.");
    hint("global-bounds",
         "At the right and at the lower edge a tile is not full: compare with rows and cols. A row "
         "of out has as many elements as in has rows.");
    hint("global-race", "Two threads store into one element of out. Its rows have as many elements "
                        "as in has rows: element (r, c) of in belongs into out[c * rows + r].");
    hint("shared-uninitialised",
         "Only what was stored into the tile may be loaded from it, by the same layout. The tile "
         "holds rows r0 … and columns c0 … of in: which of x and k is compared with rows now, and "
         "which with cols?");
    hint("divergent-barrier,deadlock",
         "All threads of the block come to the barrier, those without an element, too.");
}
