/* An exercise's program for a GPU: its task_run in a step's place, so that the lab's harness times
 * and verifies it as it does the steps (make times EXERCISE=01). Allocations in it are timed, too.
 * Compiled with the EXERCISE's number, whose header comment names arrays and sizes, and the name
 * that the report gives the program: WHOSE is it? */
#include "lab.h"
#include "task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exercises 01 and 03 leave a sum of each TILE elements, 19 one of all. */
enum { ROW = 32, TILE = EXERCISE == 1 ? 4096 : EXERCISE == 3 ? ROW : 0 };

struct task {
    const elem_t *in;
    elem_t *sum, *scratch;
    size_t n;
};

static _Noreturn void fail(const char *what, const char *name)
{
    fprintf(stderr, "this exercise has no %s '%s'\n", what, name);
    exit(STATUS_USAGE);
}

size_t task_size(const struct task *task, const char *name)
{
    if (strcmp(name, EXERCISE == 3 ? "rows" : "n") != 0)
        fail("size", name);
    return EXERCISE == 3 ? task->n / ROW : task->n;
}

void *task_array(const struct task *task, const char *name, enum task_role role, size_t bytes)
{
    const char *out = TILE ? "sums" : "sum";

    if (bytes == sizeof(elem_t) && role == TASK_IN && strcmp(name, "in") == 0)
        return (void *)task->in;
    if (bytes == sizeof(elem_t) && role == TASK_OUT && strcmp(name, out) == 0)
        return TILE ? task->scratch : task->sum;
    if (TILE || bytes != sizeof(elem_t) || role != TASK_WORK || strcmp(name, "partial") != 0)
        fail("array", name);
    return task->scratch;
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    struct task task = {in, out, scratch, n};

    if (EXERCISE == 3 && n % ROW != 0) {
        fprintf(stderr, "-n %zu: want a multiple of %d, whole rows\n", n, ROW);
        exit(STATUS_USAGE);
    }
    task_run(&task);
}

int main(int argc, char **argv)
{
    lab_tiles(TILE);
    return lab_run(argc, argv, "exercises/" WHOSE "/main.cu", 0, reduce, NULL);
}
