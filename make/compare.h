#pragma once

/*
 * The differences between two texts: which line faces which, and which of its words have changed.
 *
 * The lines are paired so that the pairs have the most text in common, in the order of both texts:
 * a longest common subsequence in which lines that are only alike count, too. (diff pairs equal
 * lines only, and anchors on a lone brace as readily as on a loop.)
 */

#include <stdbool.h>
#include <stddef.h>

struct line {
    const char *text;      /* without its end; somebody else's */
    int number;            /* in its file, from 1 */
    unsigned char *marked; /* for each byte: 1 if the line that it faces does not have it */
    struct word *word;     /* compare.c's: its words, … */
    size_t words;          /* … how many they are, … */
    size_t characters;     /* … and in all of them */
};

/* Two lines that face each other; NULL where one side has nothing there. */
struct row {
    struct line *old, *new;
    bool changed;
};

/*
 * Compares n_old lines with n_new: fills rows, which has room for n_old + n_new of them, and sets
 * the lines' marks. Returns how many rows there are: each line is in one, and lines without a
 * counterpart share a row where they lie at the same place. Memory is freed by the program's end.
 */
size_t compare(struct line *old, size_t n_old, struct line *new, size_t n_new, struct row *rows);

/* calloc that ends the program with status 2 and a line where there is no memory. */
void *zeroed(size_t count, size_t size);
