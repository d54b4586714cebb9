/* Runs a command under small limits: limits SECONDS MEMORY OUTPUT FILE FILES ALONE COMMAND … in the
 * present folder. Prints how it ended, its status, and how many processes of ours are left; then
 * what it wrote. */
#define _GNU_SOURCE
#include "exercises/marker/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
    static const char *const how[] = {[ENDED_EXIT] = "exit",
                                      [ENDED_SIGNAL] = "signal",
                                      [ENDED_TIME] = "time",
                                      [ENDED_MEMORY] = "memory",
                                      [ENDED_OUTPUT] = "output"};
    const char *const settings[] = {"ADDED=yes", NULL};
    const char *const shown[] = {NULL};

    if (argc < 8)
        return 2;
    struct limits limits = {(rlim_t)atol(argv[1]), (size_t)atol(argv[2]), (size_t)atol(argv[3]),
                            (size_t)atol(argv[4]), (size_t)atol(argv[5])};
    struct command command = {
        (const char *const *)argv + 7, settings, shown, -1, -1, atoi(argv[6])};
    struct ended ended = limits_run(&command, &limits);
    printf("%s %d %d\n%s%s", how[ended.how], ended.status, waitpid(-1, NULL, WNOHANG) != -1,
           ended.out, ended.err);
    return 0;
}
