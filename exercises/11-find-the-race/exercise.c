/* Exercise 11: the sum of each 2048 elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "find the race",
    .types = "int float double",
    .hunt = true,
    .size = {{"n",
              {4096, 1, 1000, 31, 256, 257, 512, 2048, 2049, 10000},
              .draw = {{2, 1, 4000}, {1, 70000, 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("sums", ELEM, ceil(n / 2048));
}

void reference(void)
{
    add_up_tiles("in", size("n"), 2048, "sums");
}

void judge(const struct figures *f)
{
    double n = size("n");

    if (f->wrong_got != f->wrong_expected)
        hint("shared-race",
             "Here the sum is wrong, too. Does the first warp load from s what another warp has "
             "not stored yet? One barrier belongs between the stores of a tile and these loads, "
             "one more between the loads and the stores of the next tile.");
    hint("shared-race",
         "The report names two lines. The second warp may be a whole turn of the loop ahead of the "
         "first: which line is it at, and which one does it disturb?");
    hint(
        "shared-race",
        "The first warp's lanes read s after the barrier. The other warps go on, and store the "
        "next tile's sums into the same words: nobody may do that before the first warp has read.");
    hint("divergent-barrier,deadlock",
         "A barrier is for all threads of the block: outside of if (warp == 0).");

    keep("launches", "Launches after the first", f->launches - 1, 0, true);
    hint("launches", "It stays one launch: all blocks wait between two of them, which costs more "
                     "than any barrier of a block.");

    /* Two barriers a tile, of eight warps: 16. */
    keep("barriers", "Warps at __syncthreads() per 256 elements", 256 * f->syncthreads / n, 20,
         n >= 4096);
    hint("barriers", "As few barriers as it takes: a tile needs no more than two. Which of yours "
                     "orders nothing?");

    keep_busy(f, n);
    keep_share(f, n, 2048, 2.5);
    keep_threads_at_work(f, n, n / 32, "A block leaves one sum: thread 0 stores it.");

    hint("wrong,unread", "The result was right: what is added is no part of the bug.");
}
