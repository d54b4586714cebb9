/* Files that are written as a whole or not at all: into a new one beside, which then takes the
 * place of the old. */
#ifndef SIMT_WHOLE_FILE_H
#define SIMT_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Can `file` be written so? NULL, and its path, which the caller frees, in *path (what it named
 * before is freed); a link stays what it is. Else why not, in words that end a message. */
const char *whole_file_check(const char *file, char **path);

/* print(file) writes the new file, which takes the place of the old. Until then signals that end
 * the program wait. On failure the old file stays, one line on stderr says that `what` cannot be
 * written, and the value is false. */
bool whole_file_write(const char *path, const char *what, void (*print)(FILE *file));

#endif
