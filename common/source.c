/* Compares the times of two files, as make does. */
#define _GNU_SOURCE
#include "source.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_newer(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
                                                  : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* Ends the path of a program where the folder ends from which it was compiled: in front of the
 * build folder, in which make leaves it, else in front of its name. */
static void to_root(char *path)
{
    char *end = strrchr(path, '/');

    for (char *build = path; (build = strstr(build, "/build/")) != NULL; build++)
        end = build;
    *end = '\0';
}

void source_check(const char *program, const char *file)
{
    char path[PATH_MAX];
    struct stat built, source;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0 || stat("/proc/self/exe", &built) != 0)
        return;
    path[length] = '\0';
    to_root(path);
    length = (ssize_t)strlen(path);
    snprintf(path + length, sizeof path - (size_t)length, "/%s", file);
    if (stat(file[0] == '/' ? file : path, &source) == 0 && is_newer(&source, &built))
        fprintf(stderr, "%s: older than its source, %s: make builds it anew\n", program, file);
}
