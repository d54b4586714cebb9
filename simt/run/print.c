/* A kernel's printf. It knows fewer conversions than C's, and returns the number of its arguments.
 */
#include "run/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A conversion, which begins with %. */
struct conversion {
    char text[48]; /* for C's printf, with a number in place of each * */
    char size[4];  /* "", "h", "ll" and so on */
    char type;     /* the letter at its end; 0: the format ends before it */
    size_t length; /* characters in the format */
    int arguments; /* that it takes */
    bool known;    /* a GPU knows it, too */
};

/* Appends the first `length` characters of `from`, or as many as there is room for. */
static void put(char *text, size_t room, const char *from, size_t length)
{
    strncat(text, from, length < room - 1 - strlen(text) ? length : room - 1 - strlen(text));
}

/* Reads the width or precision at `at`, which may be an argument. Returns the place behind it. */
static const char *number(struct conversion *c, const char *at, va_list *arguments)
{
    char text[16];
    size_t length = strspn(at, "0123456789");

    if (*at != '*') {
        put(c->text, sizeof c->text - 8, at, length);
        return at + length;
    }
    put(c->text, sizeof c->text - 8, text,
        (size_t)snprintf(text, sizeof text, "%d", va_arg(*arguments, int)));
    c->arguments++;
    return at + 1;
}

/* Reads a conversion. Source: Guide, "Formatted Output"; but on an H200 a precision that is an
 * argument goes wrong. */
static struct conversion conversion_at(const char *format, va_list *arguments)
{
    struct conversion c = {.text = "%", .known = true};
    const char *at = format + 1;
    size_t flags = strspn(at, "-+ #0"), size;

    put(c.text, 8, at, flags);
    at = number(&c, at + flags, arguments);
    if (*at == '.') {
        put(c.text, sizeof c.text, at, 1);
        c.known = at[1] != '*';
        at = number(&c, at + 1, arguments);
    }
    size = strspn(at, "hlLqjzt");
    put(c.size, sizeof c.size, at, size);
    at += size;
    c.type = *at;
    c.known &= strstr("|h|l|ll", c.size) != NULL && c.type && strchr("%cdiouxXpeEfFgGaAs", c.type);
    put(c.text, sizeof c.text, at - size, size + 1);
    c.length = (size_t)(at - format) + (c.type != '\0');
    return c;
}

/* Printed for integer arguments behind a conversion that a GPU does not know. */
enum { GARBAGE = -1395132152 };

/* Prints a conversion with its argument, or, if not `right`, with garbage. */
static void print(FILE *to, struct conversion *c, va_list *arguments, bool right)
{
    c->arguments += c->type != '%' && c->type != '\0';
    if (c->type == '%') {
        fputc('%', to);
    } else if (!c->type || !strchr("cdiouxXpeEfFgGaAsn", c->type)) {
        c->arguments--; /* no conversion: it is printed as it is */
        fputs(c->text, to);
    } else if (strchr("eEfFgGaA", c->type)) {
        double v = va_arg(*arguments, double);
        if (*c->size == 'L')
            fputs("nan", to);
        else
            fprintf(to, c->text, right && c->known ? v : 0);
    } else if (strchr("spn", c->type)) {
        const void *v = va_arg(*arguments, const void *);
        if (c->type != 'n')
            fprintf(to, c->text, right ? v : "");
    } else if (strpbrk(c->size, "lLqjzt")) {
        long long v = va_arg(*arguments, long long);
        fprintf(to, c->text, right ? v : GARBAGE);
    } else {
        int v = va_arg(*arguments, int);
        fprintf(to, c->text, right ? v : GARBAGE);
    }
}

/* Prints all, and returns the number of arguments. *wrong: the first conversion that a GPU does not
 * know, of *length characters; NULL: there is none. */
static int print_all(FILE *to, const char *format, va_list *arguments, const char **wrong,
                     size_t *length)
{
    int taken = 0;

    while (*format) {
        size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, to);
        format += plain;
        if (*format == '\0')
            break;
        struct conversion c = conversion_at(format, arguments);
        print(to, &c, arguments, !*wrong);
        if (!c.known && !*wrong)
            *wrong = format, *length = c.length;
        taken += c.arguments;
        format += c.length;
    }
    return taken;
}

int simt_printf(const char *format, ...)
{
    struct lane *lane = simt_current_lane;
    const char *wrong = NULL;
    char *text = NULL;
    size_t size = 0, length = 0;
    uint64_t hash = 0;
    va_list arguments;

    va_start(arguments, format);
    FILE *to = lane ? open_memstream(&text, &size) : NULL;
    int taken =
        to ? print_all(to, format, &arguments, &wrong, &length) : vprintf(format, arguments);
    va_end(arguments);
    if (!to)
        return taken;
    fclose(to);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    if (!STRAY_AT(lane, .kind = DEED_OTHER, .a = hash, .b = size)) {
        fwrite(text, 1, size, stdout);
        if (wrong)
            observer_complain(COMPLAINT(FORMAT, lane, __builtin_return_address(0)), "It is %.*s.",
                              (int)length, wrong);
    }
    free(text);
    return taken;
}
