/* Writes the findings as JSON (FORMATS.md). */
#include "judge/finding.h"
#include "judge/json_string.h"
#include "run/end.h"
#include "watch/trace.h"

#include <stdio.h>

static char *path;

const char *report_json_set(const char *file)
{
    return whole_file_check(file, &path);
}

/* The text in front of a value, and the value: a string, or null where there is none. */
static void print_text(FILE *file, const char *front, const char *text)
{
    fputs(front, file);
    if (text && text[0])
        json_string(file, text);
    else
        fputs("null", file);
}

static void print_place(FILE *file, struct source_line line)
{
    char source[256];

    print_text(file, "\"file\": ", line.line > 0 ? line.file : NULL);
    fprintf(file, line.line > 0 ? ", \"line\": %d" : ", \"line\": null", line.line);
    print_text(file, ", \"source\": ", source_text(line, source, sizeof source));
}

/* One end of a finding: where, what, and which thread. */
static void print_end(FILE *file, const struct finding *k, int i)
{
    static const char *const operations[EVENT_KINDS + 1] = {
        [EVENT_LOAD] = "read",           [EVENT_STORE] = "write",   [EVENT_ATOMIC] = "atomic",
        [EVENT_SYNCTHREADS] = "barrier", [EVENT_SYNCWARP] = "warp", [EVENT_SHUFFLE] = "warp",
        [EVENT_VOTE] = "warp",           [EVENT_REDUCE] = "warp"};
    const struct actor *actor = &k->actor[i];
    uint3 thread, block;

    fprintf(file, "%s\n        {", i > 0 ? "," : "");
    print_place(file, k->line[i]);
    print_text(file, ", \"operation\": ", operations[actor->operation]);
    fprintf(file, ", \"bytes\": %u, ", actor->operation <= EVENT_ATOMIC ? actor->size : 0);
    if (!k->kernel[0]) {
        fprintf(file, "\"thread\": null, \"block\": null}");
        return;
    }
    finding_where(k, i, &thread, &block);
    fprintf(file, "\"thread\": [%u, %u, %u], \"block\": [%u, %u, %u]}", thread.x, thread.y,
            thread.z, block.x, block.y, block.z);
}

static void print_launch(FILE *file, const struct finding *k)
{
    dim3 grid = k->launch.grid, block = k->launch.block;

    if (!k->kernel[0] || k->launch.number == 0) {
        fprintf(file, "      \"launch\": null,\n");
        return;
    }
    fprintf(file, "      \"launch\": {\"number\": %u", k->launch.number);
    print_text(file, ", \"file\": ", k->launch.site.file);
    fprintf(file, ", \"line\": %d, \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u]},\n",
            k->launch.site.line, grid.x, grid.y, grid.z, block.x, block.y, block.z);
}

static void print_finding(FILE *file, const struct finding *k)
{
    const struct kind *kind = &kinds[k->kind];
    char text[1024];

    fprintf(file, "\n    {\n      \"id\": \"%s\", \"note\": %s", kind->id,
            kind->note ? "true" : "false");
    print_text(file, ", \"title\": ", kind->title);
    print_text(file, ",\n      \"kernel\": ", k->kernel);
    fputs(", ", file);
    print_place(file, k->line[0]);
    fprintf(file, ", \"count\": %llu,\n", (unsigned long long)k->count);
    print_launch(file, k);
    fprintf(file, "      \"ends\": [");
    for (int i = 0; i < k->actors; i++)
        print_end(file, k, i);
    snprintf(text, sizeof text, "%s%s%s", k->detail, k->detail[0] ? " " : "",
             k->rule ? k->rule : kind->rule);
    print_text(file, k->actors > 0 ? "\n      ],\n      \"text\": " : "],\n      \"text\": ", text);
    fprintf(file, "\n    }");
}

static int exit_status; /* as the report tells it */

static void print_report(FILE *file)
{
    size_t count;
    uint64_t left_out;
    const struct finding *all = finding_all(&count, &left_out);

    fprintf(file, "{\n  \"version\": 1,\n  \"status\": %d", exit_status);
    print_text(file, ",\n  \"not_judged\": ", end_why_not_judged());
    fprintf(file, ",\n  \"left_out\": %llu,\n  \"findings\": [", (unsigned long long)left_out);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s", i > 0 ? "," : "");
        print_finding(file, &all[i]);
    }
    fprintf(file, "%s]\n}\n", count > 0 ? "\n  " : "");
}

bool report_json_write(int status)
{
    exit_status = status;
    if (!path || whole_file_write(path, "the report", print_report))
        return true;
    path = NULL; /* told once */
    return false;
}
