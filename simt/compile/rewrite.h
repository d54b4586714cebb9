/* The parts of simt-rewrite, which looks around among a source's tokens (rewrite.c). */
#pragma once

#include "compile/tokens.h"

/* ---- refused.c, sides.c: what the CPU backend does not have, and CUDA does, and what the device
 * may not use of the host's, so that it is refused by its name ---- */

#define LOOK "; see \"What it takes\" in simt/README.md"

/* What a header belongs to and the backend has not, given as it stands between < and > or as a
 * path: "textures" or the like, as the end of a sentence. NULL: nothing is known of it. */
const char *refused_header(const char *name);

/* A program's tokens, with an EDGE at either end; behind its own, system headers' tokens, those
 * that name what precompiled headers hold: see simtcc --precompile. */
struct source {
    struct token *t;
    int count;
};

/* Is the word at i in one of the system's headers, whose name begins so? "": in any. */
bool is_named(const struct source *s, int i, const char *header);

/* Looks for the first thing in the source itself (and what it includes, system headers apart) that
 * the backend does not have. Returns whether there is one: a line on stderr then names it. */
bool refused(const struct source *s);

/* Where a kernel or __device__ function of the source names a variable of the host's, calls a plain
 * function of the host's or the C library's, or uses the heap: says so on stderr, a line for each,
 * as nvcc does. Only what is certain counts: functions of classes do not. Returns how many lines.
 */
int sides_check(const struct source *s);

/* Ends the program after a line about what is wrong at token i. */
_Noreturn void refuse(const struct token *t, int i, int status, const char *wrong);

/* ---- declarations.c: variables of the device ---- */

/* Lists of words: what puts a variable into the device's memory, and what stands in front of the
 * device's functions and of the host's, as include/cuda_runtime.h leaves it. */
extern const char memory_words[], device_words[], host_words[];

/* Rewrites the specifiers of the declaration whose first memory word, or static of a function of
 * the device, is at i; returns the last of them, i itself where there is none. */
int rewrite_declaration(struct token *t, int i);

/* ---- values.c: casts to integers, and shifts ---- */

/* Has the cast or shift that begins at token i, if one does in the device's code, go the way in
 * which a GPU computes it. bit_fields: the source has some, which <<= may change. */
void rewrite_values(struct token *t, int i, bool bit_fields);

/* ---- calls.c: calls that go through functions of the backend ---- */

/* g++ has no hook where a call stores the structure that it returns. In a kernel nearly all calls
 * are inlined (__attribute__((flatten))); the results of others, by pointer or recursive, and of
 * all in a program for --strict, are sent through ::simt::value when they are assigned to memory:
 * it makes a copy of them, with hooks. What is no structure passes unchanged. */
void structures_show(struct token *t, int count);

/* The symbol (judge/garbage.c) of a source that defines structures, classes or unions of its own,
 * or uses the libraries' (float4); NULL: it has none. */
const char *structures_symbol(const struct token *t, int count);

/* Has any of them a bit field? Then the program has the symbol simt_bit_fields (judge/pairs.c). */
bool has_bit_fields(const struct token *t, int count);

/* Does token i begin a call of a shuffle or of __syncwarp whose mask __activemask() gave, and the
 * program never looks at? It cannot know whom it names. *first and *last are then the mask's
 * tokens. */
bool masks_unseen(const struct token *t, int i, int *first, int *last);

/* Where token i begins an atomic in the device's code: tells the library how it is written, as far
 * as that decides what nvcc makes of it. */
void atomic_show(struct token *t, int i);

/* Does token i begin a call of CUDA's whose result the program throws away, as a statement, or
 * overwrites by the next call's? *end is its closing parenthesis. (void) in front says that the
 * program does not want to know. */
bool result_is_lost(const struct source *s, int i, int *end);
