/* Exercise 08: the largest element, and the smallest index at which it is. */
#include "exercise.h"

enum { FAR_APART = 600000 }; /* elements, of ints */

const struct exercise exercise = {
    .title = "an argmax",
    .types = "int float double",
    .size = {{"n",
              {10000, 1, 31, 32, 33, 255, 257, 1000, 2047, 2048, 2049, 20000,
               ELEM_IS_INT ? FAR_APART : 40000},
              .draw = {{2, 1, 4000},
                       {1, ELEM_IS_INT ? 2120000 : 80000, ELEM_IS_INT ? 2200000 : 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("max", ELEM, 1);
    out("at", INT, 1);
    work("maxima", ELEM, ceil(n / 2048));
    work("places", INT, ceil(n / 2048));
}

/* The largest one is there four times, at any places; of many elements, at indices of more than 16
 * bits. */
void inputs(void)
{
    elem_t *in = elems("in");
    size_t n = size("n");
    /* All are near to each other: they differ in digits that an int lacks or, where there are more
     * than a float has, a float. Half of the ints may be so far below that a difference overflows.
     */
    const bool many = ELEM_IS_INT || sizeof(elem_t) == 8;
    elem_t step = (elem_t)(ELEM_IS_INT ? 1 : many ? 0x1p-20 : 0x1p-10);
    elem_t low = (elem_t)((int)(next_random() % 2000) + (many ? 1 << 30 : -1000));
    elem_t highest = low + 1000 * step;

    for (size_t i = 0; i < n; i++)
        in[i] = (low + (elem_t)(next_random() % 1000) * step) *
                (elem_t)(n % 32 == 0 && ELEM_IS_INT && next_random() % 2 ? -1 : 1);
    for (int copy = 0; copy < 4; copy++)
        in[n > 1 << 16 ? far_behind(n) : next_random() % n] = highest;
    if (n == FAR_APART) {
        /* in blocks k and k + 256, of which one thread of a second launch takes both; not in block
         * 0, with which all threads may begin */
        size_t first = 2048 + next_random() % 6144;
        in[first] = in[first + 256 * 256] = in[first + 256 * 2048] = highest;
    }
}

void reference(void)
{
    const elem_t *in = elems("in");
    int at = 0;

    for (size_t i = 1; i < size("n"); i++)
        at = in[i] > in[at] ? (int)i : at;
    elems("max")[0] = in[at];
    ints("at")[0] = at;
}

void judge(const struct figures *f)
{
    double n = size("n");

    if (f->wrong_out == 0 && f->wrong_got > f->wrong_expected)
        hint("wrong", "No element is as large. Which value does a thread begin with, and which "
                      "have lanes 8 to 31 in the last step? All elements may be negative: take one "
                      "of them, with its index.");
    if (f->wrong_out == 0)
        hint("wrong",
             "The maximum was right. When two values meet, the larger one survives, and "
             "its index with it. Neither goes through a variable with fewer digits, such as "
             "a float.");
    const double got = f->wrong_got;
    const bool is_index = f->wrong_out == 1 && got >= 0 && got < n;
    const bool equal = is_index && elems("in")[(size_t)got] == elems("max")[0];
    if (f->wrong_out == 1 && (!is_index || (!equal && got >= ceil(n / 2048))))
        hint("wrong",
             "A value and its index travel together: in the loop, in both shuffles (one for each "
             "of the two), in shared memory, and from the first launch to the second.");
    if (is_index && got == 0)
        hint("wrong", "Element 0 is not the largest. Is 0 the number of a block, or does a thread "
                      "begin with another element's value and 0 for its index? Or has a larger "
                      "value come from another lane, or another warp, without its index?");
    if (is_index && !equal && got > 0 && got < ceil(n / 2048))
        hint("wrong", "This may be the number of a block, or of a thread. In the second launch "
                      "element i is a block's maximum; its index in the task's in is what the "
                      "first launch has left in places[i].");
    if (equal)
        hint("wrong", "Of two that are equal the one with the smaller index wins. Compare the "
                      "indices: that a lane is in front says nothing, since threads with small "
                      "numbers also load elements far behind.");
    hint("wrong,unread", "Wherever a value replaces another one its index must replace the other "
                         "index, on the same condition. Which index does a thread begin with, and "
                         "which elements does each block look at?");

    /* A program that begins with an element may load each block's first 256 twice. In x = in[i]
     * behind a condition that a variable holds, or a helper's, g++ loads in[i] again, where nvcc
     * does not: of a thread's eight elements those larger than all before, which makes 7.6. */
    const bool apart = f->global_load_sectors > 4 * f->global_load_requests;
    keep("sectors", "Sectors per 32 elements that are loaded", 32 * f->global_load_sectors / n,
         apart ? 6.4 : 7.9, n >= 10000 && loads_count());
    if (f->global_load_sectors > 6 * f->global_load_requests && f->global_load_lanes < 1.1 * n)
        hint("sectors", "Neighbouring lanes loaded neighbouring elements, and still should: a warp "
                        "whose lanes load from places far apart takes many sectors for few "
                        "elements.");
    if (apart && f->global_load_lanes < 1.5 * n)
        hint("sectors", "An element that is found by its index, in[at], is loaded a second time, "
                        "mostly from a sector of its own. Where could it lie beside its index?");
    hint("sectors", "A search for the index afterwards loads all elements again. Where does a "
                    "thread know both, value and index?");

    /* Pairs, which a warp may store at once, and shuffles in two parts. */
    struct figures pairs = *f;
    pairs.shuffles /= 2;
    pairs.few_shared /= 4; /* a struct of four members is loaded one by one */
    pairs.busiest_shared /= 4;

    keep_busy(f, n);
    if (n < 20000) /* the second launch loads few values */
        keep_share(f, n, 2048, 4);
    keep_threads_at_work(&pairs, n, 2,
                         "A block leaves one value and one index: its thread 0 stores both.");

    hint("shared-race", "The first warp reads what others wrote: a barrier must lie between.");
    hint("shared-uninitialised,shared-bounds,array-bounds",
         "Only eight warps store something: lanes 8 to 31 of the first warp have nothing of their "
         "own to load.");
    hint("global-uninitialised",
         "The second launch loads from places only what the first one has stored there.");
    hint("global-bounds", "At n = 1 only in[0] is there: each index into in must be below n.");
    hint("warp-mask,deadlock", "All lanes that the mask names must call the shuffle: keep it out "
                               "of any if that only some lanes enter, and let no thread return "
                               "before it.");
}
