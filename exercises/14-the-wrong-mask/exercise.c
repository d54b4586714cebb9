/* Exercise 14: the sum of each 256 elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "a shuffle with the wrong mask",
    .types = "int float double",
    .hunt = true,
    .size = {{"n",
              {1000, 1, 31, 32, 33, 255, 256, 257, 1024, 4096, 10000},
              .draw = {{2, 1, 4000}, {1, 70000, 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("totals", ELEM, ceil(n / 256));
}

void reference(void)
{
    add_up_tiles("in", size("n"), 256, "totals");
}

void judge(const struct figures *f)
{
    double n = size("n");

    if (f->unnamed_lanes > 0)
        hint("warp-mask", "A lane reads another one that the mask leaves out. Write down for each "
                          "lane that calls the shuffle which one it reads, lane + delta: are both "
                          "in the mask?");
    hint("warp-mask,deadlock",
         "Each lane that the mask names must call the shuffle, and each lane that "
         "calls it must be named. There are two: which lanes come to the "
         "first, which to the second?");
    /* As given, each call that lacks lanes lacks lanes 8 to 31 of a block's first warp. */
    if (fmod(32 * f->shuffles - f->shuffle_lanes, 24 * f->blocks) == 0)
        hint("warp-mask,deadlock",
             "Bit k of the mask stands for lane k. Which bits does the mask of a shuffle have that "
             "only lanes 0 to 7 call? Or can all 32 lanes call it?");
    else
        hint("warp-mask,deadlock",
             "A thread without an element calls the first shuffle, too, with 0: it neither returns "
             "before it nor goes around it.");
    keep("active-mask", "Masks by __activemask() or coalesced_threads()", f->active_masks, 0, true);
    hint("active-mask", "Such a mask has the lanes that happen to be there. You know which ones "
                        "must be: name them.");
    hint("shared-race", "The first warp reads what others wrote: a barrier must lie between.");
    hint("divergent-barrier", "A barrier is for all threads of the block.");
    hint("shared-bounds,array-bounds",
         "s has a word for each of the eight warps: lanes 8 to 31 have none to load.");
    hint("shared-uninitialised",
         "Each word must be stored before it is loaded: s has eight, one for each warp, and all "
         "threads meet at a barrier between the stores and the loads.");

    keep("unnamed", "Reads of lanes that the shuffle's mask does not name", f->unnamed_lanes, 0,
         true);
    hint("unnamed", "Lane 4 must not read lane 8 if the mask names lanes 0 to 7 alone, even if "
                    "nobody uses what it gets. A fourth argument, 8, makes groups of eight lanes "
                    "that nobody reads beyond.");

    keep("no-shuffle", "Blocks without a shuffle", fmax(f->blocks - f->shuffles - f->reductions, 0),
         0, true);
    hint("no-shuffle", "The sums are still added by shuffles: it is their mask that is to be "
                       "repaired.");

    keep("barriers", "Warps at __syncthreads() per 256 elements or threads",
         f->syncthreads / fmax(ceil(n / 256), f->threads / 256), 12, true);
    hint("barriers",
         "One barrier is enough: between the warps' stores and the first warp's loads.");

    keep_share(f, n, 256, 4.5);
    keep_threads_at_work(f, n, n / 32, "A block leaves one sum: thread 0 stores it.");

    hint("wrong,unread", "The result was right: each element is added once, and so is each of the "
                         "eight warps' sums.");
}
