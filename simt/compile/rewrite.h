/* The parts of simt-rewrite (rewrite.c), which look at a source's tokens and edit some of them. */
#pragma once

#include "compile/tokens.h"

#include <stdio.h>

/* ---- refused.c: names of CUDA's that the CPU backend does not have; sides.c: names of the host's
 * that the device may not use ---- */

#define LOOK "; see \"What it takes\" in simt/README.md"

/* Why the backend does not have a header, which is given as it stands between < and > or as a path.
 * NULL: nothing is known of it. */
const char *refused_header(const char *name);

/* Looks for the first name that the backend does not have, in the source itself and the headers
 * that it includes, system headers apart. Returns 0, or after a line on stderr that names it 2, or
 * 1 if nvcc does not have it either. */
int refused(void);

/* Reports, as nvcc does, where a kernel or __device__ function names what only the host has of the
 * C and C++ library and of CUDA, or uses the heap, and where the host calls a function of the
 * device's: a line on stderr for each. Only what is certain is told. relaxed_constexpr: the device
 * may call constexpr functions. has_guards: the source compares __CUDA_ARCH__, and is compiled as
 * for the device. Returns the exit status that follows: 0 there is no line, 2 the backend alone
 * lacks what the lines name, 1 nvcc refuses something, too. */
int sides_check(bool relaxed_constexpr, bool has_guards);

/* Is the word at i within an operand of sizeof, decltype or noexcept, which is not evaluated? */
bool is_unevaluated(int i);

/* hosts.c: marks what the source declares for the host alone, in front of the declarations. Called
 * when all else is rewritten. relaxed: constexpr functions are for both. */
void mark_hosts(bool relaxed);

/* Where the body of a function of the device begins at i: has g++ refuse what is marked, and arrays
 * of variable size, which nvcc takes of the host's functions alone. */
void refuse_hosts(int i);

/* Is token i outside of functions, classes and brackets of any kind? */
bool is_outside(int i);

/* Ends the program after a line about what is wrong at token i. */
_Noreturn void refuse(int i, int status, const char *wrong);

/* ---- declarations.c: variables of the device ---- */

/* Lists of words: those that put a variable into the device's memory, and those in front of the
 * device's functions, of the host's and of kernels, as include/cuda_runtime.h spells them. */
extern const char memory_words[], device_words[], host_words[], kernel_words[];

/* Rewrites a declaration. i: its first memory word, or the static of a variable in a function of
 * the device. Returns the last of these words; i itself if none is at i. */
int rewrite_declaration(int i);

/* Does the declaration that begins at start give token i its name? */
bool names_it(int start, int i);

/* ---- launches.c ---- */

/* If a launch begins at the <<< at i, or token i is __global__, __launch_bounds__ or a call that
 * launches a kernel: rewrites it. Returns the last token that it dealt with; i if none. */
int rewrite_launch(int i);

extern bool rewrite_for_newer; /* the compiler is g++ 13 or newer */

/* The text as it is spelled within a string literal, on the heap. */
char *escaped(const char *text);

/* ---- values.c: casts to integers, and shifts ---- */

/* If a cast or shift of the device's code begins at token i: sends it through the function that
 * computes it as a GPU does. bit_fields: the source has bit fields, which <<= may change. */
void rewrite_values(int i, bool bit_fields);

/* Does the source give the word at i to what may be a type of numbers: an enum, a template
 * parameter, a typedef or one of using? A header's T says nothing of a variable T here. */
bool names_type(int i);

/* The same for a product of two-byte floats, by the * or __hmul at i, which is added or subtracted:
 * nvcc fuses the two operations. */
void rewrite_product(int i);

/* ---- calls.c: calls that go through functions of the backend ---- */

/* Rule: an assignment of a call's result to memory goes through ::simt::value, which makes a copy,
 * with hooks, of a structure. g++ has no hook where a call stores the structure that it returns. In
 * a kernel nearly all calls are inlined (__attribute__((flatten))); calls by pointer or recursive
 * ones, and all calls under --strict, are not. Other types than structures pass unchanged. */
void structures_show(void);

/* What a source has. */
struct traits {
    const char *structures; /* the symbol that tells the library of structures (judge/garbage.c): it
                               defines some, or uses a library's (float4); NULL: it has none */
    bool bit_fields;        /* the program has the symbol simt_bit_fields (judge/race.h) */
};
struct traits traits_of(void);

/* Where a structure's definition begins at token i: tells the hooks its size and alignment, of
 * which nvcc's copies of it depend (watch/other_calls.c). layouts_of_library prints the same for
 * CUDA's vector types of 16 bytes and more that the source names. */
void layout_show(int i);
void layouts_of_library(void);

/* If token i begins a shuffle or __syncwarp whose mask comes from __activemask(), and that the
 * program never looks at: tells the library, since the program cannot know which lanes it names. */
void mask_show(int i);

/* If an atomic of the device's code begins at token i: tells the library about its form, as far as
 * nvcc's machine code depends on it. */
void atomic_show(int i);

/* If token i begins a CUDA call whose result the program throws away, or overwrites with that of
 * the next call: tells the library. A (void) in front counts as a look. */
void result_show(int i);
