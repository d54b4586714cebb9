/* Files that are written as a whole or not at all: beside their name, as FILE.XXXXXX, a name that
 * nobody has, and then renamed. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Can `file` be written? NULL, and its path, which the caller frees, in *path (what it named before
 * is freed). Else why not, in words that end a message. */
const char *whole_file_check(const char *file, char **path);

/* print(file) writes the new content. On failure what was there stays, one line on stderr says that
 * `what` cannot be written, and the value is false. */
bool whole_file_write(const char *path, const char *what, void (*print)(FILE *file));
