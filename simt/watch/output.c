/* Prints counters: a table of totals, CSV by source line, or annotated source. */
#define _GNU_SOURCE
#include "watch/jump.h"
#include "watch/observe.h"
#include "judge/report.h"
#include "simt.h"
#include "watch/symbol.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- counters by source line ---- */

struct row {
    struct source_line place;
    struct counter sum;
};

static int by_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int files = strcmp(x->place.file, y->place.file);

    if (files != 0)
        return files;
    if (x->place.line != y->place.line)
        return x->place.line - y->place.line;
    return x->sum.space != y->sum.space ? x->sum.space - y->sum.space : x->sum.kind - y->sum.kind;
}

static void add(struct counter *sum, const struct counter *c)
{
    sum->requests += c->requests;
    sum->lanes += c->lanes;
    sum->sectors += c->sectors;
    sum->wavefronts += c->wavefronts;
    sum->fewest_wavefronts += c->fewest_wavefronts;
}

static bool counts(const struct counter *c)
{
    return c->requests != 0 && (c->space != SPACE_CONTROL || c->target[1] != 0);
}

/* The pc to look up. Of a branch the log knows only the last hook before it. */
static uint32_t place_of(const struct counter *c)
{
    return c->space == SPACE_CONTROL ? jump_place(c->pc, c->target) : c->pc;
}

/* The table's counters, those of one line and operation added up, sorted. The caller frees. */
static struct row *rows_of(const struct count_table *table, size_t *count)
{
    struct row *rows = malloc((table->used + 1) * sizeof *rows);
    uint32_t *pcs = calloc(table->used + 1, sizeof *pcs);
    struct source_line *lines = malloc((table->used + 1) * sizeof *lines);
    size_t n = 0, last = 0;

    if (!rows || !pcs || !lines)
        report_fatal("no memory to print counters");
    for (size_t i = 0; i < table->room; i++)
        if (counts(&table->slot[i])) {
            pcs[n] = place_of(&table->slot[i]);
            rows[n++].sum = table->slot[i];
        }
    symbol_lines(pcs, n, lines);
    for (size_t i = 0; i < n; i++)
        rows[i].place = lines[i];
    qsort(rows, n, sizeof *rows, by_place);
    for (size_t i = 1; i < n; i++)
        if (by_place(&rows[last], &rows[i]) == 0)
            add(&rows[last].sum, &rows[i].sum);
        else
            rows[++last] = rows[i];
    free(pcs);
    free(lines);
    *count = n ? last + 1 : 0;
    return rows;
}

/* ---- csv ---- */

static const char *size_text(dim3 size, char text[40])
{
    if (size.z > 1)
        snprintf(text, 40, "%ux%ux%u", size.x, size.y, size.z);
    else if (size.y > 1)
        snprintf(text, 40, "%ux%u", size.x, size.y);
    else
        snprintf(text, 40, "%u", size.x);
    return text;
}

static void print_csv(FILE *file, const struct counted_launch *launches, size_t count,
                      const char *step)
{
    char grid[40], block[40];
    size_t rows;

    fprintf(file, "step,launch,grid,block,file,line,space,op,requests,lanes,sectors,wavefronts,"
                  "bank_conflicts\n");
    for (size_t i = 0; i < count; i++) {
        struct row *row = rows_of(&launches[i].table, &rows);
        for (size_t r = 0; r < rows; r++) {
            const struct counter *c = &row[r].sum;
            fprintf(file, "%s,%zu,%s,%s,%s,%d,%s,%s,%llu,%llu,", step, i + 1,
                    size_text(launches[i].grid, grid), size_text(launches[i].block, block),
                    row[r].place.file, row[r].place.line, count_space_names[c->space],
                    count_operation_names[c->kind], (unsigned long long)c->requests,
                    (unsigned long long)c->lanes);
            if (c->space == SPACE_GLOBAL)
                fprintf(file, "%llu", (unsigned long long)c->sectors);
            if (c->space == SPACE_SHARED)
                fprintf(file, ",%llu,%llu\n", (unsigned long long)c->wavefronts,
                        (unsigned long long)(c->wavefronts - c->fewest_wavefronts));
            else
                fprintf(file, ",,\n");
        }
        free(row);
    }
}

