/* Gathers findings and prints each as one readable block. */
#define _GNU_SOURCE
#include "judge/finding.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Another place than these thousand nobody would read. */
enum { MOST = 1000 };

static struct kept_finding kept[MOST];
static size_t kept_count;
static uint64_t left_out; /* findings beyond */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

struct actor finding_actor(const struct lane *lane, uint32_t pc, unsigned operation, unsigned size)
{
    return (struct actor){.pc = pc,
                          .block = lane->block->number,
                          .thread = (uint16_t)lane->index,
                          .operation = (uint8_t)operation,
                          .size = (uint8_t)size};
}

struct finding finding_of(enum finding_kind kind, const struct lane *lane, uint32_t pc,
                          unsigned operation, unsigned size)
{
    return (struct finding){.kind = kind,
                            .launch = lane->block->launch,
                            .actor[0] = finding_actor(lane, pc, operation, size),
                            .actors = 1};
}

struct actor finding_host(const void *pc, unsigned operation, size_t size)
{
    return (struct actor){.pc = code_offset(pc),
                          .operation = (uint8_t)operation,
                          .size = size <= UINT8_MAX ? (uint8_t)size : 0};
}

void text_add(char *text, size_t room, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    vsnprintf(text + used, room - used, format, args);
    va_end(args);
}

/* One bug, of which a is the cause and b a symptom: a race, at either of its places; or an access
 * out of bounds. */
static bool says_more(const struct kept_finding *a, const struct kept_finding *b)
{
    enum kind_family more = kinds[a->finding.kind].family, less = kinds[b->finding.kind].family;
    const struct source_line *at = a->finding.line, place = b->finding.line[0];
    bool race = more == KIND_RACE && less == KIND_RACE_SYMPTOM;
    bool overrun = more == KIND_BOUNDS && less == KIND_BOUNDS_SYMPTOM;

    return strcmp(a->kernel, b->kernel) == 0 &&
           ((race && (source_same(at[0], place) || source_same(at[1], place))) ||
            (overrun && source_same(at[0], place)));
}

/* Whichever of two threads came first: it is the same bug. */
static bool same_bug(const struct kept_finding *a, const struct kept_finding *b)
{
    const struct source_line *x = a->finding.line, *y = b->finding.line;

    return a->finding.kind == b->finding.kind && a->finding.actors == b->finding.actors &&
           strcmp(a->kernel, b->kernel) == 0 &&
           ((source_same(x[0], y[0]) && source_same(x[1], y[1])) ||
            (source_same(x[0], y[1]) && source_same(x[1], y[0])));
}

