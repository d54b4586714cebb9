/* Finds values in a text by skipping those before them. */
#include "json.h"
#include "judge/json_string.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

static const char *blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static const char *end_of_string(const char *p)
{
    for (p++; *p != '"'; p++) {
        if (*p == '\\')
            p++;
        if (!*p)
            return NULL;
    }
    return p + 1;
}

static const char *end_of(const char *p, int depth)
{
    if (*p == '"')
        return end_of_string(p);
    if (*p != '{' && *p != '[') { /* a number, true, false, null */
        size_t length = strcspn(p, ",]} \t\r\n");
        return length > 0 ? p + length : NULL;
    }
    char closing = *p == '{' ? '}' : ']';
    for (p = blanks(p + 1); *p != closing;) {
        if (depth == DEEPEST || (p = end_of(p, depth + 1)) == NULL)
            return NULL;
        p = blanks(p);
        if (*p == ',' || *p == ':')
            p = blanks(p + 1);
        else if (*p != closing)
            return NULL;
    }
    return p + 1;
}

const char *json_end(const char *value)
{
    return end_of(value, 0);
}

const char *json_first(const char *value)
{
    if (!value || (*value != '[' && *value != '{'))
        return NULL;
    value = blanks(value + 1);
    return *value && *value != ']' && *value != '}' ? value : NULL;
}

const char *json_next(const char *value)
{
    const char *end = json_end(value);

    if (!end || *(end = blanks(end)) != ',')
        return NULL;
    return blanks(end + 1);
}

const char *json_member(const char *value, const char *name)
{
    size_t length = strlen(name);
    const char *end;

    if (!value || *value != '{')
        return NULL;
    for (const char *key = json_first(value); key; key = json_next(value)) {
        if (*key != '"' || (end = end_of_string(key)) == NULL || *(end = blanks(end)) != ':')
            return NULL;
        value = blanks(end + 1);
        if (strncmp(key + 1, name, length) == 0 && key[length + 1] == '"')
            return value;
    }
    return NULL;
}

/* ---- strings ---- */

static size_t put_utf8(char *to, unsigned code)
{
    if (code < 0x80)
        return to[0] = (char)code, 1;
    if (code < 0x800)
        return to[0] = (char)(0xc0 | code >> 6), to[1] = (char)(0x80 | (code & 63)), 2;
    to[0] = (char)(0xe0 | code >> 12);
    to[1] = (char)(0x80 | (code >> 6 & 63));
    to[2] = (char)(0x80 | (code & 63));
    return 3;
}

char *json_text(const char *value)
{
    static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
    const char *end = value && *value == '"' ? end_of_string(value) : NULL;
    char *text = end ? malloc((size_t)(end - value) + 4) : NULL, digits[5] = "", *to = text;

    if (!text)
        return NULL;
    for (const char *p = value + 1; p < end - 1; p++) {
        bool escaped = *p == '\\';
        const char *letter = escaped ? strchr(letters, *++p) : NULL;
        if (escaped && *p == 'u' && end - p > 5) {
            memcpy(digits, p + 1, 4);
            to += put_utf8(to, (unsigned)strtoul(digits, NULL, 16));
            p += 4;
        } else {
            *to++ = letter ? meant[letter - letters] : *p;
        }
    }
    *to = '\0';
    return text;
}

void json_print(FILE *file, const char *text)
{
    if (text)
        json_string(file, text);
    else
        fprintf(file, "null");
}
