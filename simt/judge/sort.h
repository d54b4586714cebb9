/* Sorts by keys of 64 bits: millions of things by their positions. Pure. */
#ifndef SIMT_SORT_H
#define SIMT_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyed {
    uint64_t key;
    uint32_t index; /* of the thing that has the key */
};

/* Sorts by key; of equal keys those that came first stay first. False: no memory. */
bool sort_keyed(struct keyed *keyed, size_t count);

/* Puts an array of things of `size` bytes, allocated by malloc, in the order of its keys: another
 * array takes its place. False: no memory. */
bool sort_apply(void **array, size_t size, const struct keyed *keyed, size_t count);

#endif
