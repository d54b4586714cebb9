/* Runs all sizes, and of all that is not right tells the first: what must be mended before the rest
 * means anything. */
#define _GNU_SOURCE
#include "mark.h"
#include "expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is not right with one run; rank: the lowest is told. */
enum rank {
    RANK_TOOL,
    RANK_FINDING,
    RANK_LIMIT,
    RANK_CRASH,
    RANK_WORK,
    RANK_ENDED,
    RANK_WRONG,
    RANK_BUDGET, /* and one more for each budget before it */
    RANK_NOT_JUDGED = RANK_BUDGET + MOST_BUDGETS,
    RANK_DONE
};

struct fault {
    int rank;
    enum mark_status status;
    const char *reason;
    char *message;
    int line;
    char *source, *said;
};

static char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *format, ...)
{
    char *result;
    va_list args;

    va_start(args, format);
    if (vasprintf(&result, format, args) < 0)
        abort();
    va_end(args);
    return result;
}

static char *copy(const char *from)
{
    return from ? text("%s", from) : NULL;
}

/* ---- figures of a run ---- */

struct figures {
    const struct subject *subject;
    const struct trial *trial;
    int line; /* 0: all */
};

static bool figure(const void *context, const char *name, size_t length, double *value)
{
    const struct figures *f = context;
    const struct task_file *file = f->subject->file;

    if (length == 5 && strncmp(name, "bytes", 5) == 0)
        return *value = f->subject->bytes, true;
    for (int i = 0; i < file->sizes; i++)
        if (strlen(file->size[i].name) == length && strncmp(file->size[i].name, name, length) == 0)
            return *value = (double)f->trial->size[i], true;
    return counters_get(&f->trial->counters, name, length, f->line, value);
}

static double value_of(const struct figures *f, const char *expression)
{
    const char *error;
    return expression_value(expression, figure, f, &error);
}

static double counter(const struct trial *t, const char *name)
{
    double value = 0;
    counters_get(&t->counters, name, strlen(name), 0, &value);
    return value;
}

/* The line at which the figure is largest; 0: it is no line's. */
static int worst_line(const struct figures *f, const char *expression)
{
    struct figures of_line = *f;
    double worst = 0;
    int line = 0;

    for (size_t i = 0; i < f->trial->counters.rows; i++) {
        of_line.line = f->trial->counters.row[i].line;
        double value = of_line.line > 0 ? value_of(&of_line, expression) : 0;
        if (isfinite(value) && value > worst) {
            worst = value;
            line = of_line.line;
        }
    }
    return line;
}

/* ---- lines of main.cu, and of what it printed ---- */

/* That line, without the blanks at its begin; NULL: there is none. */
static char *source_line(const struct places *p, int line)
{
    char path[4200], *result = NULL;
    size_t room = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/main.cu", p->work);
    if (line <= 0 || (file = fopen(path, "re")) == NULL)
        return NULL;
    for (int i = 0; i < line; i++)
        if (getline(&result, &room, file) < 0) {
            free(result);
            fclose(file);
            return NULL;
        }
    fclose(file);
    char *trimmed = text("%.*s", (int)strcspn(result + strspn(result, " \t"), "\r\n"),
                         result + strspn(result, " \t"));
    free(result);
    return trimmed;
}

/* " at n = 1000": the sizes of a run. */
static char *sizes_text(const struct task_file *file, const struct trial *t)
{
    char *result = text(" at");

    for (int i = 0; i < file->sizes; i++) {
        char *longer =
            text("%s%s %s = %ld", result, i > 0 ? "," : "", file->size[i].name, t->size[i]);
        free(result);
        result = longer;
    }
    return result;
}

/* ---- what is not right: each takes a run, and says so, or that it is none of these ---- */

static struct fault none(void)
{
    return (struct fault){.rank = RANK_DONE, .status = MARK_DONE, .reason = "done"};
}

static struct fault finding_fault(const struct subject *s, const struct trial *t, const char *at)
{
    const struct finding *f = t->reported ? findings_first(&t->findings) : NULL;

    if (!f)
        return none();
    bool ours = f->line > 0 && f->file && strcmp(f->file, "main.cu") == 0;
    return (struct fault){RANK_FINDING,
                          MARK_NOT_YET,
                          f->id,
                          text("%s%s.\n%s", f->title, at, f->text ? f->text : ""),
                          ours ? f->line : 0,
                          ours ? source_line(s->places, f->line) : NULL,
                          NULL};
}

