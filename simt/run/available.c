/* Asks the system how much memory there is: cgroups(7), proc_meminfo(5). */
#define _GNU_SOURCE
#include "run/available.h"

#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The number behind a name in a file of lines "NAME NUMBER"; name "": that on the first line.
 * Otherwise none, "max" for example. */
static uint64_t read_number(const char *path, const char *name, uint64_t none)
{
    FILE *file = fopen(path, "r");
    char line[256];
    uint64_t number = none;
    size_t length = strlen(name);

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, length) == 0) {
            if (sscanf(line + length, "%" SCNu64, &number) != 1)
                number = none;
            break;
        }
    if (file)
        fclose(file);
    return number;
}

/* How a kind of control groups names its files. What is cached of files is given up on demand. */
struct names {
    const char *root, *limit, *used, *cached;
};

static uint64_t left_in(const struct names *names, const char *group)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s%s/%s", names->root, group, names->limit);
    uint64_t limit = read_number(path, "", UINT64_MAX);
    if (limit == UINT64_MAX)
        return limit;
    snprintf(path, sizeof path, "%s%s/%s", names->root, group, names->used);
    uint64_t used = read_number(path, "", 0);
    snprintf(path, sizeof path, "%s%s/memory.stat", names->root, group);
    uint64_t cached = read_number(path, names->cached, 0);
    used -= cached < used ? cached : used;
    return used < limit ? limit - used : 0;
}

/* In the group and all that it lies in. In a container those outside are not to be seen. */
static uint64_t left_in_all(const struct names *names, char *group)
{
    uint64_t least = left_in(names, "");

    for (char *slash; (slash = strrchr(group, '/')) != NULL; *slash = '\0') {
        uint64_t left = left_in(names, group);
        least = left < least ? left : least;
    }
    return least;
}

static uint64_t left_in_groups(void)
{
    static const struct names version1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                          "memory.usage_in_bytes", "total_inactive_file "},
                              version2 = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                          "inactive_file "};
    FILE *file = fopen("/proc/self/cgroup", "r");
    char line[PATH_MAX], group[PATH_MAX];
    uint64_t least = UINT64_MAX, left = UINT64_MAX;

    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "0::%4095s", group) == 1)
            left = left_in_all(&version2, group);
        else if (sscanf(line, "%*d:memory:%4095s", group) == 1)
            left = left_in_all(&version1, group);
        least = left < least ? left : least;
    }
    if (file)
        fclose(file);
    return least;
}

size_t available_memory(void)
{
    uint64_t kib = read_number("/proc/meminfo", "MemAvailable:", UINT64_MAX);
    uint64_t all = kib < UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX, left = left_in_groups();

    return (size_t)(left < all ? left : all);
}
