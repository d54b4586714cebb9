/* A mark for programs. */
#define _GNU_SOURCE
#include "judge/json_string.h"
#include "tell.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* A text as JSON; no text is null. Bytes that are no UTF-8 become U+FFFD. */
static const char *quoted(const char *text)
{
    char *result = NULL;
    size_t length;
    FILE *file = open_memstream(&result, &length);

    if (!text || !*text || !file)
        return "null";
    json_string(file, text);
    fclose(file);
    return result;
}

/* JSON has no NaN and no infinity. */
static const char *number(double value)
{
    return isfinite(value) ? text_of("%.10g", value) : "null";
}

static const char *const truth[] = {"false", "true"};

static const char *sizes(const long *size)
{
    const char *list = "";

    for (int i = 0; i < loaded.sizes; i++)
        list = text_of("%s%s\"%s\": %ld", list, i > 0 ? ", " : "", loaded.exercise.size[i].name,
                       size[i]);
    return text_of("{%s}", list);
}

static void print_budgets(FILE *f, const struct mark *m)
{
    const char *comma = "";

    fprintf(f, "  \"budgets\": [");
    for (int i = 0; i < m->budgets; i++) {
        const struct budget *b = &m->measured[i].budget;
        if (!b->applies)
            continue;
        fprintf(f, "%s\n    {\"name\": %s, \"means\": %s,\n     \"value\": %s, \"limit\": %s, ",
                comma, quoted(b->name), quoted(b->means), number(b->value), number(b->limit));
        fprintf(f, "\"met\": %s, \"keep\": %s, \"sizes\": %s}", truth[!budget_missed(b)],
                truth[b->keep], sizes(m->measured[i].size));
        comma = ",";
    }
    fprintf(f, "%s],\n", *comma ? "\n  " : "");
}

static void print_counters(FILE *f, const struct figures *figures)
{
    const char *name;
    double value;

    fprintf(f, "  \"counters\": {");
    for (int i = 0; (name = counters_named(figures, i, &value)) != NULL; i++)
        fprintf(f, "%s\n    \"%s\": %s", i > 0 ? "," : "", name, number(value));
    fprintf(f, "\n  },\n");
}

static void print_places(FILE *f, const struct place *place, int places)
{
    fprintf(f, "  \"places\": [");
    for (int i = 0; i < places; i++)
        fprintf(f, "%s{\"line\": %d, \"does\": %s, \"source\": %s}",
                i > 0 ? ",\n             " : "", place[i].line, quoted(place[i].does),
                quoted(place[i].source));
    fprintf(f, "],\n");
}

static void print_types(FILE *f, const struct mark *marks, int count)
{
    fprintf(f, "  \"types\": [");
    for (int i = 0; i < count; i++)
        fprintf(f, "%s{\"type\": \"%s\", \"reason\": \"%s\", \"runs\": %d, \"right\": %d}",
                i > 0 ? ",\n            " : "", marks[i].type, marks[i].fault.reason, marks[i].runs,
                marks[i].right);
    fprintf(f, "],\n");
}

static void print_json(FILE *f, const struct mark *marks, int count, int asked,
                       unsigned long long seed)
{
    const struct mark *m = &marks[count - 1];
    const bool done = m->fault.rank == RANK_DONE;
    const struct hints h = tell_hints(m, asked);

    fprintf(f, "{\n  \"version\": 1,\n  \"name\": %s,\n  \"title\": %s,\n", quoted(loaded.name),
            quoted(loaded.exercise.title));
    fprintf(f, "  \"passed\": %s,\n  \"status\": %d,\n  \"score\": %d,\n", truth[done],
            m->fault.status, m->score); /* those of the types before it are 100 */
    fprintf(f, "  \"reason\": %s,\n  \"message\": %s,\n", quoted(m->fault.reason),
            quoted(done ? "Done." : m->fault.message));
    fprintf(f, "  \"hint\": %s,\n  \"hints\": %d,\n", quoted(done ? NULL : h.text), h.count);
    print_places(f, m->fault.place, m->fault.places);
    fprintf(f, "  \"compiler\": %s,\n  \"said\": %s,\n  \"printed\": %s,\n  \"type\": %s,\n",
            quoted(m->compiler), quoted(m->fault.said), quoted(m->trial.ended.out),
            quoted(m->type));
    print_types(f, marks, count);
    fprintf(f, "  \"sizes\": %s,\n  \"seed\": %llu,\n  \"predicted\": %s,\n  \"came\": %s,\n",
            sizes(m->size), seed, number(m->predicted), number(m->came));
    print_budgets(f, m);
    print_counters(f, &m->trial.figures);
    fprintf(f, "  \"findings\": %s\n}\n", m->trial.findings.list ? m->trial.findings.list : "[]");
}

bool tell_json(const struct mark *marks, int count, int asked, unsigned long long seed,
               const char *path)
{
    const char *part = text_of("%s.%d", path, (int)getpid());
    FILE *file = fopen(part, "we");

    if (!file)
        return false;
    print_json(file, marks, count, asked, seed);
    if (fclose(file) == 0 && rename(part, path) == 0)
        return true;
    remove(part);
    return false;
}
