/* Asks the system how much memory there is: cgroups(7), of version 2; proc_meminfo(5). */
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

/* Left in a control group. What is cached of files is given up on demand. */
static uint64_t left_in(const char *group)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
    uint64_t limit = read_number(path, "", UINT64_MAX);
    if (limit == UINT64_MAX)
        return limit;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", group);
    uint64_t used = read_number(path, "", 0);
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.stat", group);
    uint64_t cached = read_number(path, "inactive_file ", 0);
    used -= cached < used ? cached : used;
    return used < limit ? limit - used : 0;
}

/* In the group and all that it lies in. In a container those outside are not to be seen. */
static uint64_t left_in_groups(void)
{
    FILE *file = fopen("/proc/self/cgroup", "r");
    char group[PATH_MAX] = "";
    uint64_t least = left_in("");

    if (file && fscanf(file, "0::%4095s", group) != 1)
        group[0] = '\0';
    if (file)
        fclose(file);
    for (char *slash; (slash = strrchr(group, '/')) != NULL; *slash = '\0') {
        uint64_t left = left_in(group);
        least = left < least ? left : least;
    }
    return least;
}

size_t available_memory(void)
{
    uint64_t kib = read_number("/proc/meminfo", "MemAvailable:", UINT64_MAX);
    uint64_t all = kib < UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX, left = left_in_groups();

    return (size_t)(left < all ? left : all);
}
