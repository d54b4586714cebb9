/* Talks to the program through two files in memory (../wire.h): it finds a request, and leaves an
 * answer there. What is right stays here. */
#define _GNU_SOURCE
#include "trial.h"
#include "../task.h"
#include "expression.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* A step at n = 2^16 takes 0.1 s and 50 MB, g++ 0.2 s; its watchdog is in front of our time limit,
 * to say at which line a kernel hangs. */
static const struct limits of_program = {20, (size_t)2 << 30, 16, 4 << 20, 16 << 20, 64 << 20};
static const struct limits of_compiler = {60, (size_t)2 << 30, 32, 4 << 20, 64 << 20, 256 << 20};
#define WATCHDOG "SIMT_WATCHDOG=5"

/* ---- compiling ---- */

/* What a compiler of the user's may need, and how the backend is told of the architecture. */
#define ENVIRONMENT                                                                                \
    "PATH", "CXX", "HOME", "LD_LIBRARY_PATH", "LIBRARY_PATH", "COMPILER_PATH", "CPATH",            \
        "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "LC_ALL=C"

struct ended trial_compile(const struct subject *subject)
{
    const struct places *p = subject->places;
    char *own[] = {text_of("%s/simt/simtcc", p->root),
                   text_of("-DTYPE=%s", subject->type),
                   text_of("-I%s/exercises", p->root),
                   text_of("-I%s/common", p->root),
                   text_of("%s/build/task/task.o", p->root),
                   text_of("%s/build/task/check.o", p->root),
                   text_of("TMPDIR=%s", p->work),
                   text_of("%s/simt", p->root),
                   text_of("%s/build/simt", p->root),
                   text_of("%s/common", p->root),
                   text_of("%s/exercises/task.h", p->root)};
    const char *const argv[] = {
        own[0], "-Wall",   "-Wextra", own[1], own[2],
        own[3], "main.cu", own[4],    own[5], "-Wl,--wrap=simt_set_counters",
        "-o",   "program", NULL};
    const char *const settings[] = {ENVIRONMENT, "SIMTCC_TOOLS_READY=1", own[6], NULL};
    const char *const shown[] = {own[7], own[8], own[9], own[10], own[4], own[5], NULL};
    const struct command command = {argv, p->work, settings, shown, -1, -1, false};

    return limits_run(&command, &of_compiler);
}

/* ---- the request ---- */

struct sizes {
    const struct task_file *file;
    const long *value;
    unsigned bytes;
};

static bool size_figure(const void *context, const char *name, double *value)
{
    const struct sizes *s = context;

    return task_file_size(s->file, s->value, s->bytes, name, value);
}

/* All arrays as the request names them, with memory for inputs and outputs. */
struct problem {
    struct wire_request request;
    struct wire_size size[WIRE_MOST];
    struct wire_array array[WIRE_MOST];
    void *data[WIRE_MOST];
};

static void fill(void *to, bool is_int, unsigned bytes, size_t count, unsigned long long *random)
{
    for (size_t i = 0; i < count; i++) {
        unsigned r = next_random(random);
        double half = (r & 15) - 7.5;
        if (is_int)
            ((int *)to)[i] = (int)(r % 256 * 2) - 255;
        else if (bytes == sizeof(float))
            ((float *)to)[i] = (float)half;
        else
            ((double *)to)[i] = half;
    }
}

static void problem_free(struct problem *p)
{
    for (unsigned i = 0; i < WIRE_MOST; i++)
        free(p->data[i]);
}

