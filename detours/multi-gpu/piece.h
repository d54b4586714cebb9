/* Which part of the array each GPU adds up. */
#ifndef PIECE_H
#define PIECE_H

#include <stddef.h>

struct piece {
    size_t begin, count; /* elements; count is 0 when there are more GPUs than elements */
};

/* Piece number index, from 0, when n elements are cut into `pieces` pieces, pieces >= 1. All have
 * the same size but the last ones, which take what is left. Pure. */
static inline struct piece piece_of(size_t n, int index, int pieces)
{
    size_t size = n / (size_t)pieces + (n % (size_t)pieces > 0);
    struct piece piece;

    piece.begin = (size_t)index * size < n ? (size_t)index * size : n;
    piece.count = size < n - piece.begin ? size : n - piece.begin;
    return piece;
}

#endif
