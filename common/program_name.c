/* Takes a path apart. */
#include "program_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct program_name program_name_of(const char *file)
{
    struct program_name p = {0};
    const char *slash = strrchr(file, '/'), *start = slash;

    if (!slash)
        start = slash = file;
    while (start > file && start[-1] != '/')
        start--;
    const char *name = start;
    if (isdigit((unsigned char)start[0]) && isdigit((unsigned char)start[1]) && start[2] == '-') {
        memcpy(p.number, start, 2);
        name = start + 3;
    }
    snprintf(p.name, sizeof p.name, "%.*s", (int)(slash - name), name);
    memcpy(p.title, p.name, sizeof p.title);
    memcpy(p.program, p.name, sizeof p.program);
    if (p.number[0])
        snprintf(p.program, sizeof p.program, "step%s", p.number);
    for (char *c = p.title; *c; c++)
        if (*c == '-')
            *c = ' ';
    return p;
}
