/* Calculates: each line of standard input is an expression, in which n is 1000 and zero is 0. */
#include "exercises/marker/expression.h"

#include <stdio.h>
#include <string.h>

static bool figure(const void *context, const char *name, double *value)
{
    (void)context;
    *value = *name == 'n' ? 1000 : 0;
    return strcmp(name, "n") == 0 || strcmp(name, "zero") == 0;
}

int main(void)
{
    char line[1000];
    const char *error;

    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        double value = expression_value(line, figure, NULL, &error);
        if (error)
            printf("%s\n", error);
        else
            printf("%g\n", value);
    }
    return 0;
}
