/* How much memory there is. */
#ifndef SIMT_AVAILABLE_H
#define SIMT_AVAILABLE_H

#include <stddef.h>

/* Bytes that the program may still take before the computer, or a control group's limit, has none
 * left; SIZE_MAX: the system does not say. */
size_t available_memory(void);

#endif