static struct fault limit_fault(const struct trial *t, const char *at)
{
    static const struct {
        const char *reason, *what;
    } limits[] = {[ENDED_TIME] = {"time", "did not come to an end"},
                  [ENDED_MEMORY] = {"memory", "took more than 2 GiB of memory"},
                  [ENDED_PROCESSES] = {"processes", "started too many processes"},
                  [ENDED_OUTPUT] = {"output", "printed more than 4 MiB"},
                  [ENDED_LOST] = {"tool", "could not be started"}};
    enum how how = t->ended.how;

    if (how == ENDED_EXIT || how == ENDED_SIGNAL)
        return none();
    return (struct fault){how == ENDED_LOST ? RANK_TOOL : RANK_LIMIT,
                          MARK_NOT_JUDGED,
                          limits[how].reason,
                          text("The program %s%s, and was stopped.", limits[how].what, at),
                          0,
                          NULL,
                          copy(t->ended.err)};
}

static struct fault crash_fault(const struct trial *t, const char *at)
{
    if (t->answered != NOT_ANSWERED)
        return none();
    if (t->reported && t->findings.not_judged && t->findings.status == 5)
        return (struct fault){RANK_LIMIT,
                              MARK_NOT_JUDGED,
                              "not-judged",
                              text("Not judged to the end%s: %s.", at, t->findings.not_judged),
                              0,
                              NULL,
                              NULL};
    char *how = t->ended.how == ENDED_SIGNAL
                    ? text("by signal %d, %s", t->ended.status, strsignal(t->ended.status))
                    : text("with exit status %d", t->ended.status);
    char *message = text("The program ended before task_run had returned%s, %s. Results count when "
                         "task_run has come to its end.",
                         at, how);
    free(how);
    return (struct fault){RANK_CRASH, MARK_NOT_YET, "crash", message, 0, NULL, copy(t->ended.err)};
}

/* Was it the threads of a kernel that did the work? */
static struct fault work_fault(const struct subject *s, const struct trial *t, const char *at)
{
    struct fault fault = {.rank = RANK_WORK, .status = MARK_NOT_YET};
    double sectors = counter(t, "global_load_sectors") + counter(t, "global_atomic_sectors");
    double lanes = counter(t, "global_load_lanes"), loads = counter(t, "global_load_requests");

    if (t->launches == 0) {
        fault.reason = "no-kernel";
        fault.message = text("No kernel was launched%s: the work must be done on the device.", at);
    } else if (t->copied > 0) {
        fault.reason = "host";
        fault.message =
            text("The host copied an input%s (%llu bytes): the work must be done by the "
                 "kernel, on the device.",
                 at, t->copied);
    } else if (32 * sectors < (double)t->input_bytes) {
        fault.reason = "unread";
        fault.message =
            text("The kernels read at most %.0f of the %llu bytes of input%s: no result "
                 "can be right that leaves some out.",
                 32 * sectors, t->input_bytes, at);
    } else if (t->input_elements >= 1024 && lanes < 4 * loads) {
        struct figures f = {s, t, 0};
        fault.reason = "serial";
        fault.line = worst_line(&f, "global_load_requests");
        fault.source = source_line(s->places, fault.line);
        fault.message = text("Of a warp's 32 lanes %.1f load at a time%s: single threads do the "
                             "work of all. Every thread is to load its share.",
                             lanes / loads, at);
    } else {
        return none();
    }
    return fault;
}

static struct fault ended_fault(const struct trial *t, const char *at)
{
    struct fault fault = {.rank = RANK_ENDED, .status = MARK_NOT_YET};

    if (t->answered == ANSWERED_TWICE) {
        fault.reason = "twice";
        fault.message = text("More than one process handed in a result%s: start none.", at);
    } else if (!t->reported || t->ended.how == ENDED_SIGNAL ||
               (t->ended.status != 0 && t->ended.status != 5)) {
        fault.reason = "ended";
        fault.message =
            text("After task_run the program ended in another way than main does%s.", at);
        fault.said = copy(t->ended.err);
    } else {
        return none();
    }
    return fault;
}

static struct fault wrong_fault(const struct trial *t, const char *at)
{
    const struct difference *d = &t->wrong;
    char index[40] = "";

