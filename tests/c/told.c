/* Reads a file as the marker reads what a program tells of itself, and prints what it has read. */
#include "counters.h"
#include "findings.h"
#include "text.h"

#include <stdio.h>

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

int main(int argc, char **argv)
{
    struct findings f = {.any = false};
    struct counters c = {.lines = 0};

    if (argc != 2)
        return 2;
    if (findings_read(text_file(argv[1], NULL), &f)) {
        printf("%s|%s|%s", or_none(f.not_judged), or_none(f.first.id), or_none(f.first.text));
        for (int i = 0; i < f.first.ends; i++)
            printf("|%s %d", or_none(f.first.end[i].operation), f.first.end[i].line);
        puts("");
    } else if (counters_read(text_file(argv[1], NULL), "main.cu", &c)) {
        printf("%g %g %g %g", c.all.launches, c.all.blocks, c.all.threads, c.all.global_lanes);
        for (size_t i = 0; i < c.lines; i++)
            printf("|%d %g", c.line[i].line, c.line[i].figures.global_lanes);
        puts("");
    } else {
        puts("no");
    }
    return 0;
}
