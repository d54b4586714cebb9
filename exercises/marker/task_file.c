/* Reads task.txt line by line; a line that begins with a blank continues the one before. */
#define _GNU_SOURCE
#include "task_file.h"
#include "../task.h"
#include "counters.h"
#include "expression.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where we are, for messages. */
struct reader {
    struct task_file *file;
    const char *path;
    char *error;
    int line;
    bool bad;
};

static bool fail(struct reader *r, const char *what, const char *culprit)
{
    if (!r->bad)
        snprintf(r->error, 400, "%s:%d: %s%s%s", r->path, r->line, what, culprit ? ": " : "",
                 culprit ? culprit : "");
    r->bad = true;
    return false;
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

static bool take_name(struct reader *r, char **rest, char name[WIRE_NAME])
{
    const char *text = word(rest);

    if (!*text || strlen(text) >= WIRE_NAME)
        return fail(r, "a name of 1 to 31 letters expected", text);
    strcpy(name, text);
    return true;
}

/* ---- expressions are tried before anything runs ---- */

bool task_file_size(const struct task_file *file, const long *values, unsigned bytes,
                    const char *name, size_t length, double *value)
{
    if (length == 5 && strncmp(name, "bytes", 5) == 0)
        return *value = bytes, true;
    for (int i = 0; i < file->sizes; i++)
        if (strlen(file->size[i].name) == length && strncmp(file->size[i].name, name, length) == 0)
            return *value = (double)values[i], true;
    return false;
}

static bool try_size(const void *context, const char *name, size_t length, double *value)
{
    static const long ones[WIRE_MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

    return task_file_size(context, ones, 4, name, length, value);
}

const char *const task_figures[] = {"wrong_got",   "wrong_expected", "wrong_index",
                                    "wrong_count", "wrong_out",      "wrong_type",
                                    "same_line",   "finding_threads"};

static bool try_figure(const void *context, const char *name, size_t length, double *value)
{
    const struct counters none = {NULL, 0};

    return (task_is_unnamed(name, length) && (*value = 0, true)) ||
           try_size(context, name, length, value) || counters_get(&none, name, length, 0, value);
}

static bool try_any(const void *context, const char *name, size_t length, double *value)
{
    for (int i = 0; i < TASK_FIGURES; i++)
        if (strlen(task_figures[i]) == length && strncmp(task_figures[i], name, length) == 0)
            return *value = 0, true;
    return try_figure(context, name, length, value);
}

static bool check_expression(struct reader *r, const char *text, figure_fn *figure)
{
    const char *error;

    expression_value(text, figure, r->file, &error);
    return error ? fail(r, error, text) : true;
}

/* ---- one line each ---- */

static bool read_types(struct reader *r, char *rest)
{
    struct task_file *f = r->file;
    const char *type;

    while (*(type = word(&rest))) {
        if (strcmp(type, "int") != 0 && strcmp(type, "float") != 0 && strcmp(type, "double") != 0)
            return fail(r, "types: want int, float, double", type);
        if (f->types == MOST_TYPES)
            return fail(r, "types: each once", type);
        strcpy(f->type[f->types++], type);
    }
    return f->types > 0 || fail(r, "types: want int, float, double", NULL);
}

static bool read_number(struct reader *r, char **rest, long *number)
{
    const char *text = word(rest);
    char *end;

    *number = strtol(text, &end, 10);
    return (*text && !*end && *number >= 1 && *number <= 1L << 24) ||
           fail(r, "a number from 1 to 2^24 expected", text);
}

static int runs_of(const struct task_size *s)
{
    return s->values + (int)(s->draw[0].count + s->draw[1].count);
}

int task_file_runs(const struct task_file *file)
{
    return runs_of(&file->size[0]);
}

static bool read_size(struct reader *r, char *rest)
{
    struct task_size *s = &r->file->size[r->file->sizes];
    const struct task_size *first = r->file->size;
    int draws = 0;

    if (r->file->sizes == WIRE_MOST)
        return fail(r, "too many sizes", NULL);
    if (!take_name(r, &rest, s->name))
        return false;
    for (; *(rest += strspn(rest, " ")) && strncmp(rest, "draw ", 5) != 0; s->values++)
        if (s->values == MOST_VALUES || !read_number(r, &rest, &s->value[s->values]))
            return fail(r, "too many values", NULL);
    for (; strcmp(word(&rest), "draw") == 0 && draws < MOST_DRAWS; draws++)
        if (!read_number(r, &rest, &s->draw[draws].count) ||
            !read_number(r, &rest, &s->draw[draws].low) ||
            !read_number(r, &rest, &s->draw[draws].high))
            return false;
    for (int i = 0; i < draws; i++)
        if (s->draw[i].low > s->draw[i].high)
            return fail(r, "want: draw HOW-MANY LOW HIGH", NULL);
    if (*rest || runs_of(s) > MOST_VALUES)
        return fail(r, "want: draw HOW-MANY LOW HIGH, twice at most, and 32 values in all", NULL);
    r->file->sizes++;
    return (s->values == first->values && runs_of(s) == runs_of(first) && runs_of(s) > 0) ||
           fail(r, "all sizes need the same number of values and draws", s->name);
}

static bool read_array(struct reader *r, int role, char *rest)
{
    struct task_array *a = &r->file->array[r->file->arrays];

    if (r->file->arrays == WIRE_MOST)
        return fail(r, "too many arrays", NULL);
    if (!take_name(r, &rest, a->name))
        return false;
    const char *type = word(&rest);
    a->is_int = strcmp(type, "int") == 0;
    if (!a->is_int && strcmp(type, "elem") != 0)
        return fail(r, "the type of an array: want elem or int", type);
    a->role = role;
    a->count = rest;
    if ((a->within = strstr(rest, " within ")) != NULL) {
        *a->within = '\0';
        a->within += strlen(" within ");
    }
    r->file->arrays++;
    return check_expression(r, a->count, try_size) &&
           (!a->within || check_expression(r, a->within, try_size));
}

/* Cuts text at the sign; what is behind it, NULL: there is none. */
static char *cut(char *text, const char *sign)
{
    char *at = strstr(text, sign);

    if (!at)
        return NULL;
    *at = '\0';
    return at + strlen(sign);
}

static bool read_budget(struct reader *r, bool keep, char *rest)
{
    struct task_budget *b = &r->file->budget[r->file->budgets];

    if (r->file->budgets == MOST_BUDGETS)
        return fail(r, "too many budgets", NULL);
    if (!take_name(r, &rest, b->name))
        return false;
    b->keep = keep;
    b->figure = rest;
    b->condition = cut(rest, " if ");
    b->limit = cut(rest, "<=");
    b->least = b->condition ? cut(b->condition, ">=") : NULL;
    if (!b->limit || (b->condition && !b->least))
        return fail(r, "want: NAME FIGURE <= LIMIT [if FIGURE >= LEAST]", NULL);
    r->file->budgets++;
    return check_expression(r, b->figure, try_figure) &&
           check_expression(r, b->limit, try_figure) &&
           (!b->condition || (check_expression(r, b->condition, try_figure) &&
                              check_expression(r, b->least, try_figure)));
}

static bool read_means(struct reader *r, char *rest)
{
    const char *name = word(&rest);

    for (int i = 0; i < r->file->budgets; i++)
        if (strcmp(r->file->budget[i].name, name) == 0) {
            r->file->budget[i].means = rest;
            return true;
        }
    return fail(r, "means: no budget before it is called so", name);
}

static bool read_hint(struct reader *r, char *rest)
{
    struct task_hint *h = &r->file->hint[r->file->hints];

    if (r->file->hints == MOST_HINTS)
        return fail(r, "too many hints", NULL);
    h->when = word(&rest);
    h->text = rest + strspn(rest, " ");
    if (strncmp(h->text, "if ", 3) == 0) {
        h->condition = h->text + 3;
        h->text = cut(h->condition, ": ");
        h->least = cut(h->condition, ">=");
        if (!h->text || !h->least)
            return fail(r, "want: hint REASON if FIGURE >= LEAST: TEXT", NULL);
    }
    r->file->hints++;
    return (*h->text || fail(r, "want: hint REASON TEXT", NULL)) &&
           (!h->condition ||
            (check_expression(r, h->condition, try_any) && check_expression(r, h->least, try_any)));
}

static bool read_prediction(struct reader *r, char *rest)
{
    struct task_prediction *p = &r->file->prediction;

    p->words = rest + strspn(rest, " ");
    p->figure = cut(p->words, " = ");
    return (p->figure || fail(r, "want: predict WORDS = FIGURE", NULL)) &&
           check_expression(r, p->figure, try_figure);
}

static bool read_line(struct reader *r, char *text)
{
    char *rest = text, *what = word(&rest);

    rest += strspn(rest, " ");
    if (strcmp(what, "title") == 0)
        return r->file->title = rest, true;
    if (strcmp(what, "types") == 0)
        return read_types(r, rest);
    if (strcmp(what, "size") == 0)
        return read_size(r, rest);
    if (strcmp(what, "in") == 0)
        return read_array(r, TASK_IN, rest);
    if (strcmp(what, "out") == 0)
        return read_array(r, TASK_OUT, rest);
    if (strcmp(what, "work") == 0)
        return read_array(r, TASK_WORK, rest);
    if (strcmp(what, "budget") == 0)
        return read_budget(r, false, rest);
    if (strcmp(what, "keep") == 0)
        return read_budget(r, true, rest);
    if (strcmp(what, "means") == 0)
        return read_means(r, rest);
    if (strcmp(what, "hint") == 0)
        return read_hint(r, rest);
    if (strcmp(what, "predict") == 0)
        return read_prediction(r, rest);
    if (strcmp(what, "hunt") == 0 && !*rest)
        return r->file->hunt = true;
    return fail(
        r, "want title, types, size, in, out, work, budget, keep, means, hint, predict or hunt",
        what);
}

/* ---- the file ---- */

/* All of a file as a text; NULL: it cannot be read, see errno. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;

    if (!file)
        return NULL;
    if (getdelim(&text, &room, '\0', file) < 0 && text)
        *text = '\0';
    fclose(file);
    return text;
}

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

static bool check_whole(struct reader *r)
{
    const struct task_file *f = r->file;

    if (!f->title || f->types == 0 || f->sizes == 0 || f->arrays == 0)
        return fail(r, "ends; want title, types, size, in and out", NULL);
    for (int i = 0; i < f->budgets; i++)
        if (!f->budget[i].means)
            return fail(r, "ends; want a line 'means' for the budget", f->budget[i].name);
    return true;
}

bool task_file_read(const char *path, struct task_file *file, char error[400])
{
    struct reader r = {file, path, error, 1, false};
    int lines;

    *file = (struct task_file){.text = read_text(path)};
    if (!file->text) {
        snprintf(error, 400, "%s: %s", path, strerror(errno));
        return false;
    }
    for (char *line = file->text, *next; *line && !r.bad; line = next, r.line += lines) {
        next = join(line, &lines);
        if (*line && *line != '#')
            read_line(&r, line);
    }
    return !r.bad && check_whole(&r);
}

void task_file_free(struct task_file *file)
{
    free(file->text);
}

bool task_hint_is_for(const struct task_hint *hint, const char *reason)
{
    size_t length = strlen(reason);

    for (const char *at = strstr(hint->when, reason); at; at = strstr(at + 1, reason))
        if ((at == hint->when || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}
