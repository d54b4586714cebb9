/* Files that are written as a whole or not at all: into a new one beside, which then takes the
 * place of the old. */
#ifndef SIMT_WHOLE_FILE_H
#define SIMT_WHOLE_FILE_H

#include <stdio.h>

/* Can `file` be written so? NULL, and its path, which the caller frees, in *path (what it named
 * before is freed); a link stays what it is. Else why not, in words that end a message. */
const char *whole_file_check(const char *file, char **path);

/* The new file, its name, which whole_file_end frees, in *name. NULL and errno if there is none. */
FILE *whole_file_begin(const char *path, char **name);

/* Puts it in its place; NULL is whole_file_begin's. On failure the old file stays, one line on
 * stderr says that `what` cannot be written, and the value is 0. */
int whole_file_end(FILE *file, char *name, const char *path, const char *what);

#endif
