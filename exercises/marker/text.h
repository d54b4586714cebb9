/* Texts that are made at run time. Nobody frees them: the marker ends soon. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* As by printf. Without memory the program ends. */
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the marker, whose call was wrong: "mark: WHAT: WHY" on standard error, status 2. */
_Noreturn void text_fail(const char *what, const char *why);

/* A figure in as many digits as it needs: 1048576 or 3.5. */
char *text_number(double value);

/* All of a regular file of up to 512 MiB, behind which is a 0, and its length, which may be NULL.
 * NULL: errno says why not; it waits for no pipe. */
char *text_file(const char *path, size_t *length);

/* Line `line`, from 1, of a file, without the blanks at its begin; NULL: there is none. */
char *text_line(const char *path, int line);

#endif
