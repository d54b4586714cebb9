/* Exercise 18: how many keys are 0, 1, …, 63. */
#include "work.h"

#define BINS 64

/* The smaller of two numbers, so that small keys are more frequent. */
void inputs(struct work *w)
{
    int *keys = ints(w, "keys");

    for (size_t i = 0; i < size(w, "n"); i++) {
        unsigned a = next_random(w->random) % BINS, b = next_random(w->random) % BINS;
        keys[i] = (int)(a < b ? a : b);
    }
}

void reference(struct work *w)
{
    const int *keys = ints(w, "keys");
    int *counts = ints(w, "counts");

    for (size_t i = 0; i < size(w, "n"); i++)
        counts[keys[i]]++;
}
