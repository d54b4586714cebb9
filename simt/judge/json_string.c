/* Escapes what JSON wants escaped. */
#include "judge/json_string.h"

#include <stdbool.h>

/* Bytes of the UTF-8 character that text begins with; 0: it begins with none. */
static int utf8_length(const unsigned char *text)
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
    bool overlong = (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
    bool beyond = (first == 0xed && text[1] > 0x9f) || (first == 0xf4 && text[1] > 0x8f);
    return overlong || beyond ? 0 : length;
}

void json_string(FILE *file, const char *string)
{
    const unsigned char *text = (const unsigned char *)string;

    fputc('"', file);
    while (*text) {
        int length = utf8_length(text);
        if (length == 0)
            fprintf(file, "\\ufffd");
        else if (*text < 0x20 || *text == 0x7f)
            fprintf(file, "\\u%04x", *text);
        else if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else
            fwrite(text, 1, (size_t)length, file);
        text += length > 0 ? length : 1;
    }
    fputc('"', file);
}
