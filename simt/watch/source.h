/* Places in the program's code, and their source lines. */
#pragma once

#include "run/event.h"
#include "simt_device.h"

#include <stddef.h>
#include <stdio.h>

/* Begin of the program's code; the linker defines it. */
extern char __executable_start[];

/* A pc as an offset, as the logs keep it (run/event.h), and back. What lies beyond the reach of one
 * is KEY_PC_MASK. */
static inline uint32_t code_offset(const void *pc)
{
    uintptr_t offset = (uintptr_t)pc - (uintptr_t)__executable_start;
    return offset < KEY_PC_MASK ? (uint32_t)offset : KEY_PC_MASK;
}

static inline uintptr_t code_address(uint32_t pc)
{
    return (uintptr_t)__executable_start + pc;
}

/* A place in the source. file is "?" and line 0 when unknown. The strings live as long as the
 * program. */
struct source_line {
    const char *file;
    int line;
};

static inline bool source_same(struct source_line a, struct source_line b)
{
    return a.line == b.line && strcmp(a.file, b.file) == 0;
}

/* The source line of a pc (an offset). Lines within the backend's own headers, and the C++
 * library's, give the line that used them. Results are kept: asking again costs nothing, and of
 * several a call of source_ask starts addr2line but once. */
void source_ask(const uint32_t *pcs, size_t count);
struct source_line source_line_at(uint32_t pc);

/* The same of what the host does just now; in a function of the C++ library's headers the line that
 * called that. */
struct source_line source_of_host(uint32_t pc);

/* Are these two pcs different places of the source, and not copies that the compiler made of one?
 * Then lines[] gets theirs: of the functions that were inlined there, the lines in the outermost
 * one in which they differ. */
bool source_differ(uint32_t one, uint32_t other, struct source_line lines[2]);

/* Begins to read what a tool of binutils says of the program: the tool and its options, up to where
 * the program's name belongs, and what follows. NULL: it cannot be had. */
FILE *source_tool(const char *tool, const char *arguments);

/* Ends it. Of a tool that has answered nothing, since it could not be run, a line on stderr tells,
 * once. */
void source_tool_end(FILE *answers, const char *tool, bool answered);

/* A name as a field of a CSV file: in quotes if it has commas, quotes or line breaks. */
void source_print_csv(FILE *file, const char *name);

/* A file of the source, "" as its lines' ends; without lines if it cannot be read. It stays until
 * another one is asked for. */
struct source_file {
    char *name, **line; /* line[0] is the first */
    size_t lines, room;
};
const struct source_file *source_file(const char *name);

/* Text of a source line without its indentation, "" if the file cannot be read. Returns text. */
const char *source_text(struct source_line place, char *text, size_t room);

/* What the kernel of a launch is called: as it is written there, and what a pointer to it points
 * to; within a template with the arguments of that instance. Returns name. */
const char *source_kernel(const struct simt_site *site, char *name, size_t room);