/* ---- table ---- */

/* A launch's counters added up by space and operation. */
struct totals {
    struct counter of[SPACE_NONE][EVENT_KINDS];
};

static void add_totals(struct totals *totals, const struct count_table *table)
{
    for (size_t i = 0; i < table->room; i++) {
        const struct counter *c = &table->slot[i];
        if (counts(c))
            add(&totals->of[c->space][c->kind], c);
    }
}

static struct counter accesses(const struct totals *t, enum count_space space)
{
    struct counter sum = t->of[space][EVENT_LOAD];
    add(&sum, &t->of[space][EVENT_STORE]);
    add(&sum, &t->of[space][EVENT_ATOMIC]);
    return sum;
}

enum figure {
    REQUESTS,
    SECTORS,
    WAVEFRONTS,
    CONFLICTS,
    SECTORS_PER_REQUEST,
    LANES_PER_REQUEST,
    EFFICIENCY
};

/* The table's lines. kind EVENT_KINDS: all accesses of the space together. */
static const struct line {
    const char *label;
    enum count_space space;
    enum event_kind kind;
    enum figure figure;
} table_lines[] = {
    {"global load requests", SPACE_GLOBAL, EVENT_LOAD, REQUESTS},
    {"            sectors", SPACE_GLOBAL, EVENT_LOAD, SECTORS},
    {"            sectors/request", SPACE_GLOBAL, EVENT_LOAD, SECTORS_PER_REQUEST},
    {"       store requests", SPACE_GLOBAL, EVENT_STORE, REQUESTS},
    {"             sectors", SPACE_GLOBAL, EVENT_STORE, SECTORS},
    {"       atomic requests", SPACE_GLOBAL, EVENT_ATOMIC, REQUESTS},
    {"       lanes/request", SPACE_GLOBAL, EVENT_KINDS, LANES_PER_REQUEST},
    {"shared load requests", SPACE_SHARED, EVENT_LOAD, REQUESTS},
    {"            wavefronts", SPACE_SHARED, EVENT_LOAD, WAVEFRONTS},
    {"            bank conflicts", SPACE_SHARED, EVENT_LOAD, CONFLICTS},
    {"       store requests", SPACE_SHARED, EVENT_STORE, REQUESTS},
    {"             wavefronts", SPACE_SHARED, EVENT_STORE, WAVEFRONTS},
    {"             bank conflicts", SPACE_SHARED, EVENT_STORE, CONFLICTS},
    {"       atomic requests", SPACE_SHARED, EVENT_ATOMIC, REQUESTS},
    {"       lanes/request", SPACE_SHARED, EVENT_KINDS, LANES_PER_REQUEST},
    {"warps at __syncthreads", SPACE_SYNC, EVENT_SYNCTHREADS, REQUESTS},
    {"         __syncwarp", SPACE_SYNC, EVENT_SYNCWARP, REQUESTS},
    {"         shuffles", SPACE_SYNC, EVENT_SHUFFLE, REQUESTS},
    {"         votes", SPACE_SYNC, EVENT_VOTE, REQUESTS},
    {"         reductions", SPACE_SYNC, EVENT_REDUCE, REQUESTS},
    {"branch efficiency, %", SPACE_CONTROL, EVENT_BRANCH, EFFICIENCY},
};

static struct counter counter_of(const struct line *line, const struct totals *totals)
{
    return line->kind == EVENT_KINDS ? accesses(totals, line->space)
                                     : totals->of[line->space][line->kind];
}

