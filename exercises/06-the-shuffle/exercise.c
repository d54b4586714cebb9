/* Exercise 06: the smallest and the largest of each 512 elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "the shuffle",
    .types = "int float double",
    .size = {{"n",
              {4096, 1, 31, 255, 256, 257, 511, 512, 513, 1000, 10000},
              .draw = {{2, 1, 5000}, {1, 70000, 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("least", ELEM, ceil(n / 512));
    out("most", ELEM, ceil(n / 512));
}

/* All of them positive, or all negative: a 0 of a lane's own is found out. At every third size they
 * are far from 0, and every second block has both signs. */
void inputs(void)
{
    elem_t *in = elems("in");
    int low = size("n") % 2 == 1 ? 1 : -(1 << 30);
    bool far = size("n") % 3 == 0;

    for (size_t i = 0; i < size("n"); i += 512) {
        size_t count = size("n") - i < 512 ? size("n") - i : 512;
        if (far)
            draw_far(in + i, count, i / 512 % 2 == 0 ? 0 : low > 0 ? 1 : -1);
        else
            draw_near(in + i, count, low > 0 ? 1 : -1);
    }
    if (far)
        return;
    /* The first one has a value that is above, or below, all others, the last one the other way: a
     * block that begins with one of the two, or takes it again, has another block's value. */
    in[0] = (elem_t)(low > 0 ? 1 << 30 : low);
    in[size("n") - 1] = (elem_t)(low > 0 ? 1 : -1) / (ELEM_IS_INT ? 1 : 2);
}

void reference(void)
{
    const elem_t *in = elems("in");
    elem_t *least = elems("least"), *most = elems("most");

    for (size_t i = 0; i < size("n"); i++) {
        size_t b = i / 512;
        least[b] = i % 512 == 0 || in[i] < least[b] ? in[i] : least[b];
        most[b] = i % 512 == 0 || in[i] > most[b] ? in[i] : most[b];
    }
}

void judge(const struct figures *f)
{
    double n = size("n");

    /* Eight pairs of 256 threads, 16 of 512, and 64 values where all words are filled before.
     * Given: 1022; without a shuffle before it is at least 512. */
    budget("shared",
           "Values that are stored into shared memory, or are changed there by atomics, "
           "per 512 elements",
           (f->shared_store_lanes + f->shared_atomic_lanes) / ceil(n / 512), 100, true);
    /* A double takes two of them. */
    predict("Shuffles per block, by warps", 4.0 / sizeof(elem_t) * f->shuffles / f->blocks);

    /* A warp that joins its lanes shuffles ten times, and stores a pair. Words that are filled
     * before are no pairs of a warp. */
    double warps = fmax(f->threads, 32) / 32, rounds = f->shuffles + 5 * f->reductions;
    double stored = (f->shared_store_lanes + f->shared_atomic_lanes) / 2 / warps;
    budget("pairs", "Pairs that a warp stores in shared memory, with too few shuffles to join them",
           stored > 1.5 && rounds < 9.9 * warps ? stored : 0, 1, n >= 4096);
    if (rounds < 9.9 * warps)
        hint("pairs,wrong", "A warp's 32 lanes are joined in five rounds: by 16, 8, 4, 2 and 1. "
                            "Only then is one pair left, which its lane 0 stores.");
    if (f->shuffles <= 1) {
        hint("shared",
             "__shfl_down_sync(0xffffffff, x, 16) gives a lane the x of the lane 16 above it. What "
             "does each lane have after x = min(x, …) with 16, 8, 4, 2 and 1?");
        hint("shared",
             "After these five rounds lane 0 has its warp's smallest. Only then it stores it, with "
             "the warp's largest; the first warp's lanes load these pairs, and shuffle again.");
    } else {
        hint("shared", "Some values still go through shared memory before their warp has combined "
                       "them. After its shuffles one lane per warp stores, and nobody else.");
    }

    /* Five for each of both; __reduce_min_sync is one for all five. One warp can do 512 elements.
     */
    budget("unshuffled", "Results of 512 elements that no shuffle has a part in",
           fmax(ceil(n / 512) - (f->shuffles + 2 * f->reductions) / 4, 0), 0, n >= 4096);
    hint("unshuffled",
         "A warp's 32 lanes have 32 values in registers: __shfl_down_sync() joins them "
         "in five rounds, without shared memory.");
    /* A warp's pair may go to the results by atomics; all other values stay in the block. */
    keep("stores", "Values that are stored into global memory, or changed there, per 512 elements",
         (f->global_store_lanes + f->global_atomic_lanes) / ceil(n / 512), 40, true);
    hint("stores", "Only results go to global memory: the lanes of a warp join their values by "
                   "shuffles, and the warps' pairs meet in shared memory.");
    keep_busy(f, n);
    keep_share(f, n, 512, 2.5);
    struct figures pairs = *f; /* shuffled in two parts, and stored at once */
    pairs.shuffles /= 2;
    keep_lanes_at_work(&pairs, n, 2 * ceil(n / 512));

    budget("barriers", "Warps at __syncthreads() per 512 elements", f->syncthreads / ceil(n / 512),
           18, n >= 10000);
    hint("barriers", "Between the warps' stores and the loads of what they have stored one barrier "
                     "is enough; low and high can share it.");

    if (ELEM_IS_INT && size("n") % 3 == 0 && f->wrong_index == 0)
        hint("wrong", "At this n the ints are far from 0, and the least of all is among them: a - "
                      "b overflows, and so does -x. If smaller sizes are right, does the program "
                      "compare by one of these? min() and max() do not.");
    if (f->wrong_index >= 1)
        hint("wrong", "The first block is right, a later one is not. Do its threads find their "
                      "own elements, and store its own result? If so, the first block was right by "
                      "chance: is each number compared, and none rounded?");
    if (f->wrong_out == 0 ? f->wrong_got > f->wrong_expected : f->wrong_got < f->wrong_expected)
        hint("wrong",
             "The smallest or the largest got lost. Are all 32 lanes joined, in five rounds, "
             "by min() for least and by max() for most, and then all eight pairs?");
    else
        hint("wrong", "In the last step there are eight pairs of values, and the first warp has 32 "
                      "lanes. What do lanes 8 to 31 have, and what has a thread behind the last "
                      "element? A 0 may be smaller or larger than all elements: let them repeat a "
                      "value that is there.");
    hint("wrong,unread", "After the shuffles only lane 0 surely has the smallest of all 32 lanes: "
                         "does this lane store it, and is the word that of its warp, tid / 32?");
    hint("warp-mask,deadlock",
         "All lanes that the mask names must call the shuffle: no thread returns before it, and it "
         "stands under no if that only some lanes of the warp enter, such as if (tid < 8).");
    if (f->same_line)
        hint("shared-race",
             "Several lanes use the same word at a time. Only one lane of a warp, the "
             "one with its result, stores into it; others load it behind a barrier.");
    hint("shared-race", "The first warp reads what others wrote: a barrier must lie between.");
    hint("shared-bounds,array-bounds",
         "There is one word for each of the block's eight warps. Which one is that of thread tid's "
         "warp? Lanes 8 to 31 of the first warp have none.");
    hint("shared-uninitialised",
         "Eight words are stored, one for each warp: those of thread 32, lane 0 of warp 1, are "
         "word 1. Are they stored elsewhere? Or is a ninth word loaded?");
    hint("divergent-barrier", "A barrier is for all threads of the block.");
}
