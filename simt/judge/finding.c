/* Gathers findings and prints each as one readable block. */
#define _GNU_SOURCE
#include "judge/finding.h"
#include "watch/source.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is kept of a finding: its launch ends before it is told. */
struct kept {
    struct finding finding;
    char kernel[128], launch_file[256];
    int launch_line;
    unsigned launch_number;
    dim3 grid, block;
    struct source_line line[2];
    uint64_t count;
};

/* Another place than these thousand nobody would read. */
enum { MOST = 1000 };

static struct kept kept[MOST];
static size_t kept_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct actor finding_actor(const struct block *block, uint32_t pc, unsigned warp, int lane,
                           unsigned operation, unsigned size)
{
    return (struct actor){.pc = pc,
                          .block = block_number(block),
                          .thread = (uint16_t)(warp * WARP_SIZE + (unsigned)lane),
                          .operation = (uint8_t)operation,
                          .size = (uint8_t)size};
}

static bool same_line(struct source_line a, struct source_line b)
{
    return a.line == b.line && strcmp(a.file, b.file) == 0;
}

static bool same_ends(const struct source_line kept_line[2], struct source_line a,
                      struct source_line b)
{
    return same_line(kept_line[0], a) && same_line(kept_line[1], b);
}

/* Whichever of two threads came first: it is the same bug. */
static bool same_finding(const struct kept *k, const struct finding *finding,
                         const struct source_line line[2])
{
    return k->finding.kind == finding->kind && k->finding.actors == finding->actors &&
           strcmp(k->kernel, finding->launch ? finding->launch->site.kernel : "") == 0 &&
           (same_ends(k->line, line[0], line[1]) || same_ends(k->line, line[1], line[0]));
}

static bool same_pcs(const struct kept *k, const struct finding *finding)
{
    return k->finding.kind == finding->kind && k->finding.actor[0].pc == finding->actor[0].pc &&
           (finding->actors < 2 || k->finding.actor[1].pc == finding->actor[1].pc);
}

static void keep(const struct finding *finding, const struct source_line line[2], uint64_t count)
{
    struct kept *k = &kept[kept_count++];

    *k = (struct kept){.finding = *finding, .count = count};
    k->line[0] = line[0];
    k->line[1] = line[1];
    if (!finding->launch)
        return;
    snprintf(k->kernel, sizeof k->kernel, "%s", finding->launch->site.kernel);
    snprintf(k->launch_file, sizeof k->launch_file, "%s", finding->launch->site.file);
    k->launch_line = finding->launch->site.line;
    k->launch_number = finding->launch->number;
    k->grid = finding->launch->grid;
    k->block = finding->launch->block;
    k->finding.launch = NULL;
}

void finding_add(const struct finding *finding)
{
    uint64_t count = finding->count ? finding->count : 1;
    struct source_line line[2] = {{"?", 0}, {"?", 0}};

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < kept_count; i++)
        if (same_pcs(&kept[i], finding)) { /* the quick way, for a bug in a loop */
            kept[i].count += count;
            pthread_mutex_unlock(&lock);
            return;
        }
    for (int i = 0; i < finding->actors; i++)
        line[i] = source_line_at(finding->actor[i].pc);
    size_t i = 0;
    while (i < kept_count && !same_finding(&kept[i], finding, line))
        i++;
    if (i < kept_count)
        kept[i].count += count;
    else if (kept_count < MOST)
        keep(finding, line, count);
    pthread_mutex_unlock(&lock);
}

bool finding_same_lines(const struct finding *finding)
{
    return same_line(source_line_at(finding->actor[0].pc), source_line_at(finding->actor[1].pc));
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

static void print_place(const struct kept *k, int i)
{
    char source[80];
    static const char *const verbs[] = {
        [EVENT_LOAD] = "read", [EVENT_STORE] = "written", [EVENT_ATOMIC] = "atomic"};
    const struct actor *actor = &k->finding.actor[i];

    fprintf(stderr, "  %s:%d  %s\n", k->line[i].file, k->line[i].line,
            source_text(k->line[i], source, sizeof source));
    if (!k->kernel[0])
        return;
    uint3 thread = split(actor->thread, k->block), block = split(actor->block, k->grid);
    fprintf(stderr, "      ");
    if (actor->operation <= EVENT_ATOMIC)
        fprintf(stderr, "%s, %u bytes, ", verbs[actor->operation], actor->size);
    fprintf(stderr, "by thread (%u,%u,%u) of block (%u,%u,%u)\n", thread.x, thread.y, thread.z,
            block.x, block.y, block.z);
}

static void print_one(const struct kept *k)
{
    char source[80];

    fprintf(stderr, "\nsimt: %s%s", kinds[k->finding.kind].note ? "note: " : "",
            kinds[k->finding.kind].title);
    if (k->kernel[0])
        fprintf(stderr, ", kernel %s", k->kernel);
    if (k->count > 1)
        fprintf(stderr, ", %llu times", (unsigned long long)k->count);
    fprintf(stderr, "\n");
    for (int i = 0; i < k->finding.actors; i++)
        print_place(k, i);
    if (k->kernel[0] && k->launch_number > 0)
        fprintf(stderr, "      launch %u, %s:%d\n", k->launch_number, k->launch_file,
                k->launch_line);
    else if (k->launch_line > 0)
        fprintf(stderr, "  %s:%d  %s\n", k->launch_file, k->launch_line,
                source_text((struct source_line){k->launch_file, k->launch_line}, source,
                            sizeof source));
    if (k->finding.detail[0])
        fprintf(stderr, "  %s\n", k->finding.detail);
    fprintf(stderr, "  %s\n", kinds[k->finding.kind].rule);
}

static int by_place(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    int files = strcmp(x->line[0].file, y->line[0].file);

    if (files != 0)
        return files;
    if (x->line[0].line != y->line[0].line)
        return x->line[0].line - y->line[0].line;
    return x->line[1].line != y->line[1].line ? x->line[1].line - y->line[1].line
                                              : (int)x->finding.kind - (int)y->finding.kind;
}

void finding_print(void)
{
    fflush(stdout);
    pthread_mutex_lock(&lock);
    qsort(kept, kept_count, sizeof *kept, by_place);
    for (size_t i = 0; i < kept_count; i++)
        print_one(&kept[i]);
    pthread_mutex_unlock(&lock);
    fflush(stderr);
}
