/* Exercise 15: the sum of all elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "a ticket too early",
    .types = "int float double",
    .hunt = true,
    .size = {{"n",
              {1000, 1, 31, 255, 256, 257, 512, 513, 4096, 10000},
              .draw = {{2, 1, 4000},
                       {1, ELEM_IS_INT ? 1050000 : 70000, ELEM_IS_INT ? 1200000 : 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("result", ELEM, 1);
    work("sums", ELEM, ceil(n / 256));
}

void reference(void)
{
    add_up_tiles("in", size("n"), size("n"), "result");
}

void judge(const struct figures *f)
{
    double n = size("n");

    if (f->global_atomic_lanes < f->blocks)
        hint("global-race", "Blocks run in any order: the one with the last number need not be the "
                            "last to end. Does each block still take a ticket?");
    hint("global-race", "One block writes sums, the last one reads it. The ticket is an atomic; "
                        "does that say anything about when the store before it is seen?");
    hint("global-race",
         "Whatever a thread has written before a fence is visible before anything that it does "
         "after the fence: __threadfence() for all blocks, __threadfence_block() for its own. "
         "Between which two lines of thread 0 does it belong?");
    hint("shared-race", "Before last is read, thread 0 must have written it: the barrier stays.");
    hint("divergent-barrier,deadlock",
         "All threads of a block come to each of its barriers: none stands under if (tid == 0). Of "
         "the last block all go on, of the others none. And a barrier does not order what other "
         "blocks see.");

    keep("launches", "Launches after the first", f->launches - 1, 0, true);
    hint("launches", "It stays one launch: the ticket is there to spare a second one.");

    /* Both by atomics, or the sum by a store. */
    keep("ticket", "Blocks that leave no sum, or take no ticket",
         fmax(f->blocks - fmin(f->global_atomic_lanes,
                               (f->global_store_lanes + f->global_atomic_lanes) / 2),
              0),
         0, true);
    hint("ticket", "The ticket stays: each block leaves its sum in sums, and takes a ticket. One "
                   "line is missing between the two.");

    /* Atomics on sums are no race, and are not in order either. */
    keep("fence", "Blocks in which no thread calls __threadfence()", fmax(f->blocks - f->fences, 0),
         0, f->blocks >= 2);
    hint("fence", "An atomic does not wait for the one before it, either. What keeps a thread's "
                  "sum ahead of its ticket?");

    /* The last block reads a sum for each block, by loads, by atomics of many lanes, or by a third
     * atomic. More atomics of a block are a result of their own. */
    keep("sums", "Sums per block that the last block does not read",
         1 + (n - 32 * f->global_load_sectors / sizeof(elem_t) - f->global_atomic_lanes +
              (f->global_atomic_requests > 4 * f->blocks
                   ? f->global_atomic_requests
                   : fmin(f->global_atomic_requests, 2 * f->blocks))) /
                 f->blocks,
         0.5, n >= 4096);
    hint("sums", "The block with the last ticket adds up all sums: that stays.");

    if (n < 20000) /* the last block loads few sums */
        keep_share(f, n, 256, 5.5);
    keep_threads_at_work(f, n, n / 32, "A block stores one sum, and takes one ticket.");

    hint("wrong,unread",
         "What was given adds each block's sum once: only the order of two lines is to be made "
         "sure. Does the last block still take all of them?");
}
