/* What the marker reads of a program's run: `report counters FILE` prints each counter of the table
 * on standard input, then those of line 7 of FILE; `report finding` prints the finding that is told
 * of a report, of which the only note to be told is "hinted". */
#include "exercises/marker/counters.h"
#include "exercises/marker/findings.h"

#include <stdio.h>
#include <string.h>

bool task_hint_is_for(const struct task_hint *hint, const char *reason)
{
    return strcmp(reason, hint->when) == 0;
}

static void print_counters(const struct counters *counters, int line)
{
    const char *name;
    double value;

    for (int i = 0; (name = counters_name(i)) != NULL; i++)
        if (counters_get(counters, name, line, &value) && value != 0)
            printf("%s %.10g\n", name, value);
}

int main(int argc, char **argv)
{
    char text[1 << 16] = "";
    struct counters counters;
    struct findings findings;

    text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
    if (argc > 2 && counters_read(text, argv[2], &counters)) {
        print_counters(&counters, 0);
        print_counters(&counters, 7);
        counters_free(&counters);
    } else if (argc == 2 && findings_read(text, &findings)) {
        static const struct task_file file = {.hint = {{.when = "hinted"}}, .hints = 1};
        const struct finding *first = findings_first(&findings, &file);
        printf("%s: %s\n", first ? first->id : "none", first ? first->text : "");
        findings_free(&findings);
    } else {
        printf("not read\n");
    }
}
