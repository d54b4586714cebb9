/* Prints the findings on stderr, each as one readable block. */
#include "judge/finding.h"

#include <stdio.h>
#include <string.h>

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
    uint3 thread, block;

    print_line(k->line[i]);
    if (!k->kernel[0])
        return;
    finding_where(k, i, &thread, &block);
    fprintf(stderr, "      thread (%u,%u,%u) of block (%u,%u,%u)", thread.x, thread.y, thread.z,
            block.x, block.y, block.z);
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
