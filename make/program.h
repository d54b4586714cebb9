#pragma once

/* A program of the lab as make diff reads it, and the names by which a user calls it. */

#include "compare.h"

struct program {
    const char *path;   /* of its main.cu, from the root; somebody else's */
    char key[64];       /* 03, or its folder's name */
    char idea[512];     /* the first sentence of its header comment, without its name */
    struct line *lines; /* all of its main.cu: the header comment's, then the code's */
    size_t count, header;
};

/* Reads a main.cu. Ends the program with status 2 and a line if it cannot be read or is no text. */
struct program program_at(const char *path);

/*
 * Finds the two programs that are meant by a text such as 02-03 or 07-single-pass: it is cut at the
 * first dash that stands between two names. A step goes by 03, step03 and its folder's name, a
 * detour and a program in own/ by theirs. paths: of their main.cu, the caller's to keep. Ends the
 * program with status 2 and a line that lists all names if there is no such pair.
 */
void find_pair(const char *words, const char *paths[2]);

/* Prints `make diff: ` and a line to stderr, and ends the program with status 2. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
