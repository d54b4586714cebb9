/* Structures that go by value between memory and functions. */
#ifndef SIMT_VALUES_H
#define SIMT_VALUES_H

#include "compile/tokens.h"

/* g++ has no hook where a call stores the structure that it returns. In a kernel nearly all calls
 * are inlined (__attribute__((flatten))); the results of others, by pointer or recursive, and of
 * all in a program for --strict, are sent through ::simt::value when they are assigned to memory:
 * it makes a copy of them, with hooks. What is no structure passes unchanged. */
void values_show(struct token *t, int count);

/* Does the source define structures, classes or unions of its own, or use the libraries' (float4)?
 */
enum structures { STRUCTURES_NONE, STRUCTURES_LIBRARY, STRUCTURES_OWN };
enum structures values_structures(const struct token *t, int count);

#endif