/* False: no memory. */
static bool problem_new(const struct subject *s, const long *sizes, uint32_t blank,
                        unsigned long long *random, struct problem *p)
{
    const struct task_file *f = s->file;
    const struct sizes context = {f, sizes, s->bytes};
    struct work w = {p->size, p->array, p->data, (unsigned)f->sizes, (unsigned)f->arrays, random};
    const char *error;

    *p = (struct problem){.request = {WIRE_MAGIC, w.sizes, w.arrays, blank, {0}}};
    if (getrandom(p->request.nonce, sizeof p->request.nonce, 0) != sizeof p->request.nonce)
        return false;
    for (int i = 0; i < f->sizes; i++) {
        snprintf(p->size[i].name, WIRE_NAME, "%.31s", f->size[i].name);
        p->size[i].value = (uint64_t)sizes[i];
    }
    for (int i = 0; i < f->arrays; i++) {
        const struct task_array *a = &f->array[i];
        bool is_int = a->is_int || strcmp(s->type, "int") == 0;
        unsigned bytes = a->is_int ? sizeof(int) : s->bytes;
        double count = expression_value(a->count, size_figure, &context, &error);
        p->array[i].role = (uint32_t)a->role;
        p->array[i].bytes = bytes;
        p->array[i].count = count > 0 ? (uint64_t)count : 0;
        snprintf(p->array[i].name, WIRE_NAME, "%.31s", a->name);
        if ((p->data[i] = calloc(p->array[i].count + 1, bytes)) == NULL)
            return false;
        if (a->role == TASK_IN)
            fill(p->data[i], is_int, bytes, p->array[i].count, random);
    }
    if (s->inputs)
        s->inputs(&w);
    s->reference(&w);
    return true;
}

static size_t bytes_of(const struct wire_array *a)
{
    return a->bytes * a->count;
}

