/* Looks at a run from several sides, one function each, in the order of enum rank. */
#define _GNU_SOURCE
#include "fault.h"
#include "expression.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run, and " at n = 1000" for messages. */
struct run {
    const struct subject *subject;
    const struct trial *trial;
    const char *at;
    int line; /* of which counters are asked for; 0: of all */
};

static struct fault none(void)
{
    return (struct fault){.rank = RANK_DONE, .status = MARK_DONE, .reason = "done"};
}

struct fault fault_new(int rank, const char *reason, char *message)
{
    struct fault f = {.rank = rank, .status = MARK_NOT_YET, .message = message};

    if (rank == RANK_LIMIT || rank == RANK_TOOL || rank == RANK_NOT_JUDGED)
        f.status = MARK_NOT_JUDGED;
    snprintf(f.reason, sizeof f.reason, "%.40s", reason);
    return f;
}

/* line 0: none is known. */
static void add_place(struct fault *f, const struct run *r, int line, const char *does)
{
    const char *path = text_of("%s/main.cu", r->subject->places->work);

    if (line > 0 && f->places < FINDING_ENDS)
        f->place[f->places++] = (struct place){line, text_line(path, line), text_copy(does)};
}

/* ---- figures ---- */

static bool figure(const void *context, const char *name, double *value)
{
    const struct run *r = context;

    if (strcmp(name, TASK_UNNAMED) == 0)
        return *value = r->line == 0 ? (double)r->trial->unnamed : 0, true;
    return task_file_size(r->subject->file, r->trial->size, r->subject->bytes, name, value) ||
           counters_get(&r->trial->counters, name, r->line, value);
}

static double value_of(const struct run *r, const char *expression)
{
    const char *error;
    return expression_value(expression, figure, r, &error);
}

double fault_figure(const struct subject *subject, const struct trial *trial,
                    const char *expression)
{
    const struct run r = {subject, trial, "", 0};
    return value_of(&r, expression);
}

/* The line at which the figure is largest; 0: it is no line's. */
static int worst_line(const struct run *r, const char *expression)
{
    const struct counters *c = &r->trial->counters;
    struct run of_line = *r;
    double worst = 0;
    int line = 0;

    for (size_t i = 0; i < c->rows; i++) {
        of_line.line = c->row[i].line;
        double value = of_line.line > 0 ? value_of(&of_line, expression) : 0;
        if (isfinite(value) && value > worst) {
            worst = value;
            line = of_line.line;
        }
    }
    return line;
}

/* ---- what can be wrong ---- */

static const struct finding *finding_of(const struct run *r)
{
    return r->trial->reported ? findings_first(&r->trial->findings, r->subject->file) : NULL;
}

static struct fault find_finding(const struct run *r)
{
    const struct finding *found = finding_of(r);

    if (!found || !found->title)
        return none();
    char *message = text_of("%s%s. %s", found->title, r->at, found->text ? found->text : "");
    struct fault f = fault_new(RANK_FINDING, found->id, message);
    message[0] = (char)toupper((unsigned char)message[0]);
    text_unfold(message); /* the terminal has its rule in lines of their own */
    f.brief = text_of("%s%s.", found->title, r->at);
    f.brief[0] = message[0];
    if (r->subject->file->hunt)
        f.said = text_before(r->trial->ended.err, found->text);
    for (int i = 0; i < found->ends; i++)
        if (found->end[i].file && strcmp(found->end[i].file, "main.cu") == 0)
            add_place(&f, r, found->end[i].line, found->end[i].operation);
    if (found->ends == 0 && found->place.file && strcmp(found->place.file, "main.cu") == 0)
        add_place(&f, r, found->place.line, NULL);
    return f;
}

static struct fault find_limit(const struct run *r)
{
    static const struct {
        const char *reason, *what;
    } limits[] = {[ENDED_TIME] = {"time", "did not come to an end"},
                  [ENDED_MEMORY] = {"memory", "took more than 2 GiB of memory"},
                  [ENDED_PROCESSES] = {"processes", "started too many processes"},
                  [ENDED_OUTPUT] = {"output", "wrote more than 4 MiB, or files of 64 MiB"},
                  [ENDED_INTERRUPTED] = {"interrupted", "was interrupted"},
                  [ENDED_LOST] = {"tool", "could not be started"}};
    enum how how = r->trial->ended.how;

    if (how == ENDED_EXIT || how == ENDED_SIGNAL)
        return none();
    return fault_new(how == ENDED_LOST ? RANK_TOOL : RANK_LIMIT, limits[how].reason,
                     text_of("The program %s%s, and was stopped.", limits[how].what, r->at));
}

