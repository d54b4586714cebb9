/* Exercise 20: the prefix sums of each 256 elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "a prefix sum",
    .types = "int float double",
    .size = {{"n",
              {1024, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 10000},
              .draw = {{2, 1, 4000}, {1, 70000, 99000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("prefix", ELEM, n);
}

void reference(void)
{
    const elem_t *in = elems("in");
    elem_t *prefix = elems("prefix");

    for (size_t i = 0; i < size("n"); i++)
        prefix[i] = in[i] + (i % 256 > 0 ? prefix[i - 1] : 0);
}

void judge(const struct figures *f)
{
    double n = size("n");

    /* Given: 32 loads for the first warp, 64 for the second, …, 1152. Eight rounds of eight warps:
     * 57 where each thread keeps its own sum in a register, 121 where it does not. A block may take
     * up to four segments, which a few elements leave empty. */
    budget("loads", "Loads from shared memory, by warps, per 256 elements",
           f->shared_load_requests / ceil(n / 256), 200, n == 1024 || n >= 4096);
    if (f->shared_load_requests / ceil(n / 256) >= 1000)
        hint("loads", "In the round with distance 1 thread t adds the element of thread t - 1 to "
                      "its own: it has the sum of two. Whose sum does it need for a sum of four?");
    hint("loads", "In the round with distance d thread t needs the sum of thread t - d, if there "
                  "is one: one load. The next round reads the sums that this one leaves in s.");

    /* Not of the given program: its warps' last rounds are of few lanes. */
    budget("serial", "Loads from shared memory by few lanes, and atomics on it, per element",
           (f->few_shared + f->shared_atomic_lanes) / n, 0.15, n >= 4096);
    hint("serial", "A few lanes, or atomics one after the other, do the work of all: in each "
                   "round every thread adds one sum to its own.");

    /* Lanes that join their sums take five rounds by shuffles, or eight by loads; four of each are
     * right, too. All warps take part, not one that adds up the words that all have stored. */
    double words = sizeof(elem_t) / 4.0;
    double rounds = fmax(f->shared_load_requests, f->shuffles / words + 5 * f->reductions);
    keep("rounds", "Rounds, by loads from shared memory or by shuffles, that a warp lacks, of five",
         fmax(5 - 32 * rounds / f->busy_threads, 0), 1, n >= 4096);
    hint("rounds", "In each round all threads of the block add, not those of one warp for all.");

    keep_share(f, n, 256, 4.5);

    /* A scan of a warp's lanes is five rounds, and all of them store. A double is two words. */
    budget("shuffles", "Shuffles of a word per warp that stores one",
           f->shuffles / words / (f->global_store_requests + f->shared_store_requests), 7,
           n >= 4096);
    hint("shuffles", "Lanes have their sums after five rounds: by 1, 2, 4, 8 and 16.");

    /* Of loads and stores together; one load of four elements per thread has 8. */
    keep("sectors", "Sectors per 32 elements that are loaded and stored",
         32 * f->global_sectors / n, 18, n >= 4096 && loads_count());
    hint("sectors", "The loads and stores were coalesced: neighbouring lanes take neighbouring "
                    "elements.");

    if (f->same_line)
        hint(
            "shared-race",
            "In one round thread t writes the word that thread t + d reads: the sum may be the old "
            "or the new one. All must have read before anybody writes: read into a register, then "
            "a barrier, then write. Or write into a second array, which the next round reads.");
    else
        hint("shared-race", "A round reads words that others have written, and writes words that "
                            "others read. It needs a barrier between its reads and its writes, and "
                            "one more before the next round's reads.");
    hint_at_digits(f);
    if (f->wrong_index >= 256)
        hint("wrong,unread", "The first segment is right, a later one is not: each block begins "
                             "anew, with elements of its own.");
    if (f->wrong_index == 0 && f->wrong_got == 0)
        hint("wrong", "prefix[i] is the sum up to in[i], and in[i] is a part of it.");
    if (f->wrong_index >= 2)
        hint("wrong", "After the round with distance d the first 2 * d sums of a segment are "
                      "right. How many are right here: which round is missing?");
    hint("wrong,unread", "Write down what threads 0 to 7 have after the rounds with distance 1, 2 "
                         "and 4. A thread whose number is below the distance has its sum already.");
    hint("shared-bounds,array-bounds,wild-pointer",
         "For a thread whose number is below the distance there is no thread tid - d.");
    hint("global-bounds", "The last segment may be shorter: compare i with n.");
    hint("shared-uninitialised", "Every word that somebody reads must have been written, also by "
                                 "threads without an element.");
    hint("divergent-barrier,deadlock",
         "All threads of the block come to each barrier, and all lanes of a mask to its shuffle, "
         "also those that add nothing.");
    hint("warp-mask",
         "All lanes that the mask names must call the shuffle: keep it out of if (lane >= d).");
}
