/*
 * make counters: what one reduction costs on the CPU backend, all launches of a program together.
 *
 *     counters FILE.csv       what the programs printed with --counters=csv, one after the other
 *
 * The steps stand side by side, as many as 80 columns take, and below them the detours, a line
 * each; where STEPS chose the programs, all of them stand side by side. make/figures.csv says which
 * figures there are. A file that is not as it should be is one line on stderr, status 2.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 16, FIGURES = 32, PROGRAMS = 256, COLUMNS = 80, HEAD = 23, CELL = 6 };

struct table {
    const char *path;
    FILE *file;
    int line;
    char *text; /* of the line that was read last, in which the fields lie */
    size_t room;
    char *field[FIELDS];
    int count;
    char column[FIELDS][24]; /* the names in the first line */
    int columns;
};

struct figure {
    char name[32], column[24], per[24], places[64], beside[32], below[32];
    double times;
};

struct program {
    char name[64];
    double sum[FIGURES], divisor[FIGURES];
};

static struct figure figures[FIGURES];
static int figure_count;
static struct program programs[PROGRAMS];
static int program_count;

static void die(const struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "make counters: %s:%d: ", table->path, table->line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(2);
}

/* ---- CSV ---- */

/* Splits the line into fields, at its place; a field may be "quoted", with "" for a quote in it. */
static void split(struct table *table)
{
    char *from = table->text;
    table->count = 0;
    do {
        if (table->count == FIELDS)
            die(table, "more than %d columns", FIELDS);
        bool quoted = *from == '"';
        char *to = from += quoted;
        table->field[table->count++] = to;
        while (quoted ? *from != '"' || *++from == '"' : *from && *from != ',') {
            if (!*from)
                die(table, "a quote is open at the end of the line");
            *to++ = *from++;
        }
        if (*from && *from != ',')
            die(table, "text behind a quote");
        bool last = !*from++;
        *to = 0;
        if (last)
            return;
    } while (true);
}

/* Reads the next line that is no comment; false at the end. */
static bool next_row(struct table *table)
{
    ssize_t length;
    do {
        length = getline(&table->text, &table->room, table->file);
        table->line++;
        if (length < 0)
            return false;
    } while (table->text[0] == '#');
    table->text[strcspn(table->text, "\r\n")] = 0;
    split(table);
    if (table->columns && table->count != table->columns)
        die(table, "%d fields, not the %d of the first line", table->count, table->columns);
    return true;
}

static struct table open_table(const char *path)
{
    struct table table = {.path = path, .file = fopen(path, "r")};
    if (!table.file || !next_row(&table))
        die(&table, "cannot be read, or is empty");
    table.columns = table.count;
    for (int i = 0; i < table.count; i++)
        snprintf(table.column[i], sizeof table.column[i], "%s", table.field[i]);
    return table;
}

static const char *text_of(const struct table *table, const char *column)
{
    for (int i = 0; i < table->columns; i++)
        if (strcmp(table->column[i], column) == 0)
            return table->field[i];
    die(table, "no column '%s'", column);
    return NULL;
}

/* An empty field counts as 0: of a barrier there are no sectors. */
static double number_of(const struct table *table, const char *column)
{
    const char *text = text_of(table, column);
    if (strlen(text) != strspn(text, "0123456789") || strlen(text) > 18)
        die(table, "%s: '%s' is no count", column, text);
    return strtod(text, NULL);
}

/* ---- figures ---- */

static void read_figures(void)
{
    struct table table = open_table("make/figures.csv");
    while (next_row(&table)) {
        if (figure_count == FIGURES)
            die(&table, "more than %d figures", FIGURES);
        struct figure *figure = &figures[figure_count++];
        snprintf(figure->name, sizeof figure->name, "%s", text_of(&table, "figure"));
        snprintf(figure->column, sizeof figure->column, "%s", text_of(&table, "column"));
        snprintf(figure->per, sizeof figure->per, "%s", text_of(&table, "per"));
        snprintf(figure->places, sizeof figure->places, "%s", text_of(&table, "places"));
        snprintf(figure->beside, sizeof figure->beside, "%s", text_of(&table, "beside"));
        snprintf(figure->below, sizeof figure->below, "%s", text_of(&table, "below"));
        figure->times = *figure->per ? number_of(&table, "times") : 1;
    }
    fclose(table.file);
}

/* Whether a row of this space and operation counts for a figure. */
static bool counts_for(const struct figure *figure, const char *space, const char *operation)
{
    char places[sizeof figure->places], both[64];
    snprintf(both, sizeof both, "%s %s", space, operation);
    strcpy(places, figure->places);
    for (char *place = strtok(places, "+"); place; place = strtok(NULL, "+"))
        if (strcmp(place, space) == 0 || strcmp(place, both) == 0)
            return true;
    return false;
}

