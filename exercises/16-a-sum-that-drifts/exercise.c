/* Exercise 16: the sum of all elements, with more digits than an element has. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "a sum that drifts",
    .types = "float",
    .within = 1e-6,
    .size = {{"n",
              {300000, 1, 31, 33, 255, 256, 257, 1000, 10000, 100000, 131073},
              .draw = {{2, 100000, 300000}, {1, 1130000, 1200000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("in", ELEM, n);
    out("price", ELEM, 1);
    work("sums", ELEM, ceil(n / 256));
}

/* From 1.3333 to 4.3333; an odd number of them, below 2^20, from 96.3333 to 99.3333. All end alike,
 * so the sum of a tile lies between two floats that a large total can take, at a third of their
 * distance, or two, whatever power of two the tile is: roundings do not cancel out. */
void inputs(void)
{
    elem_t *in = elems("in");
    unsigned least = size("n") % 2 == 1 && size("n") < 1 << 20 ? 96 : 1;

    for (size_t i = 0; i < size("n"); i++)
        in[i] = (elem_t)(least + next_random() % 4 + 1 / 3.0);
}

void reference(void)
{
    const elem_t *in = elems("in");
    double total = 0;

    for (size_t i = 0; i < size("n"); i++)
        total += in[i];
    elems("price")[0] = (elem_t)total;
}

void judge(const struct figures *f)
{
    double n = size("n");

    /* Another block size, or larger tiles, only move the limit: less is lost, but not little
     * enough. */
    if (fabs(f->wrong_got - f->wrong_expected) <= 0.001 * f->wrong_expected) {
        hint("wrong", "A float has 24 bits. Beside 600000 its neighbours are 0.0625 away, and each "
                      "addition rounds to one of them. Which variable becomes so large, and how "
                      "often is something added to it?");
        hint("wrong", "In the tree both summands are alike, and there are eight rounds. The blocks "
                      "add to one float, one after the other, some hundreds to some 100000: each "
                      "time digits are lost.");
        hint("wrong", "Let the total of the blocks be a double, and round it to a float once, at "
                      "the end. Or let the blocks leave their sums in sums, and add these up in a "
                      "tree, too, in further launches.");
    }
    hint("wrong", "This is off by more than roundings: is each element, and each block's sum, "
                  "added once, and does every run begin with a total of 0?");
    hint("unread", "Each element is added once, whatever the total is kept in.");
    if (f->same_line)
        hint("global-race",
             "Several blocks store into one total at a time: they must add to it by an atomic.");
    hint("global-race",
         "Several threads use one element of sums, or one total, in one launch. Let only one of "
         "them store it, and read it in the next launch, or join the sums by atomics.");
    hint("shared-race,divergent-barrier,deadlock",
         "The tree was no part of the bug: all threads of the block meet at a barrier after each "
         "round.");
    hint("global-bounds", "sums has an element for each 256, and price one, a float: a total that "
                          "is a double needs memory of its own.");
    hint("global-uninitialised", "A word that atomics add to must be 0 at the start; an element of "
                                 "sums that is read must have been stored.");

    struct figures words = *f; /* doubles are two of them */
    words.shuffles /= 2;
    words.few_shared /= 2;
    words.busiest_shared /= 2;
    if (n < 20000) /* a second launch loads few sums */
        keep_share(f, n, 256, 5.5);
    keep_threads_at_work(&words, n, n / 32, "A block leaves one sum.");
}
