/* Exercise 10: the sum of each row. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "row sums of a matrix",
    .types = "int float",
    /* Together as they stand: 64 x 100, 1 x 1, … */
    .size = {{"rows",
              {64, 1, 1, 5, 31, 33, 31, 32, 63, 127, 257, 66000},
              .draw = {{2, 33, 150}, {1, 500, 700}}},
             {"cols",
              {100, 1, 250, 51, 1, 3, 33, 32, 65, 200, 40, 23},
              .draw = {{2, 32, 250}, {1, 150, 250}}}},
};

void arrays(void)
{
    double rows = size("rows"), cols = size("cols");

    in("in", ELEM, rows * cols);
    out("sums", ELEM, rows);
}

void reference(void)
{
    const elem_t *in = elems("in");
    elem_t *sums = elems("sums");
    size_t cols = size("cols");

    for (size_t row = 0; row < size("rows"); row++)
        for (size_t col = 0; col < cols; col++)
            sums[row] += in[row * cols + col];
}

void judge(const struct figures *f)
{
    double rows = size("rows"), cols = size("cols");

    /* 32 elements of 4 bytes that lie side by side are 4 sectors; rows, and what is left at their
     * ends, begin and end within a sector. There is no mark for doubles, as in 01. */
    budget("sectors", "Sectors per 32 elements that are loaded",
           32 * f->global_load_sectors / (rows * cols), 8, cols >= 64);
    hint("sectors",
         "When lane 0 loads in[row * cols], which element does lane 1 load at the same time, and "
         "how far away is it? A warp should load elements of one row, side by side.");
    hint("sectors", "Thread t of a block belongs to its warp t / 32. With 8 warps a block, block "
                    "b's warp w has row 8 * b + w; its lane l begins at column l and goes on by "
                    "32. Then five shuffles add up.");

    /* Five, or one __reduce_add_sync; a tree in shared memory has a __syncwarp() for each. */
    budget("rounds", "How many of the five rounds of a warp's sum each row lacks",
           5 - (f->shuffles + f->syncwarps + 5 * f->reductions) / rows, 0.5, cols >= 64);
    hint("rounds", "Each row has a warp of its own: 32 lanes add up their sums in five rounds, and "
                   "then one of them has the row's.");

    keep("barriers", "Warps at __syncthreads()", f->syncthreads, 0, true);
    hint("barriers",
         "The lanes of a warp can add up their sums by __shfl_down_sync(), without a barrier.");

    /* A program that stores all elements somewhere else can have the host add them. A zero and an
     * atomic for each sum are right. */
    keep("stores", "Elements and results that are stored, or added by atomics, per row",
         (f->global_store_lanes + f->global_atomic_lanes + f->shared_atomic_lanes) / rows, 2.5,
         true);
    hint("stores",
         "Of each row one lane stores the sum. Before that the lanes add up their sums in "
         "rounds, not by atomics on one word, which come one after the other.");

    keep_lanes_at_work(f, cols >= 64 ? rows * cols : 0, rows);

    hint_at_digits(f);
    if (f->wrong_index >= 1 && f->wrong_index < 8)
        hint("wrong", "The first row is right, a later one is not. Does each warp store its sum? A "
                      "block of 256 threads has eight lanes 0: threads 0, 32, 64, …");
    if (f->wrong_index >= 8)
        hint("wrong", "The first row is right, a later one is not. Is there a warp for each row, "
                      "also for the last ones? A block of 256 threads takes 8 rows.");
    hint("unread", "Is there a warp for each row, also for the last ones? A block of 256 threads "
                   "takes 8 rows. And has each lane added all of its columns, 32 apart?");
    hint("wrong",
         "After five shuffles, by 16, 8, 4, 2 and 1, lane 0 of the warp has the row's sum, and "
         "only this one: which lane stores, and has each lane added all of its columns, 32 "
         "apart?");
    if (f->same_warp)
        hint("global-race", "Several lanes store into sums[row], and not all of them have the "
                            "row's sum: only lane 0 stores it.");
    hint("global-race", "Each row has one warp, and each element of sums one lane that stores it.");
    hint("global-bounds", "The last block may have more warps than there are rows left: compare "
                          "row with rows. And does row r begin at element r * cols?");
    hint("warp-mask,deadlock",
         "All lanes that the mask names must call the shuffle: also those for which no column was "
         "left. Lanes may return early only with their whole warp.");
    if (!f->same_warp)
        hint("shared-race", "A block's warps share an array: each needs words of its own.");
    hint("shared-race", "A lane may load what another one has stored only after a barrier, or "
                        "within a warp after a __syncwarp().");
}
