/* A parser by recursive descent that calculates as it goes. */
#include "expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *at;
    figure_fn *figure;
    const void *context;
    const char *error; /* the first */
    int depth;
};

static double sum(struct parser *p);

static double fail(struct parser *p, const char *why)
{
    if (!p->error)
        p->error = why;
    return 0;
}

static bool take(struct parser *p, char c)
{
    while (*p->at == ' ')
        p->at++;
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static double expect(struct parser *p, char c, double value)
{
    return take(p, c) ? value : fail(p, c == ',' ? "',' expected" : "')' expected");
}

static double function(struct parser *p, const char *name)
{
    bool min = strcmp(name, "min") == 0;
    double a = sum(p), b;

    if (strcmp(name, "ceil") == 0)
        return expect(p, ')', ceil(a));
    if (!min && strcmp(name, "max") != 0)
        return fail(p, "a function that is none of ceil, min, max");
    expect(p, ',', 0);
    b = sum(p);
    return expect(p, ')', (a < b) == min ? a : b);
}

static double name(struct parser *p)
{
    char name[40];
    double value = 0;
    const char *begin = p->at;

    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    snprintf(name, sizeof name, "%.*s", (int)(p->at - begin), begin);
    if (take(p, '('))
        return function(p, name);
    return p->figure(p->context, name, &value) ? value : fail(p, "a name that is no figure");
}

static double operand(struct parser *p)
{
    char *end;

    if (take(p, '(')) {
        if (++p->depth > 50)
            return fail(p, "too many brackets");
        return expect(p, ')', sum(p));
    }
    if (isalpha((unsigned char)*p->at))
        return name(p);
    if (!isdigit((unsigned char)*p->at))
        return fail(p, "a number, a name or '(' expected");
    double value = strtod(p->at, &end);
    p->at = end;
    return value;
}

static double product(struct parser *p)
{
    double value = operand(p), divisor;

    for (;;) {
        if (take(p, '*')) {
            value *= operand(p);
        } else if (take(p, '/')) {
            divisor = operand(p);
            value = value == 0 && divisor == 0 ? 0 : value / divisor;
        } else {
            return value;
        }
    }
}

static double sum(struct parser *p)
{
    double value = product(p);

    for (;;) {
        if (take(p, '+'))
            value += product(p);
        else if (take(p, '-'))
            value -= product(p);
        else
            return value;
    }
}

double expression_value(const char *text, figure_fn *figure, const void *context,
                        const char **error)
{
    struct parser p = {text, figure, context, NULL, 0};
    double value = sum(&p);

    if (!take(&p, '\0'))
        fail(&p, "an operator expected");
    *error = p.error;
    return value;
}
