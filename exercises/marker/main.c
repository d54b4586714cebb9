/* mark: marks one exercise. Its usage is below; exercises/FORMATS.md has the format of what it
 * writes.
 *
 *     main                          options, the exercise's folder, types in order
 *     tell json                     what it prints and writes
 *     mark                          what a program is worth: all its runs
 *     fault                         what is not right with one of them
 *     trial                         compiles it, and runs it once
 *     limits confine                in a child that cannot do harm, in a folder of its own
 *     loaded                        what is right, and what counts as done: exercise.c
 *     counters findings             what the backend counted and found
 *     text                          */
#define _GNU_SOURCE
#include "tell.h"
#include "text.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: mark [options] FOLDER\n"
    "\n"
    "Marks FOLDER/main.cu: compiles it for the CPU backend, runs it at all sizes and\n"
    "for all types that FOLDER/exercise.c names, and says what is right and what is\n"
    "not yet. make mark-01 builds what it needs and calls it.\n"
    "\n"
    "  --at V[,V…]    marks at this size alone: a value for each size of exercise.c\n"
    "  --file FILE    marks this file instead of FOLDER/main.cu\n"
    "  --hint K       shows the K-th hint instead of the first; where a bug is to be\n"
    "                 found, 1 shows where it is, and 2 the first hint\n"
    "  --json FILE    writes the result there, too\n"
    "  --quiet        prints nothing\n"
    "  --runs N       runs it at the first N sizes alone\n"
    "  --seconds S    for all runs together; 300 without it, and each has limits of its own\n"
    "  --seed SEED    sizes, inputs and orders are drawn from this number instead of\n"
    "                 from a new one; the JSON says which one it was\n"
    "  --type TYPE    marks for this type alone\n"
    "\n"
    "exit status: 0 done, 1 not yet, 2 a wrong call, 5 could not be judged\n";

enum { MOST_SIZE = 1 << 24, MOST_TYPES = 3, MOST_BYTES = 1 << 20 };

/* ---- options ---- */

/* The values of those that are given; "" where an option has none. */
enum { AT, FILE_TO_MARK, HINT, JSON, QUIET, RUNS, SECONDS, SEED, TYPE_ALONE, HELP, OPTIONS };
static const char *given[OPTIONS];

/* Returns the folder. */
static const char *parse(int argc, char **argv)
{
    static const struct option options[] = {{"at", required_argument, NULL, AT},
                                            {"file", required_argument, NULL, FILE_TO_MARK},
                                            {"hint", required_argument, NULL, HINT},
                                            {"json", required_argument, NULL, JSON},
                                            {"quiet", no_argument, NULL, QUIET},
                                            {"runs", required_argument, NULL, RUNS},
                                            {"seconds", required_argument, NULL, SECONDS},
                                            {"seed", required_argument, NULL, SEED},
                                            {"type", required_argument, NULL, TYPE_ALONE},
                                            {"help", no_argument, NULL, HELP},
                                            {NULL, 0, NULL, 0}};
    int which;

    opterr = 0;
    while ((which = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (which == '?')
            text_fail(argv[optind - 1], "no such option, or it needs a value; --help lists them");
        given[which] = optarg ? optarg : "";
    }
    if (given[HELP]) {
        printf("%s", usage);
        exit(MARK_DONE);
    }
    if (optind != argc - 1)
        text_fail("usage", "mark [options] FOLDER; --help lists the options");
    return argv[optind];
}

/* `otherwise` where the option is not given: text is NULL. */
static unsigned long long whole_number(const char *option, const char *text, unsigned long long low,
                                       unsigned long long high, unsigned long long otherwise)
{
    char *end;
    unsigned long long value;

    if (!text)
        return otherwise;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno || *end || end == text || *text == '-' || value < low || value > high)
        text_fail(text_of("%s %s", option, text),
                  text_of("want a whole number from %llu to %llu", low, high));
    return value;
}

/* ---- the exercise ---- */

/* The exercise has these sizes alone, which stand with commas between. */
static void keep_sizes(const char *values)
{
    for (int i = 0; i < loaded.sizes; i++) {
        struct size *s = &loaded.exercise.size[i];
        size_t length = strcspn(values, ",");
        const char *value = text_of("%.*s", (int)length, values);
        long only = (long)whole_number("--at", value, 1, MOST_SIZE, 0);
        *s = (struct size){.name = s->name, .value = {only}};
        values += length + (values[length] == ',' && i + 1 < loaded.sizes);
    }
    if (*values)
        text_fail("--at", "more values than the exercise has sizes");
}

