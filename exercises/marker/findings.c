/* From the report's JSON. */
#define _GNU_SOURCE
#include "findings.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static int number(const char *value)
{
    return value ? atoi(value) : 0;
}

static struct finding_place read_place(const char *object)
{
    return (struct finding_place){.file = json_text(json_member(object, "file")),
                                  .source = json_text(json_member(object, "source")),
                                  .operation = json_text(json_member(object, "operation")),
                                  .line = number(json_member(object, "line"))};
}

static struct finding read_one(const char *object)
{
    const char *note = json_member(object, "note");
    struct finding f = {.id = json_text(json_member(object, "id")),
                        .title = json_text(json_member(object, "title")),
                        .kernel = json_text(json_member(object, "kernel")),
                        .text = json_text(json_member(object, "text")),
                        .place = read_place(object),
                        .launch = number(json_member(json_member(object, "launch"), "number")),
                        .note = note && *note == 't'};

    for (const char *end = json_first(json_member(object, "ends")); end && f.ends < FINDING_ENDS;
         end = json_next(end))
        f.end[f.ends++] = read_place(end);
    return f;
}

bool findings_read(const char *text, struct findings *findings)
{
    const char *report = text + strspn(text, " \n"), *list = json_member(report, "findings"), *end;

    *findings = (struct findings){0};
    if (!list || *list != '[' || (end = json_end(list)) == NULL || !json_end(report) ||
        number(json_member(report, "version")) != 1)
        return false;
    findings->status = number(json_member(report, "status"));
    findings->not_judged = json_text(json_member(report, "not_judged"));
    findings->json = strndup(list, (size_t)(end - list));
    for (const char *each = json_first(list); each; each = json_next(each)) {
        findings->finding =
            realloc(findings->finding, (findings->count + 1) * sizeof *findings->finding);
        if (!findings->finding)
            abort();
        findings->finding[findings->count++] = read_one(each);
    }
    return true;
}

static void free_place(struct finding_place *p)
{
    free(p->file), free(p->source), free(p->operation);
}

void findings_free(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct finding *f = &findings->finding[i];
        free(f->id), free(f->title), free(f->kernel), free(f->text);
        free_place(&f->place);
        for (int k = 0; k < f->ends; k++)
            free_place(&f->end[k]);
    }
    free(findings->finding);
    free(findings->not_judged);
    free(findings->json);
}

static bool has_hint(const struct task_file *task, const char *id)
{
    for (int i = 0; i < task->hints; i++)
        if (task_hint_is_for(&task->hint[i], id))
            return true;
    return false;
}

const struct finding *findings_first(const struct findings *findings, const struct task_file *task)
{
    const struct finding *first = NULL;
    bool found = false; /* a divergent barrier, in that launch */

    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->finding[i];
        if (!f->id || (f->note && !has_hint(task, f->id)))
            continue;
        bool barrier = strcmp(f->id, "divergent-barrier") == 0;
        if (!first || f->launch < first->launch ||
            (f->launch == first->launch && barrier && !found))
            first = f, found = barrier;
    }
    return first;
}
