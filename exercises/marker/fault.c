/* Looks for what is wrong with a run: one function for each kind, in the order of enum rank. */
#define _GNU_SOURCE
#include "fault.h"
#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct trial *trial;
    const struct judged *judged;
    const char *at; /* " at n = 1000", for messages */
};

static struct fault none(void)
{
    return (struct fault){.rank = RANK_DONE, .status = MARK_DONE, .reason = "done"};
}

struct fault fault_new(int rank, const char *reason, const char *format, ...)
{
    bool judged = rank != RANK_LIMIT && rank != RANK_NOT_JUDGED;
    char *message;
    va_list args;

    va_start(args, format);
    if (vasprintf(&message, format, args) < 0)
        abort();
    va_end(args);
    return (struct fault){.rank = rank,
                          .status = judged ? MARK_NOT_YET : MARK_NOT_JUDGED,
                          .reason = reason,
                          .message = message};
}

/* line 0: none is known. */
static void add_place(struct fault *f, int line, const char *does)
{
    if (line > 0 && f->places < FINDING_ENDS)
        f->place[f->places++] = (struct place){line, text_line("main.cu", line), does};
}

/* The line without which a budget's value would be least; budget -1: the line with most loads. 0:
 * no line makes it less. */
static int worst_line(const struct run *r, int budget)
{
    const struct counters *c = &r->trial->counters;
    double most = 0;
    int line = 0;

    for (size_t i = 0; i < c->lines; i++) {
        struct figures f = counters_without(c, &r->trial->figures, i);
        double less = r->trial->figures.global_load_requests - f.global_load_requests;
        if (budget >= 0)
            less = r->judged->budget[budget].value - loaded_judge(&f).budget[budget].value;
        if (less > most || isnan(less)) { /* NaN: the line has all of what is divided */
            most = isnan(less) ? INFINITY : less;
            line = c->line[i].line;
        }
    }
    return line;
}

/* ---- what can be wrong ---- */

/* The lines of a program's output in front of the finding's rule, found by its first ten letters.
 * rule: NULL: there is none. */
static const char *before_rule(const char *said, const char *rule)
{
    const char *stop = rule ? strstr(said, text_of("%.10s", rule)) : NULL;

    while (stop && stop > said && stop[-1] != '\n')
        stop--;
    said += strspn(said, "\n");
    return stop > said ? text_of("%.*s", (int)(stop - said), said) : said;
}

static struct fault find_finding(const struct run *r)
{
    const struct finding *found = &r->trial->findings.first;

    if (!r->trial->findings.any || !found->title)
        return none();
    const char *rule = loaded.exercise.hunt || !found->text ? "" : text_of(" %s", found->text);
    struct fault f = fault_new(RANK_FINDING, found->id, "%c%s%s.%s", toupper(*found->title),
                               found->title + 1, r->at, rule);
    if (loaded.exercise.hunt)
        f.said = before_rule(r->trial->ended.err, found->text);
    for (int i = 0; i < found->ends; i++)
        add_place(&f, found->end[i].line, found->end[i].operation);
    return f;
}

static struct fault find_limit(const struct run *r)
{
    static const struct {
        const char *reason, *what;
    } limits[] = {[ENDED_TIME] = {"time", "did not come to an end"},
                  [ENDED_MEMORY] = {"memory", "took more than 2 GiB of memory"},
                  [ENDED_OUTPUT] = {"output", "wrote more than 4 MiB, or files of 64 MiB"}};
    enum how how = r->trial->ended.how;

    if (how == ENDED_EXIT || how == ENDED_SIGNAL)
        return none();
    return fault_new(RANK_LIMIT, limits[how].reason, "The program %s%s, and was stopped.",
                     limits[how].what, r->at);
}

static struct fault find_crash(const struct run *r)
{
    const struct trial *t = r->trial;

    if (t->answered)
        return none();
    if (t->findings.not_judged)
        return fault_new(RANK_LIMIT, "not-judged", "Not judged to the end%s: %s.", r->at,
                         t->findings.not_judged);
    const char *how = t->ended.how == ENDED_SIGNAL
                          ? text_of("by signal %d, %s", t->ended.status, strsignal(t->ended.status))
                          : text_of("with exit status %d", t->ended.status);
    const char *said = t->ended.err;
    bool one_line = *said && strchr(said, '\n') == strrchr(said, '\n') && strlen(said) < 400;
    struct fault f = fault_new(RANK_CRASH, "crash",
                               "The program ended before task_run had returned%s, %s%s%.*s%s",
                               r->at, how, one_line ? ": " : "",
                               one_line ? (int)strcspn(said, "\n") : 0, said, one_line ? "" : ".");
    f.said = one_line ? NULL : said;
    return f;
}

enum {
    MUCH = 32 * 256, /* elements of one warp: more are the work of a few threads alone, … */
    PART = 40,       /* … unless they are less than this part: one block may have 32 warps */
    OFTEN = 8,       /* loads of each element: with more, each thread does all of the work */
    MANY = 4096,     /* elements: with fewer, a block that is not full matters too much */
    SHARE = 32       /* one byte in so many may go to the host: a sum for each warp */
};

/* Did the threads of a kernel do the work? A kernel that reads all of the input moves at least as
 * many sectors. If few lanes load half of it, or all lanes the same, the work is serial. */
static struct fault find_work(const struct run *r)
{
    const struct trial *t = r->trial;
    const struct figures *f = &t->figures;
    double read = 32 * f->global_load_sectors;

