/* Tells the findings: on stderr, each as one readable block; and as JSON (FORMATS.md). */
#include "judge/finding.h"
#include "judge/json_string.h"
#include "run/end.h"
#include "watch/trace.h"

#include <string.h>

/* Prints which thread of which block the i-th actor is. format: of three numbers for each. */
static void print_thread(FILE *file, const char *format, const struct finding *k, int i)
{
    uint3 thread = launch_place(k->actor[i].thread, k->launch.block);
    uint3 block = launch_place(k->actor[i].block, k->launch.grid);

    fprintf(file, format, thread.x, thread.y, thread.z, block.x, block.y, block.z);
}

/* ---- as text ---- */

static const struct finding *all, *all_end; /* the findings */

enum { WIDTH = 80, LONG_PLACE = 60 }; /* in columns; wider only behind a place that long */
enum { MOST_CALLS = 3 };              /* of a function in a function, that are told */

/* The source stands behind its place or, where that is too long, below. */
static void print_line(struct source_line line)
{
    char source[WIDTH - 5]; /* six columns are in front of it */
    const char *text = source_text(line, source, sizeof source);
    int length = fprintf(stderr, "  %s:%d", line.file, line.line);

    fprintf(stderr, "%s%s\n",
            length < LONG_PLACE && length + 2 + strlen(text) > WIDTH ? "\n      " : "  ", text);
}

static void print_actor(const struct finding *k, int i)
{
    static const char *const verbs[] = {
        [EVENT_LOAD] = "reads", [EVENT_STORE] = "writes", [EVENT_ATOMIC] = "has an atomic on"};
    const struct actor *actor = &k->actor[i];
    struct source_line call[MOST_CALLS];

    print_line(k->line[i]);
    if (!k->kernel[0])
        return;
    print_thread(stderr, "      thread (%u,%u,%u) of block (%u,%u,%u)", k, i);
    if (actor->operation <= EVENT_ATOMIC)
        fprintf(stderr, " %s %u byte%s", verbs[actor->operation], actor->size,
                actor->size == 1 ? "" : "s");
    fprintf(stderr, "\n");
    bool at_pc = source_same(k->line[i], source_line_at(actor->pc));
    size_t calls = at_pc ? source_calls(actor->pc, call, MOST_CALLS) : 0;
    for (size_t c = 0; c < calls; c++)
        fprintf(stderr, "      called at %s:%d\n", call[c].file, call[c].line);
}

/* Is it the same bug at another place of the kernel? Such findings are printed as one. Errors of
 * calls are printed each by itself. */
static bool same_bug_elsewhere(const struct finding *a, const struct finding *b)
{
    return a->kind == b->kind && a->actors == b->actors && a->actors > 0 &&
           strcmp(a->kernel, b->kernel) == 0;
}

enum { MOST_LISTED = 10 };

/* The `more` other places of the bug whose first finding is k. */
static void print_others(const struct finding *k, size_t more)
{
    const char *file = k->line[0].file;
    size_t listed = 0;

    if (more == 0)
        return;
    fprintf(stderr, "  The same at line%s", more > 1 ? "s" : "");
    for (const struct finding *o = k + 1; o < all_end && listed < MOST_LISTED; o++) {
        struct source_line line = o->line[0];
        if (!same_bug_elsewhere(k, o))
            continue;
        fprintf(stderr, "%s", listed++ > 0 ? ", " : " ");
        if (strcmp(line.file, file) != 0)
            fprintf(stderr, "%s:", line.file);
        fprintf(stderr, "%d", line.line);
        if (o->actors == 2 && !source_same(line, o->line[1]))
            fprintf(stderr, " with %d", o->line[1].line);
    }
    if (more > listed)
        fprintf(stderr, ", … (%zu more place%s)", more - listed, more - listed > 1 ? "s" : "");
    fprintf(stderr, "\n");
}

/* Prints a text in lines that fit a terminal. */
static void print_wrapped(const char *text)
{
    while (*text) {
        size_t length = strlen(text);
        for (size_t i = length; length > WIDTH - 2 && i > 0; i--)
            if (text[i - 1] == ' ' && i - 1 <= WIDTH - 2)
                length = i - 1;
        fprintf(stderr, "  %.*s\n", (int)length, text);
        text += length + (text[length] == ' ');
    }
}

/* Prints k and the findings behind it that are the same bug. */
static void print_one(const struct finding *k)
{
    const struct kind *kind = &kinds[k->kind];
    uint64_t count = k->count;
    size_t more = 0;

    for (const struct finding *other = k + 1; other < all_end; other++)
        if (same_bug_elsewhere(k, other)) {
            more++;
            count += other->count;
        }
    fprintf(stderr, "\nsimt: %s%s", kind->note ? "note: " : "", kind->title);
    if (k->kernel[0])
        fprintf(stderr, ", kernel %s", k->kernel);
    if (count > 1)
        fprintf(stderr, ", %llu times", (unsigned long long)count);
    if (more > 0)
        fprintf(stderr, " at %zu places", more + 1);
    fprintf(stderr, "\n");
    for (int i = 0; i < k->actors; i++)
        print_actor(k, i);
    if (k->kernel[0] && k->launch.number > 0)
        fprintf(stderr, "      launch %u, %s:%d\n", k->launch.number, k->launch.site.file,
                k->launch.site.line);
    else if (k->actors == 0 && k->line[0].line > 0)
        print_line(k->line[0]);
    print_wrapped(k->detail);
    print_others(k, more);
    print_wrapped(k->rule ? k->rule : kind->rule);
    fprintf(stderr, "  More: simt/simtcc --explain %s\n", kind->id);
}

static bool is_first(const struct finding *k)
{
    for (const struct finding *before = all; before < k; before++)
        if (same_bug_elsewhere(before, k))
            return false;
    return true;
}

void report_text(void)
{
    uint64_t left_out;
    size_t count;

    fflush(stdout);
    all = finding_all(&count, &left_out);
    all_end = all + count;
    for (const struct finding *k = all; k < all_end; k++)
        if (is_first(k))
            print_one(k);
    fflush(stderr);
}

/* ---- as JSON ---- */

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

    fprintf(file, "%s\n        {", i > 0 ? "," : "");
    print_place(file, k->line[i]);
    print_text(file, ", \"operation\": ", operations[actor->operation]);
    fprintf(file, ", \"bytes\": %u, ", actor->operation <= EVENT_ATOMIC ? actor->size : 0);
    if (k->kernel[0])
        print_thread(file, "\"thread\": [%u, %u, %u], \"block\": [%u, %u, %u]}", k, i);
    else
        fprintf(file, "\"thread\": null, \"block\": null}");
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
    const struct finding *told = finding_all(&count, &left_out);

    fprintf(file, "{\n  \"version\": 1,\n  \"status\": %d", exit_status);
    print_text(file, ",\n  \"not_judged\": ", end_why_not_judged());
    fprintf(file, ",\n  \"left_out\": %llu,\n  \"findings\": [", (unsigned long long)left_out);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s", i > 0 ? "," : "");
        print_finding(file, &told[i]);
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
