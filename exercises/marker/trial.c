/* Talks to the program through two files in memory (../wire.h): the program reads a request from
 * one, and writes its answer into the other. It never sees the right results. */
#define _GNU_SOURCE
#include "trial.h"
#include "../task.h"
#include "loaded.h"
#include "text.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* A step at n = 2^16 takes 0.1 s and 50 MB, g++ 0.2 s. */
static const struct limits of_program = {20, (size_t)2 << 30, 4 << 20, 16 << 20, 64 << 20};
static const struct limits of_compiler = {60, (size_t)2 << 30, 4 << 20, 64 << 20, 256 << 20};

/* $0: the repository; $1: the type of elements. */
static const char compile[] = "exec \"$0/simt/simtcc\" -Wall -Wextra -DTYPE=$1 -I\"$0/exercises\" "
                              "-I\"$0/common\" main.cu \"$0/build/task/task.o\" "
                              "\"$0/build/task/check.o\" -Wl,--wrap=simt_set_counters -o program";

/* The first file in g++'s list of what it has read, in make's format, that a program may not see;
 * NULL: there is none. Where nothing confines the compiler it could be another student's main.cu.
 * In a name a blank or # stands behind a backslash, and a $ is two. */
static const char *foreign_file(const char *const *shown)
{
    char *from = text_file("files", NULL), *name = from, *end = from;

    for (; from && *from; from++, end++) {
        bool in_name = from[1] && strchr("\\$", *from) && strchr(" #$", from[1]);
        bool ends = !in_name && strchr(" \n", *from);
        *end = ends ? '\0' : *(from += in_name);
        if (ends && !confine_shows(name, shown))
            return name;
        name = ends ? end + 1 : name;
    }
    return NULL;
}

struct ended trial_compile(const char **foreign)
{
    const char *root = loaded.root;
    const char *const argv[] = {"sh", "-c", compile, root, loaded.type, NULL};
    const char *const settings[] = {"LC_ALL=C", "SIMTCC_TOOLS_READY=1", "TMPDIR=.",
                                    "SUNPRO_DEPENDENCIES=files", NULL};
    const char *const shown[] = {text_of("%s/simt", root),
                                 text_of("%s/build/simt", root),
                                 text_of("%s/build/task", root),
                                 text_of("%s/common", root),
                                 text_of("%s/exercises/task.h", root),
                                 NULL};
    const struct command command = {argv, settings, shown, -1, -1, false};
    struct ended ended = limits_run(&command, &of_compiler);

    *foreign = foreign_file(shown);
    return ended;
}

/* ---- the request ---- */

static size_t bytes_of(const struct array *a)
{
    return a->wire.bytes * a->wire.count;
}

static int memory_file(const char *name)
{
    int file = memfd_create(name, MFD_CLOEXEC);

    if (file < 0)
        text_fail("no file in memory", strerror(errno));
    return file;
}

