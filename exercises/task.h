/* The harness of an exercise: what a main.cu includes.
 *
 * An exercise is a kernel and one host function,
 *
 *     void task_run(const struct task *task)
 *     {
 *         const elem_t *in = task_in(task, "in");
 *         elem_t *out = task_out(task, "out");
 *         size_t n = task_size(task, "n");
 *
 *         kernel<<<…>>>(in, out, n);
 *         CHECK(cudaGetLastError());
 *     }
 *
 * which the harness calls once per size, in a fresh process. Its inputs are on the device already.
 * The marker (make mark-01) has chosen sizes and inputs, and compares the outputs with a reference
 * that the program never sees. The exercise's header comment lists the arrays by name; a wrong name
 * ends the program with a line. */
#ifndef TASK_H
#define TASK_H

#include "check.h"
#include "elem.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct task;

/* The exercise's own: launches its kernels, and its copies, on one stream, any. It may allocate and
 * free memory of its own, and copy a few results of its kernels to the host, such as a sum for each
 * block, but not the inputs: the work is the kernel's. */
void task_run(const struct task *task);

/* A size of the task, such as the number n of elements. */
size_t task_size(const struct task *task, const char *name);

/* Arrays on the device. Inputs stay as they are; what outputs and memory to work with hold at the
 * start is undefined. bytes: of an element, which must be as the exercise declares it. */
enum task_role { TASK_IN, TASK_OUT, TASK_WORK };
void *task_array(const struct task *task, const char *name, enum task_role role, size_t bytes);

static inline const elem_t *task_in(const struct task *task, const char *name)
{
    return (const elem_t *)task_array(task, name, TASK_IN, sizeof(elem_t));
}

static inline elem_t *task_out(const struct task *task, const char *name)
{
    return (elem_t *)task_array(task, name, TASK_OUT, sizeof(elem_t));
}

static inline elem_t *task_work(const struct task *task, const char *name)
{
    return (elem_t *)task_array(task, name, TASK_WORK, sizeof(elem_t));
}

/* Arrays whose elements are ints, whatever elem_t is: indices and counts. */
static inline const int *task_in_int(const struct task *task, const char *name)
{
    return (const int *)task_array(task, name, TASK_IN, sizeof(int));
}

static inline int *task_out_int(const struct task *task, const char *name)
{
    return (int *)task_array(task, name, TASK_OUT, sizeof(int));
}

#ifdef __cplusplus
}
#endif
#endif
