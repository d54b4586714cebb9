/* Files that are written as a whole or not at all: first as FILE.PID, where PID is the
 * number of the process, and then renamed. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Can the file be written? If so, returns NULL and sets *path to its path, which the caller frees;
 * the path that *path named before is freed. If not, returns the reason, as the end of a message.
 */
const char *whole_file_check(const char *file, char **path);

/* print(file) writes the new content. On failure the old file stays, one line on stderr says that
 * `what` cannot be written, and false is returned. */
bool whole_file_write(const char *path, const char *what, void (*print)(FILE *file));