    if (t->changed)
        return (struct fault){
            RANK_WRONG,
            MARK_NOT_YET,
            "changed",
            text("The input '%s' is not what it was%s: it must stay as it is.", t->changed, at),
            0,
            NULL,
            NULL};
    if (!d->any)
        return none();
    if (d->index > 0 || d->count > 1)
        snprintf(index, sizeof index, "[%zu]", d->index);
    char *more = d->count > 1 ? text(" (and %zu more are wrong)", d->count - 1) : text("%s", "");
    char *message =
        text("%s%s is %s%s; %s is right%s.", d->array, index, d->got, at, d->expected, more);
    free(more);
    return (struct fault){RANK_WRONG, MARK_NOT_YET, "wrong", message, 0, NULL, NULL};
}

/* Notes how near the run comes to a budget; true when it is met, or not for this run. */
static bool measure(const struct subject *s, const struct trial *t, const struct task_budget *b,
                    struct mark_budget *kept)
{
    struct figures f = {s, t, 0};

    if (b->condition && value_of(&f, b->condition) < value_of(&f, b->least))
        return true;
    double value = value_of(&f, b->figure), limit = value_of(&f, b->limit);
    bool met = value <= limit, worse = value * kept->limit > kept->value * limit;
    if (!kept->measured || (kept->met && !met) || (kept->met == met && worse)) {
        *kept = (struct mark_budget){true, met, value, limit, {0}};
        memcpy(kept->size, t->size, sizeof kept->size);
    }
    return met;
}

/* A figure in as many digits as it needs, thousands apart. */
static char *number(double value)
{
    if (value != floor(value) || fabs(value) < 10000)
        return text(value == floor(value) ? "%.0f" : "%.1f", value);
    if (fabs(value) < 1e6)
        return text("%.0f,%03.0f", floor(value / 1000), fmod(value, 1000));
    return text("%.0f,%03.0f,%03.0f", floor(value / 1e6), floor(fmod(value, 1e6) / 1000),
                fmod(value, 1000));
}

static struct fault budget_fault(const struct subject *s, const struct trial *t, const char *at,
                                 struct mark_budget *kept)
{
    struct fault fault = none();

    for (int i = 0; i < s->file->budgets; i++) {
        const struct task_budget *b = &s->file->budget[i];
        struct figures f = {s, t, 0};
        if (measure(s, t, b, &kept[i]) || fault.rank != RANK_DONE)
            continue;
        char *value = number(value_of(&f, b->figure)),
             *limit = number(floor(value_of(&f, b->limit)));
        fault = (struct fault){RANK_BUDGET + i,
                               MARK_NOT_YET,
                               b->name,
                               text("%s: %s%s; want at most %s.", b->means, value, at, limit),
                               worst_line(&f, b->figure),
                               NULL,
                               NULL};
        fault.source = source_line(s->places, fault.line);
        free(value);
        free(limit);
    }
    return fault;
}

static struct fault not_judged_fault(const struct trial *t, const char *at)
{
    if (!t->findings.not_judged)
        return none();
    return (struct fault){RANK_NOT_JUDGED,
                          MARK_NOT_JUDGED,
                          "not-judged",
                          text("Not judged to the end%s: %s.", at, t->findings.not_judged),
                          0,
                          NULL,
                          NULL};
}

static struct fault fault_of(const struct subject *s, const struct trial *t,
                             struct mark_budget *kept)
{
    char *at = sizes_text(s->file, t);
    struct fault fault = finding_fault(s, t, at);

    if (fault.rank == RANK_DONE)
        fault = limit_fault(t, at);
    if (fault.rank == RANK_DONE)
        fault = crash_fault(t, at);
    if (fault.rank == RANK_DONE)
        fault = work_fault(s, t, at);
    if (fault.rank == RANK_DONE)
        fault = ended_fault(t, at);
    if (fault.rank == RANK_DONE)
        fault = wrong_fault(t, at);
    if (fault.rank == RANK_DONE)
        fault = budget_fault(s, t, at, kept);
    if (fault.rank == RANK_DONE)
        fault = not_judged_fault(t, at);
    free(at);
    return fault;
}

/* ---- all runs ---- */

/* The values of all sizes in run k: those of the file, then what is drawn. */
static void sizes_of(const struct task_file *file, int k, unsigned long long *random, long *size)
{
    for (int i = 0; i < file->sizes; i++) {
        const struct task_size *s = &file->size[i];
        long span = s->high - s->low + 1;
        size[i] =
            k < s->values ? s->value[k] : s->low + (long)(next_random(random) % (unsigned)span);
    }
}

