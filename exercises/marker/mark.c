/* Runs all sizes, and keeps what is told of them. */
#include "mark.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the clock, for all runs of a type together: one takes 0.1 s. */
static const double most_seconds = 200;

static long draw(const struct task_size *s, int k, unsigned long long *random)
{
    const bool second = k - s->values >= s->draw[0].count;
    const long low = s->draw[second].low, high = s->draw[second].high;

    return low + (long)(next_random(random) % (unsigned)(high - low + 1));
}

/* Run k's sizes: those of the file, then what is drawn. */
static void choose_sizes(const struct task_file *file, int k, unsigned long long *random,
                         long size[WIRE_MOST])
{
    for (int i = 0; i < file->sizes; i++) {
        const struct task_size *s = &file->size[i];
        size[i] = k < s->values ? s->value[k] : draw(s, k, random);
    }
}

/* The mark becomes that of this run, and takes what the run has. */
static void keep(struct mark *mark, struct trial *t, const struct fault *f)
{
    counters_free(&mark->counters);
    mark->fault = *f;
    mark->counters = t->counters;
    mark->printed = t->ended.out[0] ? text_copy(t->ended.out) : NULL;
    mark->findings = text_copy(t->findings.json);
    memcpy(mark->size, t->size, sizeof mark->size);
    t->counters = (struct counters){NULL, 0};
}

/* Points are for budgets: what is given has right results, or nearly, and keeps the others. */
static int score_of(const struct task_file *file, const struct mark *mark)
{
    int aims = 0, met = 0;

    if (mark->fault.rank < RANK_BUDGET || mark->fault.rank >= RANK_NOT_JUDGED)
        return mark->fault.rank == RANK_DONE ? 100 : 0;
    for (int i = 0; i < file->budgets; i++) {
        aims += !file->budget[i].keep;
        met += !file->budget[i].keep && mark->measured[i].met;
    }
    return 100 * met / aims;
}

static void run_all(const struct subject *s, int most, unsigned long long *random,
                    struct mark *mark)
{
    const char *predicted = s->file->prediction.figure;
    long size[WIRE_MOST] = {0};
    double seconds = 0;

    mark->fault.rank = RANK_DONE;
    for (int k = 0; k < task_file_runs(s->file) && k < most; k++) {
        struct trial t;

        choose_sizes(s->file, k, random, size);
        const char *why = trial_run(s, size, k % 2 == 1, random, &t);
        struct fault f = why ? fault_new(RANK_TOOL, "tool", text_of("The marker has %s.", why))
                             : fault_of(s, &t, mark->measured);
        if (k == 0 && predicted && t.answered == ANSWERED)
            mark->came = fault_figure(s, &t, predicted);
        seconds += why ? 0 : t.ended.seconds;
        if (seconds > most_seconds && f.rank > RANK_LIMIT)
            f = fault_new(RANK_LIMIT, "time",
                          text_of("The program takes more than %.0f seconds at %d sizes.",
                                  most_seconds, k + 1));
        mark->runs++;
        mark->right += t.answered == ANSWERED && !t.wrong.any && !t.changed;
        mark->found += findings_first(&t.findings, s->file) != NULL;
        if (f.rank < mark->fault.rank || mark->fault.rank == RANK_DONE)
            keep(mark, &t, &f);
        trial_free(&t);
        if (mark->fault.rank == RANK_TOOL || mark->fault.rank == RANK_LIMIT ||
            seconds > most_seconds)
            break; /* every other size would take as long */
    }
    mark->score = score_of(s->file, mark);
}

/* What stands behind the = of a line "PREDICT: … = 4"; NAN: no number does. */
static double prediction_in(const char *text)
{
    double value = NAN;

    while (isnan(value) && (text = strstr(text, "PREDICT:")) != NULL) {
        text += strcspn(text, "=\n");
        (void)(sscanf(text, "=%lf", &value) == 1);
    }
    return value;
}

static struct fault not_compiled(const struct ended *compiled)
{
    bool by_student = compiled->how == ENDED_EXIT && compiled->status == 1;
    bool refused = compiled->how == ENDED_EXIT && compiled->status == 2;
    bool ours = compiled->how == ENDED_INTERRUPTED || compiled->how == ENDED_LOST;
    struct fault f = fault_new(RANK_TOOL,
                               ours      ? "tool"
                               : refused ? "refused"
                                         : "compile",
                               text_copy(by_student ? "does not compile"
                                         : refused  ? "cannot be compiled for the CPU backend"
                                         : ours     ? "could not be compiled: the marker's fault"
                                                    : "cannot be compiled: that takes too much "
                                                      "time, memory or space"));

    f.status = refused || ours ? MARK_NOT_JUDGED : MARK_NOT_YET;
    return f;
}

struct mark mark_of(const struct subject *subject, int most, unsigned long long *random)
{
    struct mark mark = {.type = subject->type, .predicted = NAN, .came = NAN};
    size_t length = 0;
    const char *program = text_file(text_of("%s/main.cu", subject->places->work), &length);

    if (program && strlen(program) < length) {
        mark.fault = fault_new(RANK_TOOL, "compile",
                               text_copy("is no text that can be compiled, for it has bytes 0: "
                                         "save it as UTF-8"));
        mark.fault.status = MARK_NOT_YET;
        return mark;
    }
    struct ended compiled = trial_compile(subject);
    if (subject->file->prediction.words && program)
        mark.predicted = prediction_in(program);

    if (compiled.how == ENDED_EXIT && compiled.status == 0)
        run_all(subject, most, random, &mark);
    else
        mark.fault = not_compiled(&compiled);
    mark.compiler = compiled.err[0] ? text_copy(compiled.err) : NULL;
    limits_free(&compiled);
    return mark;
}
