/* Exercise 05: the sum of each 96 elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "the last warp",
    .types = "int float double",
    .size = {{"n",
              {9600, 1, 31, 32, 33, 47, 48, 49, 95, 96, 97, 1000},
              .draw = {{2, 1, 5000}, {1, 70000, 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("sums", ELEM, ceil(n / 96));
}

void reference(void)
{
    add_up_tiles("in", size("n"), 96, "sums");
}

void judge(const struct figures *f)
{
    double n = size("n");

    /* Eight barriers of three warps are given. Two barriers, and 6 warps, are needed: after the
     * loads, and after the round that leaves 48. A third one is of a round of the first warp. */
    budget("barriers", "Warps at __syncthreads() per block of 96 elements",
           f->syncthreads / ceil(n / 96), 8, true);
    if (f->syncthreads / ceil(n / 96) <= 13 && f->syncwarps < 1) {
        hint("barriers",
             "__syncthreads() is a barrier of the whole block: it does not belong where only the "
             "first warp comes. That warp has a barrier of its own, __syncwarp().");
    } else {
        hint("barriers",
             "In the round that leaves 48 sums the threads 0 to 47 work: two warps. Which threads "
             "work in the next round, and who else needs the barriers from there on?");
        hint("barriers",
             "Take the first round out of the loop, with a __syncthreads() behind it. The other "
             "rounds belong under if (tid < 32), with a __syncwarp() after each.");
    }

    /* In the first round every second thread of a full block adds. */
    keep("threads", "Threads that blocks of 96 lack, or have too many, or that have no work at all",
         fmax(fabs(96 * ceil(n / 96) - f->threads), 48 * floor(n / 96) - f->busy_threads), 0, true);
    hint("threads", "Blocks keep their 96 threads, one for each element: also the second and the "
                    "third warp load, and take part in the first round.");

    keep_share(f, n, 96, 1.5);

    keep_threads_at_work(f, n, ceil(n / 96), "A block leaves one sum: thread 0 stores it.");

    const bool each_round = f->syncwarps + f->syncthreads >= 9 * f->blocks;
    if (f->same_warp && f->same_line && each_round)
        hint("shared-race", "There is a barrier after each round. Within one, does a thread read a "
                            "word that another one writes? Of left sums the middle one waits: "
                            "the second half begins at (left + 1) / 2.");
    if (f->same_warp)
        hint("shared-race",
             "Since Volta the lanes of a warp need not run in lockstep: between one lane's store "
             "and another lane's load there must be a __syncwarp(), after each round, even of a "
             "volatile array.");
    else
        hint("shared-race",
             "Threads of one warp load what those of another have stored: after the first loads, "
             "and after the round that leaves 48 sums, __syncthreads() stays: __syncwarp() orders "
             "one warp alone.");
    hint("shared-uninitialised",
         "A thread without an element stores a 0 into its word of s, and comes "
         "to every barrier: none returns before.");
    hint("global-bounds", "sums has one element for each 96 of in: a block has 96 threads, and "
                          "each index into in is compared with n.");
    hint("divergent-barrier", "Only a part of the block comes to that barrier. A barrier of all "
                              "threads belongs outside of if (tid < 32).");
    hint("deadlock,warp-mask", "A lane that waits at __syncwarp() waits for all 32 lanes of its "
                               "warp: all of them must come to it.");
    hint_at_digits(f);
    if (f->syncthreads < 6 * f->blocks)
        hint("wrong", "The round that leaves 48 sums has 48 pairs, and a warp has 32 lanes: do "
                      "threads 32 to 47 take theirs?");
    hint("wrong,unread", "96 is no power of two: a round that finds an odd number of sums leaves "
                         "the middle one, and half of 3 is 2, not 1.");
}
