/* A kernel's printf. It knows fewer conversions than C's, and returns the number of its arguments.
 */
#include "run/block.h"

#include <printf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first conversion that a GPU does not know, of *length characters; NULL: it knows all. Source:
 * Guide, "Formatted Output"; but on an H200 a precision that is an argument goes wrong. */
static const char *unknown_in(const char *format, size_t *length)
{
    for (const char *at; (at = strchr(format, '%')) != NULL; format = at + *length) {
        size_t i = 1 + strspn(at + 1, "-+ #0123456789*"), size;
        bool known = true;
        if (at[i] == '.') {
            size_t precision = strspn(at + ++i, "0123456789*");
            known = !memchr(at + i, '*', precision);
            i += precision;
        }
        size = strspn(at + i, "hlLqjzt");
        known &= size < 2 ? size == 0 || strchr("hl", at[i]) : strncmp(at + i, "ll", size) == 0;
        i += size;
        *length = i + (at[i] != '\0');
        if (!known || !at[i] || !strchr("%cdiouxXpeEfFgGaAs", at[i]))
            return at;
    }
    return NULL;
}

/* From an unknown conversion on, the format is printed as it stands: a GPU prints garbage. */
int simt_printf(const char *format, ...)
{
    struct lane *lane = simt_current_lane;
    size_t length = 0;
    const char *unknown = lane ? unknown_in(format, &length) : NULL;
    char *known = unknown ? strndup(format, (size_t)(unknown - format)) : NULL, *text;
    uint64_t hash = 0;
    va_list arguments;

    va_start(arguments, format);
    int size = vasprintf(&text, known ? known : format, arguments);
    va_end(arguments);
    for (int i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    if (size >= 0 &&
        !(lane && STRAY_AT(lane, .kind = DEED_OTHER, .a = hash, .b = (uint64_t)size))) {
        fwrite(text, 1, (size_t)size, stdout);
        if (unknown) {
            fputs(unknown, stdout);
            observer_complain(COMPLAINT(FORMAT, lane, __builtin_return_address(0)), "It is %.*s.",
                              (int)length, unknown);
        }
    }
    if (size >= 0)
        free(text);
    free(known);
    return lane ? (int)parse_printf_format(format, 0, NULL) : size;
}
