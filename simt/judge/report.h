/* SIMT_REPORT: what was found, as a file of JSON, for editors, graders and other programs. Its
 * members are described in README.md. */
#ifndef SIMT_REPORT_H
#define SIMT_REPORT_H

#include <stdbool.h>

/* Chooses the file that report_write writes. Returns NULL, or why it cannot be written. */
const char *report_set(const char *file);

/* Writes all findings so far, and the exit status that they give, completely or not at all. Nothing
 * to do when no file was chosen. On failure one line on stderr, and false. */
bool report_write(int status);

#endif