static void print_figure(FILE *file, enum figure figure, const struct counter *c)
{
    double requests = (double)c->requests;

    if (c->requests == 0)
        fprintf(file, " %11s", "-");
    else if (figure == REQUESTS)
        fprintf(file, " %11llu", (unsigned long long)c->requests);
    else if (figure == SECTORS)
        fprintf(file, " %11llu", (unsigned long long)c->sectors);
    else if (figure == WAVEFRONTS)
        fprintf(file, " %11llu", (unsigned long long)c->wavefronts);
    else if (figure == CONFLICTS)
        fprintf(file, " %11llu", (unsigned long long)(c->wavefronts - c->fewest_wavefronts));
    else if (figure == SECTORS_PER_REQUEST)
        fprintf(file, " %11.2f", (double)c->sectors / requests);
    else if (figure == LANES_PER_REQUEST)
        fprintf(file, " %11.2f", (double)c->lanes / requests);
    else
        fprintf(file, " %11.2f", 100 * (double)c->lanes / requests);
}

/* Operations that a program never uses need no line, but those of the ladder always have one. */
static bool worth_a_line(const struct line *line, const struct totals *all)
{
    bool rare =
        line->kind == EVENT_ATOMIC || line->kind == EVENT_VOTE || line->kind == EVENT_REDUCE;
    return !rare || counter_of(line, all).requests != 0;
}

/* Columns: the first launches, and all together when there are several. */
enum { MOST_COLUMNS = 3 };

static void print_table(FILE *file, const struct counted_launch *launches, size_t count)
{
    struct totals totals[MOST_COLUMNS + 1] = {0};
    size_t shown = count < MOST_COLUMNS ? count : MOST_COLUMNS, columns = shown + (count > 1);
    char text[100], grid[40], block[40];

    for (size_t i = 0; i < count; i++) {
        if (i < shown)
            add_totals(&totals[i], &launches[i].table);
        if (count > 1)
            add_totals(&totals[shown], &launches[i].table);
    }
    snprintf(text, sizeof text, "counters, %zu launch%s", count, count == 1 ? "" : "es");
    fprintf(file, "%-27s", text);
    for (size_t i = 0; i < shown; i++)
        fprintf(file, "    launch %zu", i + 1);
    if (count > 1)
        fprintf(file, " %11s", "all");
    fprintf(file, "\n%-27s", "blocks x threads");
    for (size_t i = 0; i < shown; i++) {
        size_text(launches[i].grid, grid);
        size_text(launches[i].block, block);
        bool wide = strlen(grid) + strlen(block) > 8 && !strchr(grid, 'x') && !strchr(block, 'x');
        snprintf(text, sizeof text, wide ? "%sx%s" : "%s x %s", grid, block);
        fprintf(file, " %11s", text);
    }
    fprintf(file, "\n");
    for (size_t l = 0; l < sizeof table_lines / sizeof *table_lines; l++) {
        if (!worth_a_line(&table_lines[l], &totals[columns - 1]))
            continue;
        fprintf(file, "%-27s", table_lines[l].label);
        for (size_t i = 0; i < columns; i++) {
            struct counter c = counter_of(&table_lines[l], &totals[i]);
            print_figure(file, table_lines[l].figure, &c);
        }
        fprintf(file, "\n");
    }
}

/* ---- annotated source ---- */

struct source {
    char **line; /* line[1 … count] */
    int count;
};

static struct source read_source(const char *name)
{
    struct source source = {0};
    FILE *file = fopen(name, "r");
    char *text = NULL;
    size_t room = 0;

    while (file && getline(&text, &room, file) >= 0) {
        char **larger = realloc(source.line, ((size_t)source.count + 2) * sizeof *larger);
        if (!larger)
            report_fatal("no memory for the source of %s", name);
        source.line = larger;
        text[strcspn(text, "\n")] = '\0';
        source.line[++source.count] = strdup(text);
    }
    free(text);
    if (file)
        fclose(file);
    return source;
}

static void free_source(struct source *source)
{
    for (int i = 1; i <= source->count; i++)
        free(source->line[i]);
    free(source->line);
}

/* The part of a file to show: from the line of the kernel's (or device function's) head before the
 * first counted line to the closing brace behind the last. */
