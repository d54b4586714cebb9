/* Reads task.txt line by line; a line that begins with a blank continues the one before. */
#define _GNU_SOURCE
#include "task_file.h"
#include "../task.h"
#include "counters.h"
#include "expression.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where we are, for messages, and at what: kind is of the line, level is what an expression may
 * name. */
struct reader {
    struct task_file *file;
    const char *path;
    int line, kind;
    enum level { SIZES, COUNTERS, ANY } level;
};

/* Ends the program; culprit may be NULL. */
static _Noreturn void fail(const struct reader *r, const char *what, const char *culprit)
{
    text_fail(text_of("%s:%d", r->path, r->line),
              culprit ? text_of("%s: %s", what, culprit) : what);
}

/* The next word of *rest, ended by a 0; "" at its end. */
static char *word(char **rest)
{
    char *begin = *rest + strspn(*rest, " ");

    *rest = begin + strcspn(begin, " ");
    if (**rest)
        *(*rest)++ = '\0';
    return begin;
}

/* Cuts text at the sign; what is behind it, NULL: there is none. */
static char *cut(char *text, const char *sign)
{
    char *at = text ? strstr(text, sign) : NULL;

    if (!at)
        return NULL;
    *at = '\0';
    return at + strlen(sign);
}

static void take_name(const struct reader *r, char **rest, char name[WIRE_NAME])
{
    const char *text = word(rest);

    if (!*text || strlen(text) >= WIRE_NAME)
        fail(r, "a name of 1 to 31 letters expected", text);
    strcpy(name, text);
}

static long take_number(const struct reader *r, char **rest)
{
    const char *text = word(rest);
    char *end;
    long number = strtol(text, &end, 10);

    if (!*text || *end || number < 1 || number > 1L << 24)
        fail(r, "a number from 1 to 2^24 expected", text);
    return number;
}

/* ---- expressions are tried before anything runs ---- */

bool task_file_size(const struct task_file *file, const long *values, unsigned bytes,
                    const char *name, double *value)
{
    if (strcmp(name, "bytes") == 0)
        return *value = bytes, true;
    for (int i = 0; i < file->sizes; i++)
        if (strcmp(file->size[i].name, name) == 0)
            return *value = (double)values[i], true;
    return false;
}

const char *const task_figures[] = {"wrong_got",   "wrong_expected", "wrong_index",
                                    "wrong_count", "wrong_out",      "wrong_type",
                                    "same_line",   "finding_threads"};

