/* Runs a program at all sizes, and keeps the first fault. A limit hides none. */
#define _GNU_SOURCE
#include "mark.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Notes how the run stands to each budget that applies. */
static void measure(const struct judged *judged, struct mark *mark)
{
    mark->budgets = judged->budgets;
    for (int i = 0; i < judged->budgets; i++) {
        const struct budget *b = &judged->budget[i], *noted = &mark->measured[i].budget;
        bool missed = budget_missed(b), was_missed = budget_missed(noted);
        bool nearer = missed == was_missed && b->value * noted->limit > noted->value * b->limit;
        if (noted->applies && (!b->applies || !(nearer || missed > was_missed)))
            continue;
        mark->measured[i].budget = *b;
        memcpy(mark->measured[i].size, loaded.size, sizeof loaded.size);
    }
}

/* Points are for budgets: the given program has right results, or nearly, and meets the others. */
static int score_of(const struct mark *mark)
{
    int aims = 0, met = 0;

    if (mark->fault.rank < RANK_BUDGET || mark->fault.rank >= RANK_NOT_JUDGED)
        return mark->fault.rank == RANK_DONE ? 100 : 0;
    for (int i = 0; i < mark->budgets; i++) {
        const struct budget *b = &mark->measured[i].budget;
        aims += !b->keep;
        met += !b->keep && b->applies && !budget_missed(b);
    }
    return 100 * met / aims;
}

static void run_all(int most, double seconds, struct mark *mark)
{
    mark->fault.rank = RANK_DONE;
    for (int k = 0; k < loaded_runs() && k < most; k++) {
        loaded_choose(k);
        struct trial t = trial_run(k % 2 == 1);
        struct judged judged = loaded_judge(&t.figures);
        struct fault f = fault_of(&t, &judged);
        if (f.rank >= RANK_KEEP)
            measure(&judged, mark);
        if (k == 0 && t.answered) {
            mark->predicts = judged.predicts;
            mark->came = judged.came;
        }
        mark->runs++;
        mark->right += t.answered && !t.wrong.array && !t.changed;
        mark->found += t.findings.any;
        if (mark->fault.rank == RANK_DONE || (f.rank < mark->fault.rank && f.rank != RANK_LIMIT)) {
            mark->fault = f;
            mark->trial = t;
            memcpy(mark->size, loaded.size, sizeof mark->size);
        }
        const bool late = limits_now() > seconds;
        if (mark->fault.rank == RANK_DONE && late)
            mark->fault = fault_new(RANK_LIMIT, "time", "All runs together took too much time.");
        const bool stopped = t.findings.not_judged && !t.answered;
        if (f.rank == RANK_LIMIT || mark->fault.rank == RANK_LIMIT || stopped || late)
            break; /* every other size would take as long */
    }
    mark->score = score_of(mark);
}

/* Reads what stands behind the = of the line "PREDICT: … = 4", up to a blank. ?: nothing yet. */
static void read_prediction(const char *text, struct mark *mark)
{
    const char *word = "?";
    char *end;

    while (strchr("?", *word) && (text = strstr(text, "PREDICT:")) != NULL) {
        text += strcspn(text, "=\n");
        text += strspn(text, "= \t");
        word = text_of("%.*s", (int)strcspn(text, " \t\n\r"), text);
    }
    double value = strtod(word, &end);
    if (*end == '\0' && end > word && isfinite(value))
        mark->predicted = value;
    else if (strchr("?", *word) == NULL)
        mark->no_number = word;
}

/* Why the program was not compiled. foreign: as trial_compile has set it. said: the compiler's
 * messages, which become NULL where the fault's message says it all. */
static struct fault not_compiled(const struct ended *compiled, const char *foreign,
                                 const char **said)
{
    const bool ended = compiled->how == ENDED_EXIT && compiled->status <= 2 &&
                       !strstr(compiled->err, "internal compiler error");
    const char *why = ended ? "does not compile"
                            : "cannot be compiled: that takes too much time, memory or space";

    if (foreign) {
        *said = NULL;
        why = text_of("includes %s, which is no file of its own, CUDA's or the C library's",
                      basename(foreign));
    } else if (strstr(compiled->err, "undefined reference to `task_run'")) {
        *said = NULL;
        why = "has no function task_run, which the marker calls: see the given program";
    } else if (ended && compiled->status == 2) {
        struct fault f =
            fault_new(RANK_COMPILE, "refused", "cannot be compiled for the CPU backend");
        f.status = MARK_NOT_JUDGED;
        return f;
    }
    return fault_new(RANK_COMPILE, "compile", "%s", why);
}

/* The compiler's messages without the repository's path, and without those for developers of g++.
 */
static const char *without_places(char *text)
{
    const char *root = text_of("%s/", loaded.root), *result = "";
    char *end = strstr(text, "Please submit a full bug report");

    if (end)
        *end = '\0';
    while ((end = strstr(text, root)) != NULL) {
        result = text_of("%s%.*s", result, (int)(end - text), text);
        text = end + strlen(root);
    }
    return text_of("%s%s", result, text);
}

struct mark mark_of(int most, double seconds)
{
    struct mark mark = {.type = loaded.type, .predicted = NAN, .came = NAN};
    size_t length = 0;
    const char *program = text_file("main.cu", &length);

    if (program && strlen(program) < length) {
        mark.fault = fault_new(RANK_COMPILE, "compile",
                               "is no text that can be compiled, for it has bytes 0: save it as "
                               "UTF-8");
        return mark;
    }
    const char *foreign;
    struct ended compiled = trial_compile(&foreign);
    if (program)
        read_prediction(program, &mark);
    mark.compiler = without_places(compiled.err);
    if (compiled.how == ENDED_EXIT && compiled.status == 0 && !foreign)
        run_all(most, seconds, &mark);
    else
        mark.fault = not_compiled(&compiled, foreign, &mark.compiler);
    return mark;
}