static struct fault find_crash(const struct run *r)
{
    const struct trial *t = r->trial;

    if (t->answered != NOT_ANSWERED)
        return none();
    if (t->reported && t->findings.not_judged && t->findings.status == 5)
        return fault_new(RANK_LIMIT, "not-judged",
                         text_of("Not judged to the end%s: %s.", r->at, t->findings.not_judged));
    char *how = t->ended.how == ENDED_SIGNAL
                    ? text_of("by signal %d, %s", t->ended.status, strsignal(t->ended.status))
                    : text_of("with exit status %d", t->ended.status);
    struct fault f =
        fault_new(RANK_CRASH, "crash",
                  text_of("The program ended before task_run had returned%s, %s.", r->at, how));
    f.said = text_copy(t->ended.err);
    return f;
}

static double counter(const struct run *r, const char *name)
{
    double value = 0;
    counters_get(&r->trial->counters, name, 0, &value);
    return value;
}

/* Lanes of a warp, and elements a warp: so few, or so many, are work that a few threads do alone.
 */
enum { FEW = 8, MUCH = 32 * 256 };

/* Was it the threads of a kernel that did the work? Whoever reads all of the input moves at least
 * as many sectors. Where single lanes load half of it, it is serial work, whatever else is loaded.
 */
static struct fault find_work(const struct run *r)
{
    const struct trial *t = r->trial;
    double read = 32 * (counter(r, "global_load_sectors") + counter(r, "global_atomic_sectors"));
    double lanes = counter(r, "global_load_lanes"), loads = counter(r, "global_load_requests");
    double single = counters_few_lanes(&t->counters, FEW);

    if (t->launches == 0)
        return fault_new(
            RANK_WORK, "no-kernel",
            text_of("No kernel was launched%s: the work is to be done on the device.", r->at));
    if (t->copied > 0)
        return fault_new(
            RANK_WORK, "host",
            text_of("The host copied an input (%llu bytes)%s: the work is to be done on "
                    "the device, by the kernel.",
                    t->copied, r->at));
    if (read < (double)t->input_bytes)
        return fault_new(RANK_WORK, "unread",
                         text_of("The kernels read at most %.0f of the %llu bytes of input%s: no "
                                 "result is right that leaves some out.",
                                 read, t->input_bytes, r->at));
    if (t->input_elements >= 256 && (lanes < FEW * loads || 2 * single >= t->input_elements)) {
        struct fault f = fault_new(
            RANK_WORK, "serial",
            text_of("Of a warp's 32 lanes fewer than %d load at a time%s: a few threads do "
                    "the work of all. Let every thread load its share.",
                    FEW, r->at));
        add_place(&f, r, worst_line(r, "global_load_requests"), NULL);
        return f;
    }
    double most = t->busiest * t->input_elements / (double)t->input_bytes;
    if (most > MUCH)
        return fault_new(
            RANK_WORK, "serial",
            text_of("One warp loads %.0f elements%s, of %zu in the inputs: on a GPU "
                    "thousands of warps work at a time. Launch more blocks, and let every "
                    "thread load its share, at most %d elements or so.",
                    most, r->at, t->input_elements, MUCH / 32));
    return none();
}

static struct fault find_end(const struct run *r)
{
    const struct trial *t = r->trial;

    if (t->answered == ANSWERED_TWICE)
        return fault_new(RANK_ENDED, "twice",
                         text_of("More than one result was handed in%s.", r->at));
    if (t->reported && t->ended.how == ENDED_EXIT && (t->ended.status == 0 || t->ended.status == 5))
        return none();
    struct fault f =
        fault_new(RANK_ENDED, "ended",
                  text_of("After task_run the program ended on its own%s, with %s %d.", r->at,
                          t->ended.how == ENDED_EXIT ? "status" : "signal", t->ended.status));
    f.said = text_copy(t->ended.err);
    return f;
}

static struct fault find_wrong(const struct run *r)
{
    const struct difference *d = &r->trial->wrong;
    const char *index = "", *more = "";

    if (r->trial->changed)
        return fault_new(RANK_WRONG, "changed",
                         text_of("The input '%s' is not what it was%s; want it left as it is.",
                                 r->trial->changed, r->at));
    if (!d->any)
        return none();
    if (d->index > 0 || d->count > 1)
        index = text_of("[%zu]", d->index);
    if (d->count > 1)
        more = text_of(" (%zu more are wrong)", d->count - 1);
    return fault_new(RANK_WRONG, "wrong",
                     text_of("%s%s is %s%s; %s would be right%s.", d->array, index, d->got, r->at,
                             d->expected, more));
}

