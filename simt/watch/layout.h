/* The pieces in which nvcc's code copies a structure. g++'s hooks tell the size of a copy, and not
 * the type: so the program has a record of each of its structures (compile/calls.c). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The bytes of each piece of a copy of so many bytes from or to this address, of a type whose
 * alignment is `most` at most. Source: an H200, nvcc 13.0 and 13.5: pieces are as large as the
 * alignment; of __shared__ variables, which nvcc aligns itself, up to four times as large, if that
 * divides the size, but for single bytes. */
unsigned layout_piece(uintptr_t address, size_t size, unsigned most);

/* The largest alignment up to `most` of the program's types of this size; 0: there are none. */
unsigned layout_alignment(size_t size, unsigned most);
