/* Arithmetic on figures that have names, as an exercise's data file has it. Pure. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include <stdbool.h>

/* The figure of that name; false: there is none. */
typedef bool figure_fn(const void *context, const char *name, double *value);

/* The value of text: numbers, names, + - * / and brackets, ceil(…) and min(…, …), max(…, …). x / 0
 * is 0 where x is, else infinite. Where text is none, or has a name that figure does not know,
 * *error says why in a few words; else it is NULL. */
double expression_value(const char *text, figure_fn *figure, const void *context,
                        const char **error);

#endif