static void add_row(const struct table *table, struct program *program)
{
    const char *space = text_of(table, "space"), *operation = text_of(table, "op");
    for (int i = 0; i < figure_count; i++) {
        const struct figure *figure = &figures[i];
        double value = number_of(table, figure->column);
        if (!*figure->places)
            program->sum[i] = value > program->sum[i] ? value : program->sum[i];
        if (!counts_for(figure, space, operation))
            continue;
        program->sum[i] += value;
        if (*figure->per)
            program->divisor[i] += number_of(table, figure->per);
    }
}

/* A step's number; of a detour the folder of its main.cu. */
static struct program *program_of(const struct table *table)
{
    char name[sizeof programs->name];
    const char *step = text_of(table, "step"), *file = text_of(table, "file");
    const char *end = strrchr(file, '/');
    if (*step || !end) {
        snprintf(name, sizeof name, "%s", *step ? step : file);
    } else {
        const char *start = end;
        while (start > file && start[-1] != '/')
            start--;
        snprintf(name, sizeof name, "%.*s", (int)(end - start), start);
    }
    for (int i = 0; i < program_count; i++)
        if (strcmp(programs[i].name, name) == 0)
            return &programs[i];
    if (program_count == PROGRAMS)
        die(table, "more than %d programs", PROGRAMS);
    strcpy(programs[program_count].name, name);
    return &programs[program_count++];
}

static void read_counters(const char *path)
{
    struct table table = open_table(path);
    while (next_row(&table))
        add_row(&table, program_of(&table));
    if (!program_count)
        die(&table, "no row: nothing was counted");
    fclose(table.file);
}

/* ---- the tables ---- */

/* A count in at most seven characters, a ratio with one decimal, or - where there is nothing. */
static void print_cell(const struct program *program, int i, int width)
{
    char text[32] = "-";
    if (!*figures[i].per && program->sum[i] < 1e6)
        snprintf(text, sizeof text, "%.0f", program->sum[i]);
    else if (!*figures[i].per)
        snprintf(text, sizeof text, "%.2fM", program->sum[i] / 1e6);
    else if (program->divisor[i])
        snprintf(text, sizeof text, "%.1f",
                 figures[i].times * program->sum[i] / program->divisor[i]);
    printf(" %*s", width, text);
}

static void print_beside(struct program *const *some, int count, int width)
{
    printf("%-*s", HEAD, "step");
    for (int p = 0; p < count; p++)
        printf(" %*s", width, some[p]->name);
    putchar('\n');
    for (int i = 0; i < figure_count; i++) {
        if (!*figures[i].beside)
            continue;
        printf("%-*s", HEAD, figures[i].beside);
        for (int p = 0; p < count; p++)
            print_cell(some[p], i, width);
        putchar('\n');
    }
}

static void print_below(struct program *const *some, int count)
{
    for (int word = 0; word < 2; word++) { /* heads of two lines */
        printf("%-*s", HEAD, word ? "detour" : "");
        for (int i = 0; i < figure_count; i++) {
            const char *blank = strchr(figures[i].below, ' ');
            if (blank)
                printf(" %*.*s", CELL, word ? CELL : (int)(blank - figures[i].below),
                       word ? blank + 1 : figures[i].below);
        }
        putchar('\n');
    }
    for (int p = 0; p < count; p++) {
        printf("%-*s", HEAD, some[p]->name);
        for (int i = 0; i < figure_count; i++)
            if (*figures[i].below)
                print_cell(some[p], i, CELL);
        putchar('\n');
    }
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fputs("make counters: want one file, of --counters=csv\n", stderr);
        return 2;
    }
    read_figures();
    read_counters(arguments[1]);

    const char *chosen = getenv("STEPS");
    struct program *beside[PROGRAMS], *below[PROGRAMS];
    int n_beside = 0, n_below = 0, width = CELL;
    for (int p = 0; p < program_count; p++) {
        struct program *program = &programs[p];
        if (!(chosen && *chosen) && !isdigit((unsigned char)program->name[0])) {
            below[n_below++] = program;
            continue;
        }
        beside[n_beside++] = program;
        width = (int)strlen(program->name) > width ? (int)strlen(program->name) : width;
    }
    int most = (COLUMNS - HEAD) / (width + 1);
    for (int p = 0; p < n_beside; p += most) {
        if (p)
            putchar('\n');
        print_beside(beside + p, n_beside - p < most ? n_beside - p : most, width);
    }
    if (n_beside && n_below)
        putchar('\n');
    if (n_below)
        print_below(below, n_below);
    if (fflush(stdout) || ferror(stdout)) {
        fputs("make counters: the output cannot be written\n", stderr);
        return 2;
    }
    return 0;
}