/* A file in memory with the request, to be read from its start. */
static int request_file(const struct wire_request *request)
{
    int fd = memory_file("request");
    FILE *file = fdopen(dup(fd), "we");

    if (!file)
        abort();
    fwrite(request, sizeof *request, 1, file);
    for (int i = 0; i < loaded.sizes; i++) {
        struct wire_size size = {.value = (uint64_t)loaded.size[i]};
        snprintf(size.name, WIRE_NAME, "%s", loaded.exercise.size[i].name);
        fwrite(&size, sizeof size, 1, file);
    }
    for (unsigned i = 0; i < loaded.arrays; i++)
        fwrite(&loaded.array[i].wire, sizeof loaded.array[i].wire, 1, file);
    for (unsigned i = 0; i < loaded.arrays; i++)
        if (loaded.array[i].wire.role == TASK_IN)
            fwrite(loaded.array[i].data, 1, bytes_of(&loaded.array[i]), file);
    if (fclose(file) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        text_fail("no memory for the inputs", strerror(errno));
    return fd;
}

/* ---- the answer ---- */

static double value_of(const struct array *a, const char *element)
{
    union {
        int i;
        float f;
        double d;
    } value;

    memcpy(&value, element, a->wire.bytes);
    return a->is_int ? value.i : a->wire.bytes == sizeof(float) ? (double)value.f : value.d;
}

static const char *value_text(const struct array *a, double value)
{
    return isnan(value) ? "NaN"
           : a->is_int  ? text_of("%.0f", value)
                        : text_of("%.*g", a->wire.bytes == sizeof(float) ? 9 : 17, value);
}

/* Compares an output with the right one. A value that is not finite must be the same. blank: the
 * byte that the output held at first. */
static void compare(const struct array *a, int out, const char *got, int blank, struct trial *t)
{
    struct difference *wrong = &t->wrong;
    const size_t bytes = a->wire.bytes;
    char untouched[sizeof(double)];

    memset(untouched, blank, sizeof untouched);
    for (size_t k = 0; k < a->wire.count; k++, got += bytes) {
        double want = value_of(a, (const char *)a->data + k * bytes), have = value_of(a, got);
        bool same = want == have || (isnan(want) && isnan(have)) ||
                    (isfinite(want) && fabs(have - want) <= loaded.exercise.within * fabs(want));
        if (same || wrong->count++ > 0)
            continue;
        wrong->array = a->wire.name;
        wrong->index = k;
        wrong->expected = value_text(a, want);
        wrong->got = value_text(a, have);
        if (memcmp(got, untouched, bytes) == 0)
            wrong->got = text_of("%s, as if nobody had written it,", wrong->got);
        t->figures.wrong_out = out;
        t->figures.wrong_index = (double)k;
        t->figures.wrong_got = have;
        t->figures.wrong_expected = want;
    }
}

/* Compares all arrays of the answer, which begin at `at`. */
static void compare_all(const char *at, int blank, struct trial *t)
{
    int out = 0;

    for (unsigned i = 0; i < loaded.arrays; i++) {
        const struct array *a = &loaded.array[i];
        if (a->wire.role == TASK_WORK)
            continue;
        if (a->wire.role == TASK_OUT && !t->wrong.array)
            compare(a, out++, at, blank, t);
        if (a->wire.role == TASK_IN && !t->changed && memcmp(at, a->data, bytes_of(a)) != 0)
            t->changed = a->wire.name;
        at += bytes_of(a);
    }
}

/* Reads an answer into the trial. arrays: the bytes of its arrays. */
static void take_answer(const struct wire_request *request, char *text, size_t length,
                        size_t arrays, struct trial *t)
{
    struct wire_answer *answer = &t->answer;

    if (length < sizeof *answer)
        return;
    memcpy(answer, text, sizeof *answer);
    text += sizeof *answer, length -= sizeof *answer;
    if (memcmp(answer->nonce, request->nonce, sizeof answer->nonce) != 0 ||
        answer->counters > length || length - answer->counters != arrays)
        return;
    char *of_arrays = text + answer->counters, first = *of_arrays;
    *of_arrays = '\0';
    if (!counters_read(text, "main.cu", &t->counters))
        return;
    *of_arrays = first;
    t->figures = t->counters.all;
    t->figures.busy_threads = (double)answer->busy;
    t->figures.unnamed_lanes = (double)answer->unnamed;
    t->figures.active_masks = (double)answer->active;
    t->figures.fences = (double)answer->fences;
    const double bytes = (double)t->input_bytes / (double)t->input_elements; /* of an element */
    t->figures.busiest = (double)answer->busiest[0] / bytes;
    t->figures.busiest_shared = (double)answer->busiest[1] / bytes;
    t->figures.few_shared = (double)answer->few[1] / bytes;
    compare_all(of_arrays, (int)request->blank, t);
    t->answered = true;
}

static void read_answer(const struct wire_request *request, int fd, struct trial *t)
{
    size_t length = 0, arrays = 0;
    char *text = text_file(text_of("/proc/self/fd/%d", fd), &length);

    for (unsigned i = 0; i < loaded.arrays; i++) {
        const struct array *a = &loaded.array[i];
        arrays += a->wire.role == TASK_WORK ? 0 : bytes_of(a);
        t->input_bytes += a->wire.role == TASK_IN ? bytes_of(a) : 0;
        t->input_elements += a->wire.role == TASK_IN ? a->wire.count : 0;
    }
    if (text)
        take_answer(request, text, length, arrays, t);
    free(text);
}

/* ---- a run ---- */

static int remove_others(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    const char *name = path + at->base;

    (void)info, (void)kind;
    return at->level > 1 || (at->level == 1 && strcmp(name, "main.cu") && strcmp(name, "program"))
               ? remove(path)
               : 0;
}

void trial_clean(const char *folder)
{
    nftw(folder, remove_others, 16, FTW_DEPTH | FTW_PHYS);
}

struct trial trial_run(bool shuffled)
{
    unsigned order = shuffled ? next_random() >> 1 : 0;
    const char *const argv[] = {"./program", NULL};
    const char *const shown[] = {realpath("program", NULL), realpath("main.cu", NULL), NULL};
    const char *const settings[] = {"LC_ALL=C",
                                    "SIMT_REPORT=report.json",
                                    text_of("SIMT_ORDER=%u", order),
                                    "SIMT_CHECKS=on",
                                    "SIMT_WATCHDOG=5", /* it says at which line a kernel hangs */
                                    NULL};
    /* two different bytes, since a right result, such as -1 or NaN, may look like one of them */
    struct wire_request request = {
        .magic = WIRE_MAGIC, .sizes = (uint32_t)loaded.sizes, .blank = shuffled ? 0xa5 : 0xff};
    struct trial t = {.answered = false};

    if (getrandom(request.nonce, sizeof request.nonce, 0) != sizeof request.nonce)
        text_fail("no random numbers", strerror(errno));
    loaded_make_arrays();
    request.arrays = loaded.arrays;
    struct limits limits = of_program;
    for (unsigned i = 0; i < loaded.arrays; i++) /* the answer has them */
        limits.file += bytes_of(&loaded.array[i]);
    int in = request_file(&request), out = memory_file("answer");
    const struct command command = {argv, settings, shown, in, out, true};
    trial_clean(".");
    t.ended = limits_run(&command, &limits);
    read_answer(&request, out, &t);
    char *text = text_file("report.json", NULL);
    const struct finding *f = &t.findings.first;
    t.reported = text && findings_read(text, &t.findings);
    t.figures.same_line = f->ends == 2 && f->end[0].line == f->end[1].line;
    t.figures.same_warp = f->ends == 2 && f->end[0].warp == f->end[1].warp;
    close(in);
    close(out);
    return t;
}
