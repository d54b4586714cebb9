/* Input and output of simt-rewrite. */
#include "compile/rewrite.h"

#include <stdio.h>

char *read_all(FILE *in, char *text, size_t *length)
{
    size_t got;

    do {
        text = resize(text, *length + (1 << 16) + 1);
        *length += got = fread(text + *length, 1, 1 << 16, in);
    } while (got > 0);
    text[*length] = '\0';
    return text;
}

void write_all(struct token *t, int count, const char *end)
{
    const char *symbol = structures_symbol(t, count);

    if (symbol)
        structures_show(t, count);
    for (int i = 0; t[i].text < end; i++) {
        if (t[i].before)
            fputs(t[i].before, stdout);
        if (t[i].instead)
            fputs(t[i].instead, stdout);
        else
            fwrite(t[i].text, 1, t[i].length, stdout);
        if (t[i].after)
            fputs(t[i].after, stdout);
    }
    if (symbol)
        printf("__asm__(\".weak %s\\n.set %s, 1\");\n", symbol, symbol);
    layouts_of_library(t, count);
    if (has_bit_fields(t, count))
        printf("__asm__(\".weak simt_bit_fields\\n.set simt_bit_fields, 1\");\n");
}
