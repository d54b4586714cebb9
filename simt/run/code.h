/* Code of the host's. A function that both sides have lies at one address here, and at two with a
 * GPU: what the host hands to a kernel (a pointer to a function that it took itself, an object with
 * the host's virtual functions) becomes a mark, which leads nowhere and says what it stands for. */
#pragma once

#include <stdbool.h>

/* Is the address a mark? *function: that function's name, on the heap; NULL: it is none's, but a
 * table of virtual functions. */
bool code_of_host(const void *address, const char **function);
