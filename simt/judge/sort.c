/* Radix sort, lowest digit first; digits that all keys share cost nothing. */
#include "judge/sort.h"

#include <stdlib.h>
#include <string.h>

/* A few thousand things fit in the first-level cache with the counts of small digits. */
enum { DIGIT_BITS = 11, SMALL_DIGIT_BITS = 6, SMALL = 4096, FEW = 32 };

static void sort_few(struct keyed *keyed, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct keyed now = keyed[i];
        size_t to = i;
        for (; to > 0 && keyed[to - 1].key > now.key; to--)
            keyed[to] = keyed[to - 1];
        keyed[to] = now;
    }
}

static void sort_digit(struct keyed *to, const struct keyed *from, size_t count, unsigned shift,
                       unsigned bits)
{
    size_t place[1 << DIGIT_BITS], before = 0, digits = (size_t)1 << bits;

    memset(place, 0, digits * sizeof *place);
    for (size_t i = 0; i < count; i++)
        place[from[i].key >> shift & (digits - 1)]++;
    for (size_t d = 0; d < digits; d++) {
        size_t here = place[d];
        place[d] = before;
        before += here;
    }
    for (size_t i = 0; i < count; i++)
        to[place[from[i].key >> shift & (digits - 1)]++] = from[i];
}

bool sort_keyed(struct keyed *keyed, size_t count)
{
    uint64_t differ = 0;
    bool sorted = true;

    for (size_t i = 1; i < count; i++) {
        differ |= keyed[i].key ^ keyed[0].key;
        sorted &= keyed[i - 1].key <= keyed[i].key;
    }
    if (sorted)
        return true;
    if (count <= FEW) {
        sort_few(keyed, count);
        return true;
    }
    struct keyed *other = malloc(count * sizeof *other), *from = keyed, *to = other;
    if (!other)
        return false;
    unsigned bits = count <= SMALL ? SMALL_DIGIT_BITS : DIGIT_BITS;
    for (unsigned shift = 0; shift < 64 && differ >> shift; shift += bits) {
        shift += (unsigned)__builtin_ctzll(differ >> shift);
        sort_digit(to, from, count, shift, bits);
        struct keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != keyed)
        memcpy(keyed, from, count * sizeof *keyed);
    free(other);
    return true;
}

bool sort_apply(void **array, size_t size, const struct keyed *keyed, size_t count)
{
    char *to = malloc(count * size + 1), *from = *array;

    if (!to)
        return false;
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * size, from + keyed[i].index * size, size);
    free(from);
    *array = to;
    return true;
}
