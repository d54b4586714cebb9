/* Exercise 09: the sum of all products. */
#include "exercise.h"

const struct exercise exercise = {
    .title = "a dot product",
    .types = "int float double",
    .size = {{"n",
              {4096, 1, 31, 32, 33, 255, 257, 511, 512, 513, 1000},
              .draw = {{2, 1, 4000},
                       {1, ELEM_IS_INT ? 1050000 : 70000, ELEM_IS_INT ? 1200000 : 140000}}}},
};

void arrays(void)
{
    double n = size("n");

    in("a", ELEM, n);
    in("b", ELEM, n);
    out("dot", ELEM, 1);
    work("products", ELEM, n);
}

/* Odd numbers of both signs, or their halves, so small that products and their sums are exact in
 * floats, too. Of doubles one array has more digits than a float. */
void inputs(void)
{
    const bool turned = size("n") % 2 == 1;
    elem_t *narrow = elems(turned ? "b" : "a"), *wide = elems(turned ? "a" : "b");
    unsigned most = sizeof(elem_t) == 8 ? 1 << 24 : 128;

    for (size_t i = 0; i < size("n"); i++) {
        narrow[i] = (elem_t)((int)(next_random() % 16) * 2 - 15) / (ELEM_IS_INT ? 1 : 2);
        wide[i] = (elem_t)((int)(next_random() % most) * 2 - 127) / (ELEM_IS_INT ? 1 : 2);
    }
}

void reference(void)
{
    const elem_t *a = elems("a"), *b = elems("b");
    elem_t *dot = elems("dot");

    for (size_t i = 0; i < size("n"); i++)
        dot[0] += a[i] * b[i];
}

void judge(const struct figures *f)
{
    double n = size("n");

    budget("stores", "Elements that are stored, or added to the result, per product",
           (f->global_store_lanes + f->global_atomic_lanes) / n, 0.2, n >= 1000);
    if (f->global_store_lanes / n >= 0.5) {
        hint("stores", "A thread that has loaded a[i] and b[i] has their product in a register. "
                       "What stops it from adding this product itself?");
        hint("stores", "Leave multiply() out. Let add_blocks() take a and b, and a[i] * b[i] stand "
                       "where in[i] stood.");
    }
    if (f->global_atomic_lanes / n >= 0.2)
        hint("stores", "A block leaves one sum: only thread 0 adds it to the result.");

    /* Two arrays instead of three. */
    budget("sectors", "Sectors per 16 elements of a and 16 of b", 16 * f->global_load_sectors / n,
           4.8, n >= 1000 && loads_count());
    /* Few lanes have elements of one sector: members of vectors. */
    if (f->global_load_sectors / f->global_load_requests >= 12)
        hint("sectors", "Neighbouring lanes load neighbouring elements. Or copy a vector of "
                        "elements (int4 v = p[i];) before you use its members: "
                        "read through a reference, each of them counts as a load.");
    hint("sectors",
         "Products that are added at once need not be loaded again; a and b are loaded once each.");

    keep_busy(f, n);
    if (n < 20000) /* a second launch loads few sums */
        keep_share(f, 2 * n, 1024, 4);
    keep_lanes_at_work(f, n, n / 32);

    hint_at_digits(f);
    hint("wrong,unread", "Is each a[i] multiplied by the b[i] of the same i, and each product "
                         "added once? The second element of a thread may be missing where the "
                         "first one is not.");
    hint("global-bounds",
         "a and b have n elements each: compare each index with n before both are loaded.");
    hint("shared-race", "The first warp reads what others wrote: a barrier must lie between.");
    hint("shared-uninitialised,shared-bounds,array-bounds",
         "Only eight warps store a sum: lanes 8 to 31 of the first warp have none to load.");
    hint("warp-mask,deadlock", "All lanes that the mask names must call the shuffle: also threads "
                               "without an element, with 0.");
}