static void fault_free(struct fault *f)
{
    free(f->message);
    free(f->source);
    free(f->said);
}

/* The mark gets what is told of this run: its fault is the worst, or there is none so far. */
static void keep(struct mark *mark, struct trial *t, struct fault *f)
{
    free(mark->message), free(mark->source), free(mark->said);
    free(mark->printed), free(mark->findings);
    counters_free(&mark->counters);
    mark->status = f->status;
    snprintf(mark->reason, sizeof mark->reason, "%s", f->reason);
    mark->message = f->message;
    mark->source = f->source;
    mark->said = f->said;
    mark->line = f->line;
    mark->printed = copy(t->ended.out);
    mark->findings = copy(t->findings.json);
    mark->counters = t->counters;
    memcpy(mark->size, t->size, sizeof mark->size);
    t->counters = (struct counters){NULL, 0};
}

/* Points for what holds: the results, no finding, each budget. Nothing where nothing can be said.
 */
static int score_of(const struct task_file *file, const struct mark *mark, int rank)
{
    int points = 2, held = 0;

    if (rank == RANK_TOOL || (rank >= RANK_LIMIT && rank <= RANK_ENDED))
        return 0;
    held += mark->right == mark->sizes;
    held += rank != RANK_FINDING;
    for (int i = 0; i < file->budgets; i++, points++)
        held += mark->right > 0 && (!mark->budget[i].measured || mark->budget[i].met);
    return rank == RANK_DONE ? 100 : held * 100 / points;
}

static void run_all(const struct subject *s, unsigned long long *random, struct mark *mark)
{
    const struct task_size *first = &s->file->size[0];
    int worst = RANK_DONE + 1;
    long size[WIRE_MOST] = {0};

    for (int k = 0; k < first->values + first->draws; k++) {
        struct trial trial;
        sizes_of(s->file, k, random, size);
        const char *why = trial_run(s, size, k % 2 == 1, random, &trial);
        struct fault fault = why ? (struct fault){RANK_TOOL, MARK_NOT_JUDGED,
                                                  "tool",    text("The marker had %s.", why),
                                                  0,         NULL,
                                                  NULL}
                                 : fault_of(s, &trial, mark->budget);
        mark->sizes++;
        mark->right += fault.rank > RANK_WRONG;
        bool told = fault.rank < worst || fault.rank == RANK_DONE;
        if (told && worst >= fault.rank) {
            worst = fault.rank;
            keep(mark, &trial, &fault);
        } else {
            fault_free(&fault);
        }
        trial_free(&trial);
        if (worst == RANK_TOOL || worst == RANK_LIMIT) /* each size would take as long */
            break;
    }
    mark->score = score_of(s->file, mark, worst);
}

struct mark mark_of(const struct subject *subject, unsigned long long *random)
{
    struct mark mark = {.type = subject->type};
    struct ended compiled = trial_compile(subject);
    bool good = compiled.how == ENDED_EXIT && compiled.status == 0;

    if (good) {
        run_all(subject, random, &mark);
    } else {
        bool student = compiled.how == ENDED_EXIT && compiled.status == 1;
        bool refused = compiled.how == ENDED_EXIT && compiled.status == 2;
        mark.status = student ? MARK_NOT_YET : MARK_NOT_JUDGED;
        snprintf(mark.reason, sizeof mark.reason, "%s",
                 student   ? "compile"
                 : refused ? "refused"
                           : "tool");
        mark.message = text("%s", student   ? "It does not compile."
                                  : refused ? "The CPU backend does not take it."
                                            : "The compiler was stopped: it took too long, or "
                                              "too much memory.");
    }
    if (!mark.said && compiled.err[0])
        mark.said = copy(compiled.err);
    limits_free(&compiled);
    return mark;
}

void mark_free(struct mark *mark)
{
    free(mark->message), free(mark->source), free(mark->said);
    free(mark->printed), free(mark->findings);
    counters_free(&mark->counters);
}

const char *mark_hints(const struct task_file *file, const struct mark *mark)
{
    bool found = strchr(mark->reason, '-') && mark->findings && mark->findings[0] == '[' &&
                 mark->findings[1] != ']';

    if (task_file_hints(file, mark->reason) > 0 || !found)
        return mark->reason;
    return "finding";
}
