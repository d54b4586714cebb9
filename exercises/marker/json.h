/* As much JSON as the marker reads (the backend's report) and writes (a mark). Pure, but for
 * printing. */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

/* The begin of the value that an object's member has, of a list's first item, or of the item after
 * this one; NULL: there is none, or the text is no JSON. All look into the text from `value` on. */
const char *json_member(const char *value, const char *name);
const char *json_first(const char *value);
const char *json_next(const char *value);

/* Behind the end of the value that begins there; NULL: it is none. */
const char *json_end(const char *value);

/* A string's text, the caller's to free; NULL for anything else, such as null. value may be NULL.
 */
char *json_text(const char *value);

/* Writes text as a string; NULL as null. What is no UTF-8 becomes U+FFFD. */
void json_print(FILE *file, const char *text);

#endif
