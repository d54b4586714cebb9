/* What the program's file says of addresses: source lines and the names of shared variables. */
#ifndef SIMT_SYMBOL_H
#define SIMT_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the source. file is "?" and line 0 when unknown. The strings live as long as the
 * program. */
struct source_line {
    const char *file;
    int line;
};

/* Source lines of count pcs (offsets as in event.h), found with one call of addr2line. Results are
 * kept: asking again costs nothing. Lines within the backend's own headers give the line that used
 * them. */
void symbol_lines(const uint32_t *pcs, size_t count, struct source_line *lines);
struct source_line symbol_line(uint32_t pc);

/* Text of a source line without its indentation, "" if the file cannot be read. Returns text. */
const char *symbol_source(struct source_line place, char *text, size_t room);

/* A __shared__ variable: offset in the thread's block of thread-local variables. */
struct shared_variable {
    const char *name;
    size_t offset, size;
};

/* The __shared__ variables of the program, sorted by offset. */
const struct shared_variable *symbol_shared(size_t *count);

/* Begin and size of the calling OS thread's thread-local variables. */
char *symbol_tls(size_t *size);

#endif
