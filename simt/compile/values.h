/* Structures that go by value between memory and functions. */
#ifndef SIMT_VALUES_H
#define SIMT_VALUES_H

#include "compile/tokens.h"

/* g++ has no hook where a call takes a structure right from memory, or stores the one that it
 * returns there. Such arguments and results of the program's own functions are sent through
 * ::simt::value, which makes a copy of them, with hooks; what is no structure passes unchanged. */
void values_show(struct token *t, int count);

#endif
