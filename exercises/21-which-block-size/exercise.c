/* Exercise 21: the sum of all elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "which block size?",
    .types = "int float double",
    .size = {{"n",
              {100, 5000, 100000, 1, 31, 32, 33, 127, 128, 129, 1000},
              .draw = {{2, 1, 4000}, {1, 70000, 99000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("total", ELEM, 1);
}

void reference(void)
{
    add_up_tiles("in", size("n"), size("n"), "total");
}

void judge(const struct figures *f)
{
    double n = size("n");

    /* Each holds at one size alone. Threads: 512 and 1024 fail. Barriers, one more than
     * log2(BLOCK), 8.19 with 128 since 5000 is no multiple: 256 fails, too. */
    budget("threads", "Threads that are launched", f->threads, 256, n == 100);
    hint("threads",
         "At n = 100 one block has all elements. What do the threads do that have none?");
    hint("threads",
         "A block of 128 threads has 28 without an element. Which sizes are small enough?");

    budget("barriers", "Warps at __syncthreads() per 32 elements", 32 * f->syncthreads / n, 8.7,
           n == 5000);
    hint("barriers", "A warp comes to one barrier before the tree, and to one after each round. "
                     "How many rounds has a tree of BLOCK elements?");
    hint("barriers", "A tree of 256 elements has eight rounds, so each warp, with its 32 elements, "
                     "comes to nine barriers.");

    /* 3125 blocks of 32 threads and 1563 of 64 are too many, 782 of 128 are not. */
    keep("atomics", "Atomics on global memory", f->global_atomic_lanes, 1000, n >= 100000);
    hint("atomics", "Each block adds its sum to the total by one atomic: how many blocks have "
                    "100000 elements?");

    keep("share", "Elements for which there is no thread", fmax(n - f->threads, 0), 0, true);
    hint("share", "The task is to choose BLOCK: a thread loads one element, as before.");

    double block = f->threads / f->blocks; /* all that it makes the given kernel do */
    static double first;                   /* BLOCK is the same for each n */
    first = first > 0 || f->blocks < 1 ? first : block;
    keep("block", "Threads per block more or less than at another n", fabs(block - first), 0, true);
    hint("block", "The task is to choose one BLOCK for all n.");

    keep("change", "Barriers, shuffles, stores and atomics more or less than in the given kernel",
         fabs(f->syncthreads - f->threads / 32 * (log2(block) + 1)) + f->shuffles +
             fabs(f->shared_store_lanes - (2 * block - 1) * f->blocks) +
             fabs(f->global_atomic_lanes - f->blocks) + f->global_store_lanes,
         0, true);
    hint("change", "The task is to choose BLOCK, and to change nothing else.");

    hint("wrong,unread",
         "The tree halves the number of sums in each round: BLOCK must be a power of two.");
    hint("shared-race,shared-bounds,array-bounds,divergent-barrier,deadlock,global-bounds,shared-"
         "uninitialised",
         "The kernel is right as it is: change BLOCK alone.");
}
