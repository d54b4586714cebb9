/* Exercise 18: how many keys are 0, 1, …, 63. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "a histogram with atomics",
    .types = "int",
    .size = {{"n",
              {8192, 1, 31, 33, 63, 255, 257, 1000, 4095, 4096, 4097, 20480},
              .draw = {{2, 1, 4000}, {1, 70000, 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("keys", INT, n);
    out("counts", INT, 64);
}

#define BINS 64

/* The smaller of two numbers, so that small keys are more frequent; of an odd number of keys all
 * but the last are the same, so that a block counts as many of one as it has. */
void inputs(void)
{
    int *keys = ints("keys");
    int same = (int)(next_random() % BINS);

    for (size_t i = 0; i < size("n"); i++) {
        unsigned a = next_random() % BINS, b = next_random() % BINS;
        keys[i] = size("n") % 2 == 1 && i + 1 < size("n") ? same : (int)(a < b ? a : b);
    }
}

void reference(void)
{
    const int *keys = ints("keys");
    int *counts = ints("counts");

    for (size_t i = 0; i < size("n"); i++)
        counts[keys[i]]++;
}

void judge(const struct figures *f)
{
    double n = size("n"), tiles = ceil(n / 4096);

    /* 4096 keys were as many atomics, and are 64; also blocks of 512 keys are right. By threads: a
     * warp may take 32 counts at once, or add up one count of 32 copies. */
    budget("atomics", "Atomics on global memory, by threads, per 4096 keys",
           f->global_atomic_lanes / tiles, 640, n >= 4096);
    predict("Atomics on global memory, by warps, per block", f->global_atomic_requests / f->blocks);
    if (f->shared_atomic_requests / n >= 0.01)
        hint("atomics", "Each key is counted in shared memory now. Who adds the block's 64 counts "
                        "to those in global memory, and how often?");
    hint("atomics", "A block may have its own 64 counts: __shared__ int s[BINS]. Each key is then "
                    "an atomicAdd(&s[…], 1). What must s hold before, and who sees to that?");
    hint("atomics",
         "At the end, when all threads have counted, thread t < 64 adds s[t] to counts[t].");

    /* Also blocks of few keys are right, and those that add no zeros. */
    budget("once", "Times that a block adds its 64 counts to global memory",
           f->global_atomic_lanes / BINS / f->blocks, 1.1, n >= 4096);
    hint("once",
         "A block goes through all its keys first. After the last barrier 64 threads add one "
         "count each.");

    /* Lanes that want one word wait for each other, and a sector counts for each turn: where all
     * keys are the same, one a key. 64 counts are 8 sectors; a warp may also have counts of its
     * own. */
    budget("turns", "Turns at the counts in global memory (sectors of atomics), per 4096 keys",
           f->global_atomic_sectors / tiles, 80, n >= 4096);
    hint("turns",
         "Lanes that add to one word take turns, 32 if a warp's keys are all the same. At the "
         "end of a block, lane by lane another word, they take one together.");

    /* Four for 4096 keys: a lane may count for others, or for several keys of its own. */
    budget("counted", "Atomics on shared memory, by warps, fewer than four for 4096 keys",
           fmax(4 - f->shared_atomic_requests / tiles, 0), 0, n >= 4096);
    hint("counted", "Counts of its own for each thread need no atomics, but 64 words a thread: few "
                    "blocks have room on a multiprocessor. Let the threads of a block, or of a "
                    "warp, share 64 counts, and add to them by atomics.");

    /* Eight lanes with eight counts each are 32 behind the fourth; one thread with all has 60. */
    keep("one-by-one", "Counts of a block that few lanes load, one after the other",
         f->few_shared / f->blocks, 40, n >= 1000);
    hint("one-by-one", "A thread that hands in one count after the other lets all others wait: "
                       "thread t < 64 hands in the count of key t.");

    /* A thread for each count, which loads all keys, has 64 times as many. */
    keep("loads", "Loads of single threads, per key", f->global_load_lanes / n, 2, n >= 1000);
    if (f->global_load_lanes > 2 * n)
        hint("loads,serial", "Each key is loaded once, by one thread of one block: each block ends "
                             "behind its own 4096 keys.");

    keep_busy(f, n);
    if (n < 20000) /* a second launch, of one warp, may add up the counts of few blocks */
        keep_share(f, n, 4096, 2.5);
    keep_lanes_at_work(f, n, BINS);

    /* A program that stores all keys somewhere else can have the host count them. */
    keep("stores", "Elements that are stored, per key", f->global_store_lanes / n, 0.2, n >= 4095);
    hint("stores", "A block hands in its 64 counts, and stores nothing else.");

    hint("shared-uninitialised", "Shared memory holds anything at the start: each block sets all "
                                 "64 counts to 0 first, also one with fewer keys than threads.");
    if (f->same_line)
        hint("shared-race",
             "Several threads change one word at a time. One thread sets a count to 0: thread "
             "t < 64 that of key t. All count; but s[key]++ is a load, an addition and a store, "
             "and only atomicAdd() does all three at once.");
    hint("shared-race", "Two barriers are needed: nobody counts before the zeros are there, and "
                        "nobody hands in before all have counted, each key by an atomic.");
    hint("global-race", "All blocks change the same counts: each adds to them by atomics, and they "
                        "are set to 0 before the launch, by no block.");
    hint("divergent-barrier,deadlock",
         "All threads of a block come to each barrier, also those that set no count to 0, and all "
         "lanes of a mask to its warp operation.");
    hint("shared-bounds,array-bounds",
         "Where a block has 64 counts, only 64 of its 256 threads have one to set to 0 and to hand "
         "in.");
    hint("global-bounds", "Each index into keys is compared with n; and counts has 64 elements, so "
                          "only 64 of a block's threads have one to hand in.");
    hint("wrong,unread,global-uninitialised",
         "Is each key counted once? Does each block add each of its counts once? Are all 64 set to "
         "0 at the start?");
}
