/* Exercise 12: the sum of each 512 elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "a barrier in a branch",
    .types = "int float double",
    .hunt = true,
    .size = {{"n",
              {1000, 1, 31, 255, 256, 257, 511, 512, 513, 4096, 10200},
              .draw = {{2, 1, 4000}, {1, 70000, 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("sums", ELEM, ceil(n / 512));
}

void reference(void)
{
    add_up_tiles("in", size("n"), 512, "sums");
}

void judge(const struct figures *f)
{
    double n = size("n");
    double barriers = 32 * f->syncthreads / f->threads; /* of a block */
    bool one_more = barriers >= 9.5;                    /* than given */

    if (one_more)
        hint("divergent-barrier",
             "There is one more barrier now. Do the two in the branch still have to be there?");
    hint("divergent-barrier", "At n = 1000 the last block has 488 elements: which of its threads "
                              "come to which barrier? Is there one at which all of them meet?");
    if (!one_more)
        hint("divergent-barrier", "A barrier waits for all threads of the block at one place. "
                                  "Which one place do all threads pass, before the tree begins?");
    hint("deadlock", "All threads of the block must come to the same barrier: none of them may go "
                     "around it, and none may return before it.");
    hint("shared-race",
         "Between the stores into s and the first round of the tree all threads must meet.");
    hint("shared-uninitialised",
         "Did a thread return before it had stored its s[tid]? The others read that word: a thread "
         "without an element stores a 0, and comes to every barrier.");

    hint("global-bounds", "Some threads of the last block have one element, or none: i and i + "
                          "BLOCK are still compared with n, each before it is loaded.");

    /* One barrier before the tree, and one per round. */
    keep("barriers", "Barriers of a block, more than one and one for each round of its tree",
         barriers - 1 - ceil(log2(f->threads / f->blocks)), 0, true);
    hint("barriers",
         "No more barriers than before: one before the tree, and one after each of its rounds.");

    keep_busy(f, n);
    keep_share(f, n, 512, 2.5);
    keep_threads_at_work(f, n, n / 32, "A block leaves one sum: thread 0 stores it.");

    hint("wrong,unread",
         "What was given had the right result: only the place of a barrier was wrong.");
}