/* Marks type by type until one is not done; returns how many. */
static int mark_types(int runs, double seconds, struct mark marks[MOST_TYPES])
{
    char *types = text_of("%s", loaded.exercise.types);
    int count = 0;

    for (char *type; (type = strsep(&types, " ")) != NULL && count < MOST_TYPES;) {
        if (given[TYPE_ALONE] && strcmp(given[TYPE_ALONE], type) != 0)
            continue;
        loaded_open(loaded.root, loaded.name, type);
        if (given[AT])
            keep_sizes(given[AT]);
        marks[count] = mark_of(runs, seconds);
        if (!given[QUIET])
            tell_mark(&marks[count]);
        if (marks[count++].fault.rank != RANK_DONE)
            break;
    }
    return count;
}

/* ---- the folder to work in ---- */

static const char *folder_to_leave;

static void leave(void)
{
    trial_clean(folder_to_leave);
    remove(text_of("%s/main.cu", folder_to_leave));
    remove(text_of("%s/program", folder_to_leave));
    rmdir(folder_to_leave);
    if (limits_interrupted) {
        signal(limits_interrupted, SIG_DFL);
        raise(limits_interrupted);
    }
}

/* build/exercises/mark lies in the repository. */
static const char *find_root(void)
{
    char *root = realpath("/proc/self/exe", NULL);

    for (int i = 0; i < 3; i++)
        *strrchr(root, '/') = '\0';
    return root;
}

/* Goes to a new folder, in which a copy of file, which is a regular file of at most 1 MiB, is
 * called main.cu; leave() removes it. */
static void enter(const char *root, const char *file)
{
    char *folder = text_of("%s/build/marks/XXXXXX", root);
    size_t length;
    const char *text = text_file(file, &length);

    if (!text || length > MOST_BYTES)
        text_fail(file, strerror(text ? EFBIG : errno));
    mkdir(text_of("%s/build/marks", root), 0755);
    if (!mkdtemp(folder) || chdir(folder) != 0)
        text_fail(folder, strerror(errno));
    folder_to_leave = folder;
    atexit(leave);
    FILE *copy = fopen("main.cu", "wxe");
    if (!copy || fwrite(text, 1, length, copy) != length || fclose(copy) != 0)
        text_fail(folder, strerror(errno));
}

int main(int argc, char **argv)
{
    const char *argument = parse(argc, argv), *folder = realpath(argument, NULL);
    int hint = (int)whole_number("--hint", given[HINT], 1, 99, 0);
    int runs = (int)whole_number("--runs", given[RUNS], 1, 99, INT_MAX);
    double seconds = (double)whole_number("--seconds", given[SECONDS], 1, 86400, 300);
    unsigned new_seed;
    struct mark marks[MOST_TYPES];

    if (getrandom(&new_seed, sizeof new_seed, 0) < 0)
        text_fail("no random numbers", strerror(errno));
    unsigned long long seed = whole_number("--seed", given[SEED], 0, UINT_MAX, new_seed);
    if (!folder)
        text_fail(argument, strerror(errno));
    loaded_open(find_root(), strrchr(folder, '/') + 1, "int");
    const char *start = getcwd(NULL, 0);
    enter(loaded.root, given[FILE_TO_MARK] ? given[FILE_TO_MARK] : text_of("%s/main.cu", folder));
    loaded_seed(seed);
    if (!given[QUIET])
        tell_head(confine_can());
    int count = mark_types(runs, limits_now() + seconds, marks);
    if (count == 0)
        text_fail(given[TYPE_ALONE], "no type of this exercise");
    struct mark *last = &marks[count - 1];
    if (hint == 0)
        tell_nothing_yet(last);
    if (!given[QUIET])
        tell_end(last, hint);
    if (given[JSON] && (chdir(start) != 0 || !tell_json(marks, count, hint, seed, given[JSON])))
        text_fail(text_of("--json %s", given[JSON]), strerror(errno));
    return (int)last->fault.status;
}
