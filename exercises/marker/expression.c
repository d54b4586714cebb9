/* A parser by recursive descent that calculates as it goes. */
#include "expression.h"

#include <ctype.h>
#include <math.h>
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

static bool is(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && strncmp(name, other, length) == 0;
}

static double function(struct parser *p, const char *name, size_t length)
{
    double a = sum(p), b;

    if (is(name, length, "ceil"))
        return expect(p, ')', ceil(a));
    if (!is(name, length, "min") && !is(name, length, "max"))
        return fail(p, "a function that is none of ceil, min, max");
    expect(p, ',', 0);
    b = sum(p);
    return expect(p, ')', (a < b) == is(name, length, "min") ? a : b);
}

static double name(struct parser *p)
{
    const char *begin = p->at;
    double value = 0;

    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    size_t length = (size_t)(p->at - begin);
    if (take(p, '('))
        return function(p, begin, length);
    return p->figure(p->context, begin, length, &value) ? value
                                                        : fail(p, "a name that is no figure");
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

static double quotient(double a, double b)
{
    return b == 0 && a == 0 ? 0 : a / b;
}

static double product(struct parser *p)
{
    double value = operand(p);

    for (;;) {
        if (take(p, '*'))
            value *= operand(p);
        else if (take(p, '/'))
            value = quotient(value, operand(p));
        else
            return value;
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

    while (*p.at == ' ')
        p.at++;
    if (*p.at)
        fail(&p, "an operator expected");
    *error = p.error;
    return value;
}
