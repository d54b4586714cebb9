/* The program's __shared__ variables, which are thread-local ones here, and the host's. */
#ifndef SIMT_VARIABLES_H
#define SIMT_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A __shared__ variable: offset in the thread's block of thread-local variables. */
struct shared_variable {
    const char *name;
    size_t offset, size;
};

/* The __shared__ variables of the program, sorted by offset. */
const struct shared_variable *variables_shared(size_t *count);

/* What the host's variable that holds the address is called; NULL: there is none. The text lives as
 * long as the program. */
const char *variables_host(uintptr_t address);

/* Begin and size of the calling OS thread's thread-local variables. */
char *variables_tls(size_t *size);

/* Is the byte g++'s own, by which it tells whether a shared variable's constructor has run? On OS
 * threads that have called variables_tls. */
bool variables_is_guard(uintptr_t address);

#endif