/* The quick way, for a bug in a loop: there is one of the same pcs. */
bool finding_again(const struct finding *new)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (struct kept_finding *k = kept; k < kept + kept_count && !found; k++) {
        found = new->actors > 0 && new->line[0].line == 0 && new->line[1].line == 0 &&
                k->finding.kind == new->kind && k->finding.actor[0].pc == new->actor[0].pc &&
                k->finding.actor[1].pc == new->actor[1].pc;
        if (found)
            k->finding.count += new->count ? new->count : 1;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Where its actors stand, in one question: each starts a process. What has none is at its call. */
static void find_lines(struct finding *finding, const struct simt_site *call)
{
    uint32_t asked[2];
    size_t count = 0;

    for (int i = 0; i < finding->actors; i++)
        if (finding->line[i].line <= 0)
            asked[count++] = finding->actor[i].pc;
    source_ask(asked, count);
    for (int i = 0; i < 2; i++)
        if (i < finding->actors && finding->line[i].line <= 0)
            finding->line[i] = source_line_at(finding->actor[i].pc);
        else if (i >= finding->actors)
            finding->line[i] = finding->actors == 0 && call->line > 0
                                   ? (struct source_line){call->file, call->line}
                                   : (struct source_line){"?", 0};
}

/* An error that nobody looked at is told in front of what later launches came to. */
static void insert(const struct kept_finding *new)
{
    struct kept_finding *k = kept + kept_count;

    while (new->finding.kind == FINDING_UNSEEN_ERROR &&
           k > kept &&k[-1].launch.number > new->finding.behind)
        k--;
    memmove(k + 1, k, (size_t)(kept + kept_count++ - k) * sizeof *k);
    *k = *new;
}

static void keep(struct kept_finding *new)
{
    struct kept_finding *k = kept, *end = kept + kept_count;

    for (; k < end; k++)
        if (says_more(k, new)) {
            return;
        } else if (same_bug(k, new)) {
            k->finding.count += new->finding.count;
            return;
        }
    for (k = kept; k < kept + kept_count;)
        if (says_more(new, k))
            memmove(k, k + 1, (size_t)(kept + --kept_count - k) * sizeof *k);
        else
            k++;
    if (kept_count == MOST)
        left_out++;
    else
        insert(new);
}

void finding_add(const struct finding *finding)
{
    static struct kept_finding new;

    pthread_mutex_lock(&lock);
    if (!finding_again(finding)) {
        new = (struct kept_finding){.finding = *finding};
        new.finding.count += finding->count == 0;
        if (finding->launch) {
            new.launch = *finding->launch;
            source_kernel(&new.launch.site, new.kernel, sizeof new.kernel);
        }
        find_lines(&new.finding, &new.launch.site);
        keep(&new);
    }
    pthread_mutex_unlock(&lock);
}

bool finding_any(void)
{
    for (size_t i = 0; i < kept_count; i++)
        if (!kinds[kept[i].finding.kind].note)
            return true;
    return false;
}

/* ---- printing ---- */

static uint3 split(unsigned linear, dim3 size)
{
    return (uint3){linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
}

void finding_where(const struct kept_finding *k, int i, uint3 *thread, uint3 *block)
{
    *thread = split(k->finding.actor[i].thread, k->launch.block);
    *block = split(k->finding.actor[i].block, k->launch.grid);
}

static void print_line(struct source_line line)
{
    char source[80];

    fprintf(stderr, "  %s:%d  %s\n", line.file, line.line,
            source_text(line, source, sizeof source));
}

static void print_actor(const struct kept_finding *k, int i)
{
    static const char *const verbs[] = {
        [EVENT_LOAD] = "reads", [EVENT_STORE] = "writes", [EVENT_ATOMIC] = "has an atomic on"};
    const struct actor *actor = &k->finding.actor[i];
    uint3 thread, block;

    print_line(k->finding.line[i]);
    if (!k->kernel[0])
        return;
    finding_where(k, i, &thread, &block);
    fprintf(stderr, "      thread (%u,%u,%u) of block (%u,%u,%u)", thread.x, thread.y, thread.z,
            block.x, block.y, block.z);
    if (actor->operation <= EVENT_ATOMIC)
        fprintf(stderr, " %s %u byte%s", verbs[actor->operation], actor->size,
                actor->size == 1 ? "" : "s");
    fprintf(stderr, "\n");
}

/* The same bug once more: one idiom, written several times. Errors on the host are told each. */
static bool same_idiom(const struct kept_finding *a, const struct kept_finding *b)
{
    return a->finding.kind == b->finding.kind && a->finding.actors == b->finding.actors &&
           a->finding.actors > 0 && strcmp(a->kernel, b->kernel) == 0;
}

enum { MOST_LISTED = 10 };

/* The other places of what k begins, of which there are `more`. */
static void print_others(const struct kept_finding *k, size_t more)
{
    const char *file = k->finding.line[0].file;
    size_t listed = 0;

    if (more == 0)
        return;
    fprintf(stderr, "  The same at line%s", more > 1 ? "s" : "");
    for (const struct kept_finding *o = k + 1; o < kept + kept_count && listed < MOST_LISTED; o++) {
        struct source_line line = o->finding.line[0];
        if (!same_idiom(k, o))
            continue;
        fprintf(stderr, "%s", listed++ > 0 ? ", " : " ");
        if (strcmp(line.file, file) != 0)
            fprintf(stderr, "%s:", line.file);
        fprintf(stderr, "%d", line.line);
        if (o->finding.actors == 2 && !source_same(line, o->finding.line[1]))
            fprintf(stderr, " with %d", o->finding.line[1].line);
    }
    if (more > listed)
        fprintf(stderr, ", … (%zu more place%s)", more - listed, more - listed > 1 ? "s" : "");
    fprintf(stderr, "\n");
}

/* A text of one line, in as many as it takes. */
static void print_wrapped(const char *text)
{
    enum { WIDTH = 92 };

    while (*text) {
        size_t length = strlen(text);
        for (size_t i = length; length > WIDTH && i > 0; i--)
            if (text[i - 1] == ' ' && i - 1 <= WIDTH)
                length = i - 1;
        fprintf(stderr, "  %.*s\n", (int)length, text);
        text += length + (text[length] == ' ');
    }
}

/* k and all that are the same idiom behind it. */
static void print_one(const struct kept_finding *k)
{
    const struct kind *kind = &kinds[k->finding.kind];
    uint64_t count = k->finding.count;
    size_t more = 0;

    for (const struct kept_finding *other = k + 1; other < kept + kept_count; other++)
        if (same_idiom(k, other)) {
            more++;
            count += other->finding.count;
        }
    fprintf(stderr, "\nsimt: %s%s", kind->note ? "note: " : "", kind->title);
    if (k->kernel[0])
        fprintf(stderr, ", kernel %s", k->kernel);
    if (count > 1)
        fprintf(stderr, ", %llu times", (unsigned long long)count);
    if (more > 0)
        fprintf(stderr, " at %zu places", more + 1);
    fprintf(stderr, "\n");
    for (int i = 0; i < k->finding.actors; i++)
        print_actor(k, i);
    if (k->kernel[0] && k->launch.number > 0)
        fprintf(stderr, "      launch %u, %s:%d\n", k->launch.number, k->launch.site.file,
                k->launch.site.line);
    else if (k->finding.actors == 0 && k->finding.line[0].line > 0)
        print_line(k->finding.line[0]);
    if (k->finding.detail[0])
        fprintf(stderr, "  %s\n", k->finding.detail);
    print_others(k, more);
    print_wrapped(k->finding.rule ? k->finding.rule : kind->rule);
    fprintf(stderr, "  More: simt/simtcc --explain %s\n", kind->id);
}

static bool is_first(const struct kept_finding *k)
{
    for (const struct kept_finding *before = kept; before < k; before++)
        if (same_idiom(before, k))
            return false;
    return true;
}

void finding_print(void)
{
    fflush(stdout);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < kept_count; i++)
        if (is_first(&kept[i]))
            print_one(&kept[i]);
    pthread_mutex_unlock(&lock);
    fflush(stderr);
}

const struct kept_finding *finding_all(size_t *count, uint64_t *beyond)
{
    *count = kept_count;
    *beyond = left_out;
    return kept;
}
