/* Marks, which stand for the host's code in kernels.
 *
 * A function that both sides have lies at one address here, and at two with a GPU. A pointer to a
 * function that the host took itself, or an object with the host's virtual functions, is worth
 * nothing to a kernel. So when the host hands one over, the address in it becomes a mark: an
 * address without memory, which says what it stands for. */
#pragma once

#include <stdbool.h>

/* Is the address a mark? Sets *function to the name of the host's function, on the heap, or to NULL
 * if the mark stands for a table of virtual functions. */
bool code_of_host(const void *address, const char **function);
