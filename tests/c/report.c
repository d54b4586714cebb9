/* What the marker reads of a program's run: `report counters FILE` prints each counter of the table
 * on standard input, then those of line 7 of FILE; `report finding` prints the finding that is told
 * of a report, of which the only note to be told is "hinted". */
#include "exercises/marker/counters.h"
#include "exercises/marker/findings.h"

#include <stdio.h>

static void print_counters(const struct figures *figures)
{
    const char *name;
    double value;

    for (int i = 0; (name = counters_named(figures, i, &value)) != NULL; i++)
        if (value != 0)
            printf("%s %.10g\n", name, value);
}

int main(int argc, char **argv)
{
    char text[1 << 16] = "";
    struct counters counters;
    struct findings findings;

    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    if (argc > 2 && counters_read(text, argv[2], &counters)) {
        print_counters(&counters.all);
        for (size_t i = 0; i < counters.lines; i++)
            if (counters.line[i].line == 7)
                print_counters(&counters.line[i].figures);
    } else if (argc == 2 && findings_read(text, "hinted", &findings)) {
        printf("%s: %s\n", findings.any ? findings.first.id : "none",
               findings.any ? findings.first.text : "");
    } else {
        printf("not read\n");
    }
}
