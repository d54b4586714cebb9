/* Places in the program's code, and their source lines. */
#pragma once

#include "run/end.h"
#include "run/event.h"
#include "simt_device.h"

#include <stddef.h>
#include <stdio.h>

/* From a pc to an offset, as the logs keep it (run/event.h), and back. A pc that is out of reach
 * becomes KEY_PC_MASK. */
static inline uint32_t code_offset(const void *pc)
{
    uintptr_t offset = (uintptr_t)pc - (uintptr_t)__executable_start;
    return offset < KEY_PC_MASK ? (uint32_t)offset : KEY_PC_MASK;
}

static inline uintptr_t code_address(uint32_t pc)
{
    return (uintptr_t)__executable_start + pc;
}

/* A place in the source. */
struct source_line {
    const char *file; /* "?" if it is unknown; lives as long as the program */
    int line;         /* 0 if it is unknown */
};

static inline bool source_same(struct source_line a, struct source_line b)
{
    return a.line == b.line && strcmp(a.file, b.file) == 0;
}

/* The source line of a pc (an offset). For code of the backend's headers and the C++ library's it
 * is the line that used them. Answers are kept, so asking again costs nothing. source_ask asks for
 * many pcs at once, and starts addr2line only once. */
void source_ask(const uint32_t *pcs, size_t count);
struct source_line source_line_at(uint32_t pc);

/* The lines that call the function of that line, if it was inlined, and the function in which they
 * are, and so on to the kernel. Sets call[], which has `room` elements, and returns how many. */
size_t source_calls(uint32_t pc, struct source_line *call, size_t room);

/* As source_line_at for the instruction that the host executes now; if it is in a function of the
 * C++ library, the line that called the function. */
struct source_line source_of_host(uint32_t pc);

/* Are these pcs different places in the source, and not two copies that the compiler made of one?
 * Sets lines[] to their lines; if functions were inlined there, to the lines in the outermost
 * function in which they differ. */
bool source_differ(uint32_t one, uint32_t other, struct source_line lines[2]);

/* Starts a tool of binutils on the program, and returns its output. tool: its name and the options
 * in front of the program's name; arguments: those behind it. NULL: the tool cannot be started. */
FILE *source_tool(const char *tool, const char *arguments);

/* Ends the tool. If it answered nothing, a line on stderr says once that it could not be run. */
void source_tool_end(FILE *answers, const char *tool, bool answered);

/* Prints a field of a CSV file: a name, in quotes if it has commas, quotes or line breaks; a number
 * behind a comma, or an empty field (has false). */
void source_print_csv(FILE *file, const char *name);
void source_print_number(FILE *file, bool has, uint64_t number);

/* A source file. */
struct source_file {
    char *name;
    char **line; /* line[0] is the first one, without its line feed */
    size_t lines, room;
};

/* The file; it has no lines if it cannot be read. It stays until another one is asked for. */
const struct source_file *source_file(const char *name);

/* The text of a source line without its indentation, "" if the file cannot be read. Where it needs
 * more room, "…" stands for its end. Returns text. */
const char *source_text(struct source_line place, char *text, size_t room);

/* The name of a launch's kernel: as the launch has it, or, of a pointer, the name of the function
 * that it points to. In a template with the arguments of this instance. It stays until the OS
 * thread asks for another one. */
const char *source_kernel(const struct simt_site *site);
