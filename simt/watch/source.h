/* Source lines of places in the program's code. */
#ifndef SIMT_SOURCE_H
#define SIMT_SOURCE_H

#include "simt_device.h"

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
 * kept: asking again costs nothing. Lines within the backend's own headers, and the C++ library's,
 * give the line that used them. */
void source_lines(const uint32_t *pcs, size_t count, struct source_line *lines);
struct source_line source_line_at(uint32_t pc);

/* The same of what the host does just now; in a function of the C++ library's headers the line that
 * called that. */
struct source_line source_of_host(uint32_t pc);

/* Are these two pcs different places of the source, and not copies that the compiler made of one?
 * Then lines[] gets theirs: of the functions that were inlined there, the lines in the outermost
 * one in which they differ. */
bool source_differ(uint32_t one, uint32_t other, struct source_line lines[2]);

/* Text of a source line without its indentation, "" if the file cannot be read. Returns text. */
const char *source_text(struct source_line place, char *text, size_t room);

/* What the kernel of a launch is called: as it is written there, and what a pointer to it points
 * to; within a template with the arguments of that instance. Returns name. */
const char *source_kernel(const struct simt_site *site, char *name, size_t room);

#endif
