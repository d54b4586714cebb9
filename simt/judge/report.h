/* How findings are told: as text, and as JSON. */
#pragma once

#include "judge/finding.h"

/* Prints all findings on stderr, in their order; those of one kind in one kernel as one. */
void report_text(void);

/* Chooses the file that report_json_write writes. Returns NULL, or why it cannot be written. */
const char *report_json_set(const char *file);

/* Writes all findings, and the exit status that they give, completely or not at all. Does nothing
 * if no file was chosen. On failure one line on stderr, and false. */
bool report_json_write(int status);