/* Notes how the run stands to a budget, and returns whether it is met, or is not for this run. */
static bool measure(const struct run *r, const struct task_budget *b, struct measured *m)
{
    if (b->condition && value_of(r, b->condition) < value_of(r, b->least))
        return true;
    double value = value_of(r, b->figure), limit = value_of(r, b->limit);
    bool met = value <= limit, nearer = value * m->limit > m->value * limit;
    if (!m->any || (m->met && !met) || (m->met == met && nearer)) {
        *m = (struct measured){true, met, value, limit, {0}};
        memcpy(m->size, r->trial->size, sizeof m->size);
    }
    return met;
}

/* The first budget that is missed, of those to keep before the others; all are measured. */
static struct fault find_budget(const struct run *r, struct measured *measured)
{
    const struct task_file *file = r->subject->file;
    int first = -1;

    for (int i = 0; i < file->budgets; i++)
        if (!measure(r, &file->budget[i], &measured[i]) &&
            (first < 0 || file->budget[i].keep > file->budget[first].keep))
            first = i;
    if (first < 0)
        return none();
    const struct task_budget *b = &file->budget[first];
    char *value = text_number(value_of(r, b->figure)), *limit = text_number(value_of(r, b->limit));
    struct fault f =
        fault_new(b->keep ? RANK_KEEP : RANK_BUDGET + first, b->name,
                  text_of("%s: %s%s; want at most %s.", b->means, value, r->at, limit));
    add_place(&f, r, worst_line(r, b->figure), NULL);
    return f;
}

static struct fault find_not_judged(const struct run *r)
{
    const char *why = r->trial->findings.not_judged;

    return why ? fault_new(RANK_NOT_JUDGED, "not-judged",
                           text_of("Not judged to the end%s: %s.", r->at, why))
               : none();
}

/* ---- hints ---- */

/* What conditions of hints may name: figures of the run, and of what is wrong with it. */
static bool hint_figure(const void *context, const char *name, double *value)
{
    const struct run *r = context;
    const struct difference *d = &r->trial->wrong;
    const struct finding *f = finding_of(r);
    const double values[TASK_FIGURES] = {
        [TASK_WRONG_GOT] = d->have,
        [TASK_WRONG_EXPECTED] = d->want,
        [TASK_WRONG_INDEX] = (double)d->index,
        [TASK_WRONG_COUNT] = (double)d->count,
        [TASK_WRONG_OUT] = d->out,
        [TASK_WRONG_TYPE] = strchr("ifd", *r->subject->type) - "ifd",
        [TASK_SAME_LINE] = f && f->ends == 2 && f->end[0].line == f->end[1].line,
        [TASK_FINDING_THREADS] = f ? f->ends : 0,
    };

    for (int i = 0; i < TASK_FIGURES; i++)
        if (strcmp(task_figures[i], name) == 0)
            return *value = values[i], true;
    return figure(context, name, value);
}

static void find_hints(const struct run *r, struct fault *f)
{
    const char *error;

    for (int i = 0; i < r->subject->file->hints; i++) {
        const struct task_hint *h = &r->subject->file->hint[i];
        if (task_hint_is_for(h, f->reason) &&
            (!h->condition || expression_value(h->condition, hint_figure, r, &error) >=
                                  expression_value(h->least, hint_figure, r, &error)))
            f->hint[f->hints++] = h->text;
    }
}

/* ---- all of them ---- */

static char *sizes_text(const struct task_file *file, const struct trial *t)
{
    char *result = text_of(" at");

    for (int i = 0; i < file->sizes; i++)
        result = text_of("%s%s %s = %ld", result, i > 0 ? "," : "", file->size[i].name, t->size[i]);
    return result;
}

struct fault fault_of(const struct subject *subject, const struct trial *trial,
                      struct measured measured[MOST_BUDGETS])
{
    static struct fault (*const sides[])(const struct run *) = {
        find_finding, find_limit, find_crash, find_work, find_end, find_wrong};
    char *at = sizes_text(subject->file, trial);
    const struct run r = {subject, trial, at, 0};
    struct fault f = none();

    for (int i = 0; i < 6 && f.rank == RANK_DONE; i++)
        f = sides[i](&r);
    if (f.rank == RANK_DONE)
        f = find_budget(&r, measured);
    if (f.rank == RANK_DONE)
        f = find_not_judged(&r);
    find_hints(&r, &f);
    return f;
}
