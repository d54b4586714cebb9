/* mark: marks one exercise. Its usage is below; exercises/FORMATS.md has the format of what it
 * writes.
 *
 *     main                          options, the exercise's folder, types in order
 *     tell                          what it prints and writes
 *     mark                          what a program is worth: all its runs
 *     fault                         what is not right with one of them
 *     trial                         compiles it, and runs it once
 *     limits confine places         in a child that cannot do harm, in a folder of its own
 *     task_file expression          what counts as done
 *     counters findings             what the backend counted and found
 *     text                          */
#define _GNU_SOURCE
#include "confine.h"
#include "tell.h"
#include "text.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static const char usage[] =
    "usage: mark [options] FOLDER\n"
    "\n"
    "Marks FOLDER/main.cu: compiles it for the CPU backend, runs it at all sizes and\n"
    "for all types that FOLDER/task.txt names, and says what is right and what is\n"
    "not yet. make mark-01 builds what it needs and calls it.\n"
    "\n"
    "  --at V[,V…]    marks at this size alone: a value for each size of task.txt\n"
    "  --file FILE    marks this file instead of FOLDER/main.cu\n"
    "  --hint K       shows the K-th hint instead of the first; where a bug is to be\n"
    "                 found, 1 shows where it is, and 2 the first hint\n"
    "  --json FILE    writes the result there, too\n"
    "  --quiet        prints nothing\n"
    "  --runs N       runs it at the first N sizes alone\n"
    "  --seed SEED    sizes, inputs and orders are drawn from this number instead of\n"
    "                 from a new one; the JSON says which one it was\n"
    "  --title        prints the exercise's title, and marks nothing\n"
    "  --type TYPE    marks for this type alone\n"
    "\n"
    "exit status: 0 done, 1 not yet, 2 a wrong call, 5 could not be judged\n";

enum { MOST_SIZE = 1 << 24 };

struct options {
    const char *folder, *at, *file, *json, *type;
    int hint, runs;
    bool quiet, seeded, title;
    unsigned long long seed;
};

static struct places places;

/* ---- options ---- */

static unsigned long long whole_number(const char *option, const char *text, unsigned long long low,
                                       unsigned long long high)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno || *end || end == text || *text == '-' || value < low || value > high)
        text_fail(text_of("%s %s", option, text),
                  text_of("want a whole number from %llu to %llu", low, high));
    return value;
}

static struct options parse(int argc, char **argv)
{
    static const struct option longs[] = {{"at", required_argument, NULL, 'a'},
                                          {"file", required_argument, NULL, 'f'},
                                          {"hint", required_argument, NULL, 'h'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"runs", required_argument, NULL, 'r'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"title", no_argument, NULL, 'T'},
                                          {"type", required_argument, NULL, 't'},
                                          {"help", no_argument, NULL, '?'},
                                          {NULL, 0, NULL, 0}};
    struct options o = {.runs = INT_MAX};
    int c;

    opterr = 0;
    while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        switch (c) {
        case 'a': o.at = optarg; break;
        case 'f': o.file = optarg; break;
        case 'h': o.hint = (int)whole_number("--hint", optarg, 1, 99); break;
        case 'j': o.json = optarg; break;
        case 'q': o.quiet = true; break;
        case 'r': o.runs = (int)whole_number("--runs", optarg, 1, 99); break;
        case 's':
            o.seed = whole_number("--seed", optarg, 0, UINT_MAX);
            o.seeded = true;
            break;
        case 'T': o.title = true; break;
        case 't': o.type = optarg; break;
        default:
            if (strcmp(argv[optind - 1], "--help") != 0)
                text_fail(argv[optind - 1],
                          "no such option, or it needs a value; --help lists them");
            printf("%s", usage);
            exit(MARK_DONE);
        }
    }
    if (optind != argc - 1)
        text_fail("usage", "mark [options] FOLDER; --help lists the options");
    o.folder = argv[optind];
    return o;
}

/* ---- the exercise ---- */

/* The exercise has these sizes alone, which stand with commas between. */
static void keep_sizes(struct task_file *file, const char *values)
{
    for (int i = 0; i < file->sizes; i++) {
        size_t length = strcspn(values, ",");
        const char *value = text_of("%.*s", (int)length, values);
        file->size[i].value[0] = (long)whole_number("--at", value, 1, MOST_SIZE);
        file->size[i].values = 1;
        memset(file->size[i].draw, 0, sizeof file->size[i].draw);
        values += length + (values[length] == ',' && i + 1 < file->sizes);
    }
    if (*values)
        text_fail("--at", "more values than the exercise has sizes");
}

/* The reference for a type, which make has built. */
static void load_reference(struct subject *s)
{
    const char *path = text_of("%s/build/exercises/%s/reference-%s.so", places.root,
                               places_name(&places), s->type);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        text_fail("no reference, make builds it", dlerror());
    *(void **)&s->reference = dlsym(library, "reference");
    *(void **)&s->inputs = dlsym(library, "inputs");
    if (!s->reference)
        text_fail(path, "has no function 'reference'");
}

/* Marks type by type until one is not done; returns how many. */
static int mark_types(const struct options *o, const struct told_exercise *e, struct mark *marks)
{
    unsigned long long random = e->seed;
    int count = 0;

    for (int i = 0; i < e->file->types; i++) {
        struct subject s = {&places, e->file, e->file->type[i], 4, NULL, NULL};
        if (o->type && strcmp(o->type, s.type) != 0)
            continue;
        s.bytes = strcmp(s.type, "double") == 0 ? 8 : 4;
        load_reference(&s);
        marks[count] = mark_of(&s, o->runs, &random);
        if (limits_interrupted())
            return count + 1;
        if (!o->quiet)
            tell_mark(e, &marks[count]);
        if (marks[count++].fault.rank != RANK_DONE)
            break;
    }
    return count;
}

static unsigned long long new_seed(void)
{
    unsigned seed = 0;
    return getrandom(&seed, sizeof seed, 0) == sizeof seed ? seed : (unsigned)getpid();
}

static void remove_places(void)
{
    places_remove(&places);
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    struct mark marks[MOST_TYPES];
    struct task_file file;

    task_file_read(text_of("%s/task.txt", o.folder), &file);
    if (o.title) {
        printf("%s\n", file.title);
        return MARK_DONE;
    }
    if (o.at)
        keep_sizes(&file, o.at);
    places_make(&places, o.folder, o.file);
    atexit(remove_places);
    struct told_exercise e = {places_name(&places), &file, o.seeded ? o.seed : new_seed(), o.hint};
    if (!o.quiet)
        tell_head(&e, confine_can());
    int count = mark_types(&o, &e, marks);
    if (limits_interrupted()) { /* as if nobody had caught the signal */
        remove_places();
        signal(limits_interrupted(), SIG_DFL);
        raise(limits_interrupted());
    }
    if (count == 0)
        text_fail(o.type, "no type of this exercise");
    if (!o.quiet)
        tell_end(&e, &marks[count - 1]);
    if (o.json && !tell_json(&e, marks, count, o.json))
        text_fail(text_of("--json %s", o.json), strerror(errno));
    return (int)marks[count - 1].fault.status;
}
