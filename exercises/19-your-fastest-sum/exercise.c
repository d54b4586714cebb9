/* Exercise 19: the sum of all elements. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "your own fastest sum",
    .types = "int float double",
    .size = {{"n",
              {65536, 1, 31, 33, 1000, 4095, 4096, 4097, 20001, 32767},
              .draw = {{2, 1, 50000},
                       {1, ELEM_IS_INT ? 1050000 : 100000, ELEM_IS_INT ? 1200000 : 200000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("sum", ELEM, 1);
    work("partial", ELEM, ceil(n / 32));
}

void reference(void)
{
    add_up_tiles("in", size("n"), size("n"), "sum");
}

void judge(const struct figures *f)
{
    double n = size("n");

    /* Step 07 has a block of 256 threads for 4096 elements: eight warps at one barrier, eight
     * stores and one load of shared memory, one result. Twice as many are as good; and the last
     * block may have few elements, and two barriers more for the blocks' sums. */
    double last = 4 * f->threads / f->blocks / 32;
    budget("barriers", "Warps at __syncthreads() per 4096 elements, but for the last block's",
           4096 * fmax(f->syncthreads - last, 0) / n, 16.5, n >= 60000);
    if (n < 8 * f->busy_threads)
        hint("barriers", "A block needs as many barriers for 256 elements as for 4096. How many "
                         "elements could a thread add up before it meets the others?");
    hint("barriers",
         "Let each thread add up 16 elements, 256 apart (step 06), and the lanes of a warp their "
         "sums by __shfl_down_sync(): then one barrier per block is enough (step 07).");

    /* Where all warps join the warps' sums, and look whether their block has the last ticket, 25
     * and the last block's. A tree of each warp's has 32 even with 64 elements a thread. */
    budget("shared", "Loads and stores of shared memory, by warps, per 4096 elements",
           4096 * f->shared_requests / n, 31, n >= 60000);
    hint("shared", "The tree can live in registers: __shfl_down_sync() within each warp, and only "
                   "the warps' sums go through shared memory (step 07).");

    budget("results", "Results that are stored, or added by atomics, per 4096 elements",
           4096 * (f->global_store_lanes + f->global_atomic_lanes) / n, 3, n >= 60000);
    hint("results",
         "Each block leaves one result. With more elements per block there are fewer blocks.");

    /* A program that stores all elements somewhere else can have the host add them. */
    keep("stores", "Elements and results that are stored, or added by atomics, per element",
         (f->global_store_lanes + f->global_atomic_lanes) / n, 0.2, n >= 1000);
    hint("stores", "A block leaves one sum; all others stay in registers and shared memory.");

    keep("sectors", "Sectors per 32 elements that are loaded", 32 * f->global_load_sectors / n, 4.4,
         n >= 60000 && loads_count());
    hint("sectors",
         "Each element is loaded once, and the 32 lanes of a warp load what lies side by side.");

    keep("share", "Elements per thread that loads any", n / f->busy_threads, 64, true);
    hint("share",
         "A few threads need few barriers, but leave the GPU idle, which has room for 2048 threads "
         "on each of over 100 multiprocessors. Launch a thread for each 16 elements or so.");

    keep_busy(f, n);

    keep("launches", "Launches of kernels", f->launches, 2, true);
    hint("launches", "Add the blocks' sums by an atomic, or let a second launch of one block add "
                     "up all of them.");

    keep_lanes_at_work(f, n, 1);

    hint_at_digits(f);
    hint("wrong,unread",
         "Is each element added once? n need not be a multiple of what a block adds up.");
    hint("global-bounds",
         "The last block has fewer elements than the others: each index must be compared with n.");
    hint("shared-race",
         "Between one thread's store and another one's load there must be a barrier.");
    hint("divergent-barrier,deadlock,warp-mask",
         "All threads of a block must come to its barriers, and all lanes of a mask to its "
         "shuffle: also those without an element.");
    hint("shared-uninitialised", "Every s[…] that somebody reads must have been written.");
}
