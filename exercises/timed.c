/* The open exercise's program for a GPU: its task_run in a step's place, so that the lab's harness
 * times and verifies it as it does the steps (make times). Allocations in it are timed, too. */
#include "lab.h"
#include "task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
    const elem_t *in;
    elem_t *sum, *partial;
    size_t n;
};

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "this exercise has no %s '%s'\n", what, name);
    exit(STATUS_USAGE);
}

size_t task_size(const struct task *task, const char *name)
{
    if (strcmp(name, "n") != 0)
        fail("size", name);
    return task->n;
}

void *task_array(const struct task *task, const char *name, enum task_role role, size_t bytes)
{
    if (bytes == sizeof(elem_t) && role == TASK_IN && strcmp(name, "in") == 0)
        return (void *)task->in;
    if (bytes == sizeof(elem_t) && role == TASK_OUT && strcmp(name, "sum") == 0)
        return task->sum;
    if (bytes != sizeof(elem_t) || role != TASK_WORK || strcmp(name, "partial") != 0)
        fail("array", name);
    return task->partial;
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    struct task task = {in, out, scratch, n};

    task_run(&task);
}

int main(int argc, char **argv)
{
    return lab_run(argc, argv, "exercises/yours/main.cu", BLOCK, reduce, NULL);
}
