/* A text as JSON has it. */
#pragma once

#include <stdio.h>

/* Bytes of the UTF-8 character that text begins with; 0: it begins with none. */
static inline int json_utf8_length(const unsigned char *text)
{
    unsigned first = text[0];
    int length = first < 0x80   ? 1
                 : first < 0xc2 ? 0
                 : first < 0xe0 ? 2
                 : first < 0xf0 ? 3
                 : first < 0xf5 ? 4
                                : 0;

    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Writes text as a string, in quotes. A byte that is no UTF-8 becomes U+FFFD. */
static inline void json_string(FILE *file, const char *string)
{
    const unsigned char *text = (const unsigned char *)string;
    int length;

    fputc('"', file);
    for (; *text; text += length > 0 ? length : 1) {
        length = json_utf8_length(text);
        if (length == 0)
            fprintf(file, "\\ufffd");
        else if (*text < 0x20 || *text == 0x7f)
            fprintf(file, "\\u%04x", *text);
        else if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else
            fwrite(text, 1, (size_t)length, file);
    }
    fputc('"', file);
}