static void widen_range(const struct source *source, int *first, int *last)
{
    while (*first > 1 && !strstr(source->line[*first], "__global__") &&
           !strstr(source->line[*first], "__device__"))
        --*first;
    while (*last < source->count && source->line[*last][0] != '}')
        ++*last;
}

/* The figures of one operation, FIGURES characters wide. */
enum { FIGURES = 35 };

static const char *figures_text(const struct counter *c, char text[80])
{
    char name[32], lanes[16], cost[16] = "";
    double requests = (double)c->requests;
    bool memory = c->space <= SPACE_SHARED;

    snprintf(name, sizeof name, "%s%s%s", memory ? count_space_names[c->space] : "",
             memory ? " " : "", count_operation_names[c->kind]);
    if (c->space == SPACE_CONTROL)
        snprintf(lanes, sizeof lanes, "%.1f%%", 100 * (double)c->lanes / requests);
    else
        snprintf(lanes, sizeof lanes, "%.2f", (double)c->lanes / requests);
    if (c->space == SPACE_GLOBAL)
        snprintf(cost, sizeof cost, "%.2fs", (double)c->sectors / requests);
    else if (c->space == SPACE_SHARED)
        snprintf(cost, sizeof cost, "%.2fw", (double)c->wavefronts / requests);
    snprintf(text, 80, "%-13s%8llu%7s%7s", name, (unsigned long long)c->requests, lanes, cost);
    return text;
}

/* On a terminal lines are cut where it ends, so that the columns stay columns. */
static int source_width(FILE *file)
{
    struct winsize size;

    if (!isatty(fileno(file)) || ioctl(fileno(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 1000;
    return size.ws_col > FIGURES + 16 ? size.ws_col - FIGURES - 6 : 10;
}

static void print_annotated_line(FILE *file, const struct source *source, int number,
                                 const struct row *rows, size_t count)
{
    char text[80];
    int width = source_width(file);
    bool first = true;

    for (size_t i = 0; i < count; i++) {
        if (rows[i].place.line != number)
            continue;
        fprintf(file, "%-*s", FIGURES, figures_text(&rows[i].sum, text));
        if (first)
            fprintf(file, " |%3d %.*s\n", number, width, source->line[number]);
        else
            fprintf(file, " |\n");
        first = false;
    }
    if (first)
        fprintf(file, "%*s |%3d %.*s\n", FIGURES, "", number, width, source->line[number]);
}

static void print_annotated(FILE *file, const struct counted_launch *launches, size_t count)
{
    struct count_table all = {0};
    size_t rows, end;

    for (size_t i = 0; i < count; i++)
        count_add(&all, &launches[i].table);
    struct row *row = rows_of(&all, &rows);
    for (size_t begin = 0; begin < rows; begin = end) {
        const char *name = row[begin].place.file;
        struct source source = read_source(name);
        for (end = begin; end < rows && strcmp(row[end].place.file, name) == 0;)
            end++;
        int first = row[begin].place.line, last = row[end - 1].place.line;
        if (source.count < last) {
            fprintf(file, "%s: cannot be read\n", name);
            free_source(&source);
            continue;
        }
        widen_range(&source, &first, &last);
        fprintf(file, "%s, launches: %zu\n", name, count);
        fprintf(file, "lanes, s(ectors), w(avefronts): per request; branches: %% taken alike\n");
        fprintf(file, "%-13s%8s%7s%7s |\n", "operation", "requests", "lanes", "cost");
        for (int i = first > 0 ? first : 1; i <= last; i++)
            print_annotated_line(file, &source, i, row + begin, end - begin);
        free_source(&source);
    }
    free(row);
    count_free(&all);
}

void simt_print_counters(FILE *file, enum simt_style style, const char *step)
{
    size_t count;
    const struct counted_launch *launches = counted_launches(&count);

    if (style == SIMT_CSV)
        print_csv(file, launches, count, step);
    else if (style == SIMT_ANNOTATE)
        print_annotated(file, launches, count);
    else
        print_table(file, launches, count);
}

void simt_set_counters(int on)
{
    observe_settings()->counters = on;
}