    if (t->answer.launches == 0)
        return fault_new(RANK_WORK, "no-kernel",
                         "No kernel was launched%s: the work is to be done on the device.", r->at);
    if (t->answer.copied * t->input_elements > t->input_bytes) /* more than one to begin with */
        return fault_new(RANK_WORK, "host",
                         "A copy such as cudaMemcpy() read an input (%llu bytes)%s: the kernels "
                         "load the inputs themselves.",
                         (unsigned long long)t->answer.copied, r->at);
    if (t->answer.several)
        return fault_new(RANK_WORK, "streams",
                         "Kernels and copies are on several streams%s, which nothing here keeps "
                         "in order: put all of them on one.",
                         r->at);
    if (t->input_elements >= MANY && SHARE * t->answer.taken > t->input_bytes)
        return fault_new(RANK_WORK, "host",
                         "The host read %llu bytes that the kernels had written, for %zu bytes of "
                         "input%s: the work is to be done by kernels. At most one byte in %d may "
                         "go to the host, such as a sum for each %d elements.",
                         (unsigned long long)t->answer.taken, t->input_bytes, r->at, SHARE, SHARE);
    if (read < (double)t->input_bytes)
        return fault_new(RANK_WORK, "unread",
                         "At most %.0f of %zu bytes of input are loaded%s (an atomic is no load).",
                         read, t->input_bytes, r->at);
    double times = f->global_load_lanes / (double)t->input_elements;
    const bool few = t->input_elements >= 1000 && 2 * t->answer.few[0] >= t->input_bytes;
    if (few ? times >= 2 : t->input_elements >= MANY && times > OFTEN)
        return fault_new(RANK_WORK, "serial",
                         "%.0f loads from global memory for each element%s: all threads do the "
                         "same work, or what they share goes through it. Let each load its part.",
                         times, r->at);
    if (few)
        return fault_new(RANK_WORK, "serial",
                         "Half of a warp or less loads as much as half of the input%s: a few "
                         "threads do the work of all. Let every thread load its share.",
                         r->at);
    if (f->busiest > MUCH && PART * f->busiest > (double)t->input_elements)
        return fault_new(RANK_WORK, "serial",
                         "One warp loads %.0f elements%s, of %zu in the inputs: on a GPU thousands "
                         "of warps work at a time. Launch more blocks, and let every thread load "
                         "its share, at most %d elements or so.",
                         f->busiest, r->at, t->input_elements, MUCH / 32);
    return none();
}

/* A program may write a report of its own, but the answer has the backend's status, too. */
static struct fault find_end(const struct run *r)
{
    const struct trial *t = r->trial;
    uint64_t status = t->answer.status;

    if (t->reported && (status == 0 || (status == 5 && t->findings.not_judged)))
        return none();
    struct fault f =
        fault_new(RANK_ENDED, "ended", "After task_run the program ended on its own%s, with %s %d.",
                  r->at, t->ended.how == ENDED_EXIT ? "status" : "signal", t->ended.status);
    f.said = t->ended.err;
    return f;
}

static struct fault find_wrong(const struct run *r)
{
    const struct difference *d = &r->trial->wrong;
    const char *index = "", *more = "";

    if (r->trial->changed)
        return fault_new(RANK_WRONG, "changed",
                         "The input '%s' is not what it was%s; want it left as it is.",
                         r->trial->changed, r->at);
    if (!d->array)
        return none();
    if (d->index > 0 || d->count > 1)
        index = text_of("[%zu]", d->index);
    if (d->count > 1)
        more = text_of(" (%zu more are wrong)", d->count - 1);
    return fault_new(RANK_WRONG, "wrong", "%s%s is %s%s; %s would be right%s.", d->array, index,
                     d->got, r->at, d->expected, more);
}

/* The first budget that is missed, of those to keep before the others. */
static struct fault find_budget(const struct run *r)
{
    const struct budget *all = r->judged->budget, *b;
    int first = -1;

    for (int i = 0; i < r->judged->budgets; i++)
        if (budget_missed(&all[i]) && (first < 0 || all[i].keep > all[first].keep))
            first = i;
    if (first < 0)
        return none();
    b = &all[first];
    struct fault f =
        fault_new(b->keep ? RANK_KEEP : RANK_BUDGET + first, b->name, "%s: %s%s; want at most %s.",
                  b->means, text_number(b->value), r->at, text_number(b->limit));
    add_place(&f, worst_line(r, first), NULL);
    return f;
}

static struct fault find_not_judged(const struct run *r)
{
    const char *why = r->trial->findings.not_judged;

    return why ? fault_new(RANK_NOT_JUDGED, "not-judged", "Not judged to the end%s: %s.", r->at,
                           why)
               : none();
}

/* ---- all of them ---- */

/* Is the reason one of those, which commas separate? */
static bool is_among(const char *reason, const char *reasons)
{
    return strstr(text_of(",%s,", reasons), text_of(",%s,", reason)) != NULL;
}

static const char *sizes_text(void)
{
    const char *result = " at";

    for (int i = 0; i < loaded.sizes; i++)
        result = text_of("%s%s %s = %ld", result, i > 0 ? "," : "", loaded.exercise.size[i].name,
                         loaded.size[i]);
    return result;
}

struct fault fault_of(const struct trial *trial, const struct judged *judged)
{
    static struct fault (*const sides[])(const struct run *) = {
        find_finding, find_limit, find_crash,  find_work,
        find_end,     find_wrong, find_budget, find_not_judged};
    const struct run r = {trial, judged, sizes_text()};
    struct fault f = none();

    for (int i = 0; i < 8 && f.rank == RANK_DONE; i++)
        f = sides[i](&r);
    if (f.rank == RANK_WORK && strcmp(f.reason, "serial") == 0)
        add_place(&f, worst_line(&r, -1), NULL); /* which loads most */
    for (int i = 0; i < judged->hints; i++)
        if (is_among(f.reason, judged->hint[i].reasons))
            f.hint[f.hints++] = judged->hint[i].text;
    return f;
}