/* A file in memory with the request, at its begin; -1: there is no such file. */
static int request_file(const struct problem *p)
{
    int fd = memfd_create("request", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(dup(fd), "we") : NULL;

    if (!file)
        return -1;
    fwrite(&p->request, sizeof p->request, 1, file);
    fwrite(p->size, sizeof *p->size, p->request.sizes, file);
    fwrite(p->array, sizeof *p->array, p->request.arrays, file);
    for (unsigned i = 0; i < p->request.arrays; i++)
        if (p->array[i].role == TASK_IN)
            fwrite(p->data[i], p->array[i].bytes, p->array[i].count, file);
    bool good = !ferror(file);
    return fclose(file) == 0 && good && lseek(fd, 0, SEEK_SET) == 0 ? fd : -1;
}

/* ---- the answer ---- */

static double value_of(const char *element, bool is_int, unsigned bytes)
{
    union {
        int i;
        float f;
        double d;
    } value;

    memcpy(&value, element, bytes);
    return is_int ? value.i : bytes == sizeof(float) ? (double)value.f : value.d;
}

static const char *value_text(double value, bool is_int, unsigned bytes)
{
    return isnan(value) ? "NaN"
           : is_int     ? text_of("%.0f", value)
                        : text_of("%.*g", bytes == sizeof(float) ? 9 : 17, value);
}

/* Compares an output with the reference; what is not finite must be the same. */
static void compare(const struct problem *p, unsigned i, bool is_int, double within,
                    const char *got, struct difference *wrong)
{
    const struct wire_array *a = &p->array[i];
    char untouched[sizeof(double)];

    memset(untouched, (int)p->request.blank, sizeof untouched);
    for (size_t k = 0; k < a->count; k++, got += a->bytes) {
        double want = value_of((const char *)p->data[i] + k * a->bytes, is_int, a->bytes);
        double have = value_of(got, is_int, a->bytes);
        bool same = want == have || (isnan(want) && isnan(have)) ||
                    (isfinite(want) && fabs(have - want) <= within * fabs(want));
        if (same)
            continue;
        if (!wrong->any) {
            wrong->any = true;
            wrong->index = k;
            wrong->want = want, wrong->have = have;
            wrong->expected = value_text(want, is_int, a->bytes);
            wrong->got = value_text(have, is_int, a->bytes);
            if (memcmp(got, untouched, a->bytes) == 0)
                wrong->got = text_of("%s, as if nobody had written it,", wrong->got);
        }
        wrong->count++;
    }
}

/* Looks at the arrays of the answer, which begin there. */
static void compare_all(const struct subject *s, const struct problem *p, const char *at,
                        struct trial *trial)
{
    const struct sizes context = {s->file, trial->size, s->bytes};
    const char *error;
    int out = 0;

    for (unsigned i = 0; i < p->request.arrays; i++) {
        const struct task_array *a = &s->file->array[i];
        if (a->role == TASK_WORK)
            continue;
        if (a->role == TASK_IN) {
            if (!trial->changed && memcmp(at, p->data[i], bytes_of(&p->array[i])) != 0)
                trial->changed = a->name;
        } else if (!trial->wrong.any) {
            compare(p, i, a->is_int || strcmp(s->type, "int") == 0,
                    a->within ? expression_value(a->within, size_figure, &context, &error) : 0, at,
                    &trial->wrong);
            if (trial->wrong.any)
                trial->wrong.array = a->name, trial->wrong.out = out;
            out++;
        }
        at += bytes_of(&p->array[i]);
    }
}

/* The text of an answer, whose arrays take so many bytes, into the trial. */
static void take_answer(const struct subject *s, const struct problem *p, char *text, size_t length,
                        size_t arrays, struct trial *trial)
{
    struct wire_answer answer;

    if (length < sizeof answer)
        return;
    memcpy(&answer, text, sizeof answer);
    text += sizeof answer, length -= sizeof answer;
    if (memcmp(answer.nonce, p->request.nonce, sizeof answer.nonce) != 0 ||
        answer.counters > length || length - answer.counters < arrays)
        return;
    compare_all(s, p, text + answer.counters, trial);
    text[answer.counters] = '\0'; /* the arrays have been looked at */
    if (!counters_read(text, "main.cu", &trial->counters))
        return;
    trial->answered = length - answer.counters == arrays ? ANSWERED : ANSWERED_TWICE;
    trial->launches = answer.launches;
    trial->copied = answer.copied;
    trial->busiest = answer.busiest;
    trial->unnamed = answer.unnamed;
}

static void read_answer(const struct subject *s, const struct problem *p, int fd,
                        struct trial *trial)
{
    size_t length = 0, arrays = 0;
    char *text = text_file(text_of("/proc/self/fd/%d", fd), &length);

    for (unsigned i = 0; i < p->request.arrays; i++)
        arrays += p->array[i].role == TASK_WORK ? 0 : bytes_of(&p->array[i]);
    if (text)
        take_answer(s, p, text, length, arrays, trial);
    free(text);
}

static void read_report(const char *path, struct trial *trial)
{
    char *text = text_file(path, NULL);

    trial->reported = text && findings_read(text, &trial->findings);
    free(text);
}

/* ---- a run ---- */

static void run(const struct subject *s, int in, int out, unsigned order, struct trial *trial)
{
    const struct places *p = s->places;
    char *program = text_of("%s/program", p->work), *source = text_of("%s/main.cu", p->work);
    char *report = text_of("SIMT_REPORT=%s/report.json", p->work);
    char *shuffle = text_of("SIMT_ORDER=%u", order);
    const char *const argv[] = {program, NULL}, *const shown[] = {program, source, NULL};
    const char *const settings[] = {"PATH",           "LC_ALL=C", report, shuffle,
                                    "SIMT_CHECKS=on", WATCHDOG,   NULL};
    const struct command command = {argv, p->work, settings, shown, in, out, true};

    places_clean(p);
    trial->ended = limits_run(&command, &of_program);
    read_report(strchr(report, '=') + 1, trial);
}

static void measure_inputs(const struct problem *p, struct trial *trial)
{
    for (unsigned i = 0; i < p->request.arrays; i++) {
        if (p->array[i].role != TASK_IN)
            continue;
        trial->input_bytes += bytes_of(&p->array[i]);
        trial->input_elements += p->array[i].count;
    }
}

const char *trial_run(const struct subject *subject, const long *sizes, bool shuffled,
                      unsigned long long *random, struct trial *trial)
{
    struct problem problem;
    int in = -1, out = -1;
    const char *why = NULL;

    *trial = (struct trial){.answered = NOT_ANSWERED};
    memcpy(trial->size, sizes, sizeof trial->size);
    /* the right result may look like one of them, such as -1 or NaN */
    static const uint32_t blanks[] = {0xff, 0xa5};
    unsigned order = shuffled ? next_random(random) >> 1 : 0;
    if (!problem_new(subject, sizes, blanks[shuffled], random, &problem))
        why = "no memory for the inputs";
    else if ((in = request_file(&problem)) < 0 || (out = memfd_create("answer", MFD_CLOEXEC)) < 0)
        why = "no file in memory for the inputs";
    if (!why) {
        measure_inputs(&problem, trial);
        run(subject, in, out, order, trial);
        read_answer(subject, &problem, out, trial);
    }
    problem_free(&problem);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return why;
}

void trial_free(struct trial *trial)
{
    limits_free(&trial->ended);
    findings_free(&trial->findings);
    counters_free(&trial->counters);
}