static bool try_name(const void *context, const char *name, double *value)
{
    static const long ones[WIRE_MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const struct counters none;
    const struct reader *r = context;

    *value = 0;
    for (int i = 0; i < TASK_FIGURES && r->level == ANY; i++)
        if (strcmp(task_figures[i], name) == 0)
            return true;
    return task_file_size(r->file, ones, 4, name, value) ||
           (r->level >= COUNTERS &&
            (strcmp(name, TASK_UNNAMED) == 0 || counters_get(&none, name, 0, value)));
}

/* Tries an expression; NULL is none. */
static void try(struct reader *r, enum level level, const char *text)
{
    const char *error = NULL;

    r->level = level;
    if (text)
        expression_value(text, try_name, r, &error);
    if (error)
        fail(r, error, text);
}

/* ---- one line each ---- */

static void read_title(struct reader *r, char *rest)
{
    r->file->title = rest;
}

static void read_hunt(struct reader *r, char *rest)
{
    if (*rest)
        fail(r, "want: hunt", rest);
    r->file->hunt = true;
}

static void read_types(struct reader *r, char *rest)
{
    struct task_file *f = r->file;
    const char *type = word(&rest);

    do {
        if (strcmp(type, "int") != 0 && strcmp(type, "float") != 0 && strcmp(type, "double") != 0)
            fail(r, "types: want int, float, double", type);
        if (f->types == MOST_TYPES)
            fail(r, "types: each once", type);
        strcpy(f->type[f->types++], type);
    } while (*(type = word(&rest)));
}

static int runs_of(const struct task_size *s)
{
    return s->values + (int)(s->draw[0].count + s->draw[1].count);
}

int task_file_runs(const struct task_file *file)
{
    return runs_of(&file->size[0]);
}

static void read_size(struct reader *r, char *rest)
{
    struct task_size *s = &r->file->size[r->file->sizes];
    const struct task_size *first = r->file->size;

    if (r->file->sizes++ == WIRE_MOST)
        fail(r, "too many sizes", NULL);
    take_name(r, &rest, s->name);
    for (; *(rest += strspn(rest, " ")) && strncmp(rest, "draw ", 5) != 0; s->values++) {
        if (s->values == MOST_VALUES)
            fail(r, "too many values", NULL);
        s->value[s->values] = take_number(r, &rest);
    }
    for (int i = 0; i < MOST_DRAWS && strcmp(word(&rest), "draw") == 0; i++) {
        s->draw[i].count = take_number(r, &rest);
        s->draw[i].low = take_number(r, &rest);
        s->draw[i].high = take_number(r, &rest);
        if (s->draw[i].low > s->draw[i].high)
            fail(r, "want: draw HOW-MANY LOW HIGH", NULL);
    }
    if (*rest || runs_of(s) > MOST_VALUES)
        fail(r, "want: draw HOW-MANY LOW HIGH, twice at most, and 32 values in all", NULL);
    if (s->values != first->values || runs_of(s) != runs_of(first) || runs_of(s) == 0)
        fail(r, "all sizes need the same number of values and draws", s->name);
}

static void read_array(struct reader *r, char *rest)
{
    struct task_array *a = &r->file->array[r->file->arrays];

    if (r->file->arrays++ == WIRE_MOST)
        fail(r, "too many arrays", NULL);
    take_name(r, &rest, a->name);
    const char *type = word(&rest);
    a->is_int = strcmp(type, "int") == 0;
    if (!a->is_int && strcmp(type, "elem") != 0)
        fail(r, "the type of an array: want elem or int", type);
    a->role = r->kind;
    a->count = rest;
    a->within = cut(rest, " within ");
    try(r, SIZES, a->count);
    try(r, SIZES, a->within);
}

static void read_budget(struct reader *r, char *rest)
{
    struct task_budget *b = &r->file->budget[r->file->budgets];

    if (r->file->budgets++ == MOST_BUDGETS)
        fail(r, "too many budgets", NULL);
    take_name(r, &rest, b->name);
    b->keep = r->kind;
    b->figure = rest;
    b->condition = cut(rest, " if ");
    b->limit = cut(rest, "<=");
    b->least = cut(b->condition, ">=");
    if (!b->limit || (b->condition && !b->least))
        fail(r, "want: NAME FIGURE <= LIMIT [if FIGURE >= LEAST]", NULL);
    try(r, COUNTERS, b->figure);
    try(r, COUNTERS, b->limit);
    try(r, COUNTERS, b->condition);
    try(r, COUNTERS, b->least);
}

static void read_means(struct reader *r, char *rest)
{
    const char *name = word(&rest);
    int i = 0;

    while (i < r->file->budgets && strcmp(r->file->budget[i].name, name) != 0)
        i++;
    if (i == r->file->budgets)
        fail(r, "means: no budget before it is called so", name);
    r->file->budget[i].means = rest;
}

static void read_hint(struct reader *r, char *rest)
{
    struct task_hint *h = &r->file->hint[r->file->hints];

    if (r->file->hints++ == MOST_HINTS)
        fail(r, "too many hints", NULL);
    h->when = word(&rest);
    h->text = rest + strspn(rest, " ");
    if (!*h->text)
        fail(r, "want: hint REASON TEXT", NULL);
    if (strncmp(h->text, "if ", 3) != 0)
        return;
    h->condition = h->text + 3;
    h->text = cut(h->condition, ": ");
    h->least = cut(h->condition, ">=");
    if (!h->text || !*h->text || !h->least)
        fail(r, "want: hint REASON if FIGURE >= LEAST: TEXT", NULL);
    try(r, ANY, h->condition);
    try(r, ANY, h->least);
}

static void read_prediction(struct reader *r, char *rest)
{
    struct task_prediction *p = &r->file->prediction;

    p->words = rest;
    p->figure = cut(rest, " = ");
    if (!p->figure)
        fail(r, "want: predict WORDS = FIGURE", NULL);
    try(r, COUNTERS, p->figure);
}

static void read_line(struct reader *r, char *rest)
{
    static const struct {
        const char *word;
        void (*read)(struct reader *r, char *rest);
        int kind;
    } entries[] = {{"title", read_title, 0},        {"types", read_types, 0},
                   {"size", read_size, 0},          {"in", read_array, TASK_IN},
                   {"out", read_array, TASK_OUT},   {"work", read_array, TASK_WORK},
                   {"budget", read_budget, false},  {"keep", read_budget, true},
                   {"means", read_means, 0},        {"hint", read_hint, 0},
                   {"predict", read_prediction, 0}, {"hunt", read_hunt, 0}};
    enum { ENTRIES = sizeof entries / sizeof *entries };
    const char *what = word(&rest);
    int i = 0;

    while (i < ENTRIES && strcmp(entries[i].word, what) != 0)
        i++;
    if (i == ENTRIES)
        fail(r,
             "want title, types, size, in, out, work, budget, keep, means, hint, predict or hunt",
             what);
    r->kind = entries[i].kind;
    entries[i].read(r, rest + strspn(rest, " "));
}

/* ---- the file ---- */

/* Joins a line with those that continue it, in place: each break becomes a blank. Returns where the
 * next one begins, and how many lines these were. */
static char *join(char *line, int *lines)
{
    char *end = line + strcspn(line, "\n");

    for (*lines = 1; *end == '\n' && end[1] == ' '; ++*lines) {
        size_t blanks = strspn(end + 1, " ");
        *end = ' ';
        memmove(end + 1, end + 1 + blanks, strlen(end + 1 + blanks) + 1);
        end += strcspn(end, "\n");
    }
    if (!*end)
        return end;
    *end = '\0';
    return end + 1;
}

void task_file_read(const char *path, struct task_file *file)
{
    struct reader r = {.file = file, .path = path, .line = 1};
    char *text;
    int lines;

    *file = (struct task_file){0};
    if ((text = text_file(path, NULL)) == NULL)
        text_fail(path, strerror(errno));
    for (char *line = text, *next; *line; line = next, r.line += lines) {
        next = join(line, &lines);
        if (*line && *line != '#')
            read_line(&r, line);
    }
    if (!file->title || file->types == 0 || file->sizes == 0 || file->arrays == 0)
        fail(&r, "ends; want title, types, size, in and out", NULL);
    for (int i = 0; i < file->budgets; i++)
        if (!file->budget[i].means)
            fail(&r, "ends; want a line 'means' for the budget", file->budget[i].name);
}

bool task_hint_is_for(const struct task_hint *hint, const char *reason)
{
    size_t length = strlen(reason);

    for (const char *at = strstr(hint->when, reason); at; at = strstr(at + 1, reason))
        if ((at == hint->when || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}
