/* The harness in an exercise's program: takes sizes and inputs from the marker, runs task_run, and
 * hands back its outputs. It knows no right result. Links with the CPU backend. */
#define _GNU_SOURCE
#include "task.h"
#include "wire.h"

#include <cuda_runtime_api.h>
#include <simt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct task {
    struct wire_request request;
    struct wire_size size[WIRE_MOST];
    struct wire_array array[WIRE_MOST];
    void *data[WIRE_MOST]; /* of each array, on the device */
    bool *asked;           /* has task_run asked for this array? */
};

static const char *const roles[] = {"input", "output", "memory to work with"};

/* Some exercises had another task once. */
#define OLD                                                                                        \
    ". If this program was written for another exercise, or an earlier edition of it, begin "      \
    "anew: make reset-NN keeps it beside"

/* In one line, by printf's arguments. */
static _Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    exit(STATUS_USAGE);
}

/* ---- what task_run asks for ---- */

size_t task_size(const struct task *task, const char *name)
{
    for (uint32_t i = 0; i < task->request.sizes; i++)
        if (strcmp(task->size[i].name, name) == 0)
            return task->size[i].value;
    fail("task_size: this exercise has no size '%.40s'; want '%s'" OLD, name, task->size[0].name);
}

void *task_array(const struct task *task, const char *name, enum task_role role, size_t bytes)
{
    for (uint32_t i = 0; i < task->request.arrays; i++) {
        const struct wire_array *a = &task->array[i];
        if (strcmp(a->name, name) != 0 || a->role != role)
            continue;
        task->asked[i] = true;
        if (a->bytes == bytes)
            return task->data[i];
        fail("'%s' has elements of %u bytes, not %zu: %s", name, a->bytes, bytes,
             a->bytes == 4 ? "want elem_t, or of ints the function that ends in _int"
                           : "want elem_t");
    }
    fail("this exercise has no %s '%.40s': see its header comment" OLD, roles[role], name);
}

static void check_outputs(const struct task *task)
{
    for (uint32_t i = 0; i < task->request.arrays; i++)
        if (task->array[i].role == TASK_OUT && !task->asked[i])
            fail("task_run does not ask for the output '%s'" OLD, task->array[i].name);
}

/* A program cannot stop the counters. */
void __real_simt_set_counters(int on);
void __wrap_simt_set_counters(int on);
void __wrap_simt_set_counters(int on)
{
    (void)on;
    fail("simt_set_counters: the counters of an exercise are the marker's");
}

/* ---- request and answer ---- */

static void take(void *to, size_t bytes)
{
    for (char *p = to; bytes > 0;) {
        ssize_t got = read(WIRE_IN, p, bytes);
        if (got <= 0)
            fail("only the marker runs this program: make mark-01 does, for exercise 01");
        p += got, bytes -= (size_t)got;
    }
}

static void give(const void *from, size_t bytes)
{
    for (const char *p = from; bytes > 0;) {
        ssize_t done = write(WIRE_OUT, p, bytes);
        if (done <= 0)
            fail("the answer cannot be handed in");
        p += done, bytes -= (size_t)done;
    }
}

static void *host_memory(const struct wire_array *a)
{
    void *p = malloc(a->bytes * a->count + 1);
    if (!p)
        fail("no memory on the host");
    return p;
}

/* The inputs get their elements; the others hold what no right result looks like, and to the
 * backend's checks it was never written. */
static void make_array(struct task *task, uint32_t i)
{
    const struct wire_array *a = &task->array[i];
    size_t bytes = a->bytes * a->count;

    CHECK(cudaMalloc(&task->data[i], bytes > 0 ? bytes : 1));
    simt_set_name(task->data[i], a->name);
    if (a->role == TASK_IN) {
        void *host = host_memory(a);
        take(host, bytes);
        CHECK(cudaMemcpy(task->data[i], host, bytes, cudaMemcpyHostToDevice));
        free(host);
    } else {
        CHECK(cudaMemset(task->data[i], (int)task->request.blank, bytes));
        simt_forget(task->data[i]);
    }
}

static void take_request(struct task *task)
{
    struct wire_request *request = &task->request;

    take(request, sizeof *request);
    if (request->magic != WIRE_MAGIC || request->sizes > WIRE_MOST || request->arrays > WIRE_MOST)
        fail("this program and the marker are of different versions: make clean");
    take(task->size, request->sizes * sizeof *task->size);
    take(task->array, request->arrays * sizeof *task->array);
    for (uint32_t i = 0; i < request->arrays; i++)
        make_array(task, i);
    close(WIRE_IN);
}

static void give_array(const struct task *task, uint32_t i)
{
    const struct wire_array *a = &task->array[i];
    void *host = host_memory(a);

    if (cudaMemcpy(host, task->data[i], a->bytes * a->count, cudaMemcpyDeviceToHost) != cudaSuccess)
        fail("'%s' cannot be read: task_run may free what it has allocated, nothing else", a->name);
    give(host, a->bytes * a->count);
    free(host);
}

/* Bytes of the inputs that the host's copies have read. */
static uint64_t copied(const struct task *task)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < task->request.arrays; i++)
        sum += task->array[i].role == TASK_IN ? simt_copied(task->data[i]) : 0;
    return sum;
}

/* before: as it was before task_run. */
static void give_answer(const struct task *task, const struct simt_so_far *before)
{
    struct simt_so_far so_far = simt_so_far();
    struct wire_answer answer = {.launches = so_far.launches - before->launches,
                                 .several = (uint64_t)so_far.several_streams,
                                 .copied = copied(task),
                                 .taken = so_far.taken - before->taken,
                                 .busiest = {so_far.busiest[0], so_far.busiest[1]},
                                 .few = {so_far.few[0], so_far.few[1]},
                                 .busy = so_far.busy,
                                 .unnamed = so_far.unnamed_reads,
                                 .active = so_far.active_masks,
                                 .fences = so_far.fences,
                                 .status = (uint64_t)simt_status()};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    if (!file)
        fail("no memory on the host");
    simt_print_counters(file, SIMT_CSV, "");
    fclose(file);
    memcpy(answer.nonce, task->request.nonce, sizeof answer.nonce);
    answer.counters = length;
    give(&answer, sizeof answer);
    give(text, length);
    for (uint32_t i = 0; i < task->request.arrays; i++)
        if (task->array[i].role != TASK_WORK)
            give_array(task, i);
    free(text);
}

/* Nobody may have switched the checks off before main. */
static void check_settings(void)
{
    const char *checks = getenv("SIMT_CHECKS");

    if (!checks || strcmp(checks, "on") != 0)
        fail("SIMT_CHECKS is off: an exercise is marked with the checks on");
}

int main(void)
{
    static bool asked[WIRE_MOST];
    static struct task task = {.asked = asked};

    take_request(&task);
    check_settings();
    CHECK(cudaDeviceSynchronize()); /* streams of task_run need not wait for what is above */
    __real_simt_set_counters(1);    /* from here on the environment's settings count no more */
    const struct simt_so_far before = simt_so_far();
    task_run(&task);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    check_outputs(&task);
    give_answer(&task, &before);
    return 0;
}
