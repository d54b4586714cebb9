/* Makes and removes the folder. */
#define _GNU_SOURCE
#include "places.h"
#include "text.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

/* The root of the repository; this program lies in its build/exercises/. */
static void find_root(char root[PATH_MAX])
{
    if (!realpath("/proc/self/exe", root))
        text_fail("/proc/self/exe", strerror(errno));
    for (int i = 0; i < 3; i++)
        *strrchr(root, '/') = '\0';
}

void places_make(struct places *p, const char *exercise, const char *file)
{
    size_t length;

    find_root(p->root);
    if (!realpath(exercise, p->exercise))
        text_fail(exercise, strerror(errno));
    if (!file)
        file = text_of("%s/main.cu", p->exercise);
    const char *text = text_file(file, &length);
    if (!text || length > MOST_BYTES)
        text_fail(file, strerror(text ? EFBIG : errno));
    snprintf(p->work, sizeof p->work, "%.4000s/build/marks", p->root);
    if (mkdir(p->work, 0755) != 0 && errno != EEXIST)
        text_fail(p->work, strerror(errno));
    strcat(p->work, "/XXXXXX");
    if (!mkdtemp(p->work))
        text_fail(p->work, strerror(errno));
    const char *path = text_of("%s/main.cu", p->work);
    FILE *copy = fopen(path, "wxe");
    if (!copy || fwrite(text, 1, length, copy) != length || fclose(copy) != 0) {
        int reason = errno;
        places_remove(p);
        text_fail(path, strerror(reason));
    }
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static int remove_others(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    const char *name = path + at->base;
    bool kept = at->level == 1 && (strcmp(name, "main.cu") == 0 || strcmp(name, "program") == 0);

    return kept || at->level == 0 ? 0 : remove_one(path, info, kind, at);
}

void places_clean(const struct places *p)
{
    nftw(p->work, remove_others, 16, FTW_DEPTH | FTW_PHYS);
}

void places_remove(const struct places *p)
{
    nftw(p->work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *places_name(const struct places *p)
{
    return strrchr(p->exercise, '/') + 1;
}
