/* Does the host touch memory that is in use by a kernel, copy or fill that it has not waited for?
 *
 * Rule: from its call on until the host waits for it (run/runtime.h), such an operation may read
 * and write its memory at any time. The host must not write what it uses, nor read what it writes.
 * A volatile read of the host's counts as waiting, since the host may look for a sign that the
 * kernel gives. Which words a kernel used is known from the race detector's lists (words.h).
 *
 * Source: CUDA C++ Programming Guide, "Asynchronous Concurrent Execution"; CUDA Runtime API, "API
 * synchronization behavior". */
#include "judge/judge.h"
#include "judge/finding.h"
#include "run/array.h"
#include "run/memory.h"
#include "run/runtime.h"
#include "run/symbols.h"

#include <pthread.h>
#include <string.h>

/* A launch, a copy or a fill that the host has asked for. */
struct operation {
    struct launch launch;     /* of number 0: it is a copy or a fill, */
    struct transfer transfer; /* this one */
    unsigned long request;    /* its number (run/runtime.h) */
};

static pthread_mutex_t operations_lock = PTHREAD_MUTEX_INITIALIZER;
static struct operation *operation; /* in flight, in the order of the requests */
static size_t room, count;          /* count: read without the lock, since it is mostly 0 */

/* Forgets the operations that the host has waited for. */
static void forget(void)
{
    size_t over = 0;

    while (over < count && operation[over].request <= async_waited_for())
        over++;
    if (over == 0)
        return;
    memmove(operation, operation + over, (count - over) * sizeof *operation);
    __atomic_store_n(&count, count - over, __ATOMIC_RELAXED);
}

static void add(struct operation new)
{
    pthread_mutex_lock(&operations_lock);
    forget();
    array_room((void **)&operation, count, &room, SIZE_MAX, sizeof *operation);
    operation[count] = new;
    operation[count].request = async_asked();
    __atomic_store_n(&count, count + 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&operations_lock);
}

void inflight_launch(const struct launch *launch)
{
    add((struct operation){.launch = *launch});
}

void inflight_transfer(const struct transfer *transfer)
{
    add((struct operation){.transfer = *transfer});
}

static bool is_in(struct area area, const char *address, size_t size)
{
    for (size_t y = 0; y < area.height; y++)
        if (address < area.at + y * area.pitch + area.width &&
            area.at + y * area.pitch < address + size)
            return true;
    return false;
}

static bool transfer_meets(const struct transfer *t, const char *address, size_t size, bool store,
                           bool *writes)
{
    *writes = is_in(t->to, address, size);
    return *writes || (store && !t->fills && is_in(t->from, address, size));
}

static void tell_early(const struct operation *o, size_t size, bool store, bool writes,
                       const void *pc)
{
    const struct simt_site *site = &o->launch.site;
    bool launch = o->launch.number > 0;
    char kernel[100];
    struct finding finding = {
        .kind = FINDING_HOST_EARLY,
        .actor = {finding_host(pc, store ? EVENT_STORE : EVENT_LOAD, size),
                  {.pc = launch ? 0 : code_offset(o->transfer.pc), .operation = EVENT_KINDS}},
        .line = {source_of_host(code_offset(pc)), {site->file, site->line}},
        .actors = 2};

    finding_say(&finding, "The host %s bytes that %s%s %s, without waiting for it.",
                store ? "writes" : "reads", launch ? "kernel " : "",
                launch ? source_kernel(site, kernel, sizeof kernel) : o->transfer.call,
                writes ? "writes" : "reads");
}

/* Is it memory that kernels and the host can both use? */
static bool is_shared(const void *address)
{
    return memory_is_device(address) || symbols_near(address);
}

void inflight_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc)
{
    bool writes = false, met = false;

    if (__atomic_load_n(&count, __ATOMIC_RELAXED) == 0 || !is_shared((const void *)address))
        return;
    pthread_mutex_lock(&operations_lock);
    forget();
    for (size_t i = count; i-- > 0 && !met;) {
        const struct operation *o = &operation[i];
        met = o->launch.number > 0
                  ? race_launch_used(o->launch.number, address, size, store, &writes)
                  : transfer_meets(&o->transfer, (const char *)address, size, store, &writes);
        if (met && !polls)
            tell_early(o, size, store, writes, pc);
    }
    pthread_mutex_unlock(&operations_lock);
    if (met && polls && !store)
        async_wait();
}
