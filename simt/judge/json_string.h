/* A text as JSON has it. */
#ifndef SIMT_JSON_STRING_H
#define SIMT_JSON_STRING_H

#include <stdio.h>

/* Writes text as a string, in quotes. What is no UTF-8 becomes U+FFFD. */
void json_string(FILE *file, const char *text);

#endif
