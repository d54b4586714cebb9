/* Keeps the order of operations, and the copies that are put off. */
#define _GNU_SOURCE
#include "run/async.h"
#include "run/end.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct copy {
    struct moment moment;
    struct area to, from;
    unsigned reads; /* by the host, of what it will write */
    struct copy *next;
};

/* A host that reads so often may be waiting for the copy. */
enum { PATIENCE = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timeline *order;
static unsigned long waits;                /* atomic */
static bool late, any_non_blocking;        /* late: copies are put off */
static struct copy *first, **end = &first; /* in the order in which the host asked for them */
unsigned async_pending;                    /* atomic */
bool async_host_is_seen;

/* SIMT_ASYNC */
static bool is_late(void)
{
    const char *text = getenv("SIMT_ASYNC");

    if (text && *text && strcmp(text, "late") != 0 && strcmp(text, "now") != 0)
        end_usage("SIMT_ASYNC=%s: want late or now", text);
    return async_host_is_seen && !(text && strcmp(text, "now") == 0);
}

static struct timeline *locked(void)
{
    pthread_mutex_lock(&lock);
    if (!order) {
        late = is_late();
        order = timeline_new();
    }
    return order;
}

static void unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- copies ---- */

static void make(struct area to, struct area from)
{
    for (size_t y = 0; y < to.height; y++)
        memmove(to.at + y * to.pitch, from.at + y * from.pitch, to.width);
}

static void make_next(struct copy **link)
{
    struct copy *copy = *link;

    make(copy->to, copy->from);
    *link = copy->next;
    if (end == &copy->next)
        end = link;
    free(copy);
    __atomic_sub_fetch(&async_pending, 1, __ATOMIC_RELEASE);
}

/* Those that are over then. The host asked for what comes before another first. */
static void make_due(const struct horizon *horizon)
{
    for (struct copy **link = &first; *link;)
        if (horizon_has(horizon, (*link)->moment))
            make_next(link);
        else
            link = &(*link)->next;
}

static void put_off(struct moment moment, struct area to, struct area from)
{
    struct copy *copy = malloc(sizeof *copy);

    if (!copy)
        end_fatal("no memory for delayed copies");
    *copy = (struct copy){.moment = moment, .to = to, .from = from};
    *end = copy;
    end = &copy->next;
    __atomic_add_fetch(&async_pending, 1, __ATOMIC_RELEASE);
}

struct moment async_begin(unsigned stream)
{
    struct timeline *t = locked();

    make_due(timeline_before_next(t, stream));
    struct moment moment = timeline_add(t, stream);
    unlock();
    return moment;
}

struct moment async_copy(unsigned stream, struct area to, struct area from, bool may_be_late)
{
    struct timeline *t = locked();
    bool now = !may_be_late || !late;

    if (now)
        make_due(timeline_before_next(t, stream));
    struct moment moment = timeline_add(t, stream);
    if (now)
        make(to, from);
    else
        put_off(moment, to, from);
    unlock();
    return moment;
}

bool async_do_all(void)
{
    bool any;

    locked();
    for (any = first != NULL; first;)
        make_next(&first);
    unlock();
    return any;
}

static bool holds(struct area area, uintptr_t address, size_t size)
{
    uintptr_t begin = (uintptr_t)area.at;

    return address < begin + (area.height - 1) * area.pitch + area.width && begin < address + size;
}

/* The host goes round in a loop until memory changes: it reads it once more, at the same place. */
static bool reads_again(uintptr_t address, const void *pc)
{
    static _Thread_local struct {
        uintptr_t address;
        const void *pc;
    } last;
    bool again = last.address == address && last.pc == pc;

    last.address = address;
    last.pc = pc;
    return again;
}

void async_host_reads(uintptr_t address, size_t size, bool polls, const void *pc)
{
    struct copy *wanted = NULL;

    locked();
    for (struct copy *copy = first; copy; copy = copy->next)
        if (holds(copy->to, address, size))
            wanted = copy;
    if (wanted && (reads_again(address, pc) || polls || ++wanted->reads > PATIENCE))
        for (bool last = false; !last;) { /* as any order would that CUDA allows */
            last = first == wanted;
            make_next(&first);
        }
    unlock();
}

/* ---- the order ---- */

unsigned async_open(bool blocking)
{
    struct timeline *t = locked();
    unsigned stream = timeline_open(t, blocking);

    any_non_blocking |= !blocking;
    unlock();
    return stream;
}

void async_close(unsigned stream)
{
    timeline_close(locked(), stream);
    unlock();
}

void async_record(unsigned stream, struct horizon *event)
{
    struct timeline *t = locked();

    horizon_free(event);
    horizon_join(event, timeline_before_next(t, stream));
    unlock();
}

void async_stream_waits(unsigned stream, const struct horizon *event)
{
    timeline_stream_waits(locked(), stream, event);
    unlock();
}

/* The host has waited: what that was for is done. */
static void end_wait(struct timeline *t)
{
    make_due(timeline_host(t));
    __atomic_add_fetch(&waits, 1, __ATOMIC_RELEASE);
    unlock();
}

void async_wait_for_stream(unsigned stream)
{
    struct timeline *t = locked();

    timeline_host_waits_for_stream(t, stream);
    end_wait(t);
}

void async_wait_for_event(const struct horizon *event)
{
    struct timeline *t = locked();

    timeline_host_waits(t, event);
    end_wait(t);
}

void async_wait_for_all(void)
{
    struct timeline *t = locked();

    timeline_host_waits_for_all(t);
    end_wait(t);
}

unsigned long async_waits(void)
{
    return __atomic_load_n(&waits, __ATOMIC_ACQUIRE);
}

void async_serialise(void)
{
    timeline_serialise(locked());
    unlock();
}

bool async_is_waited_for(struct moment moment)
{
    bool waited = horizon_has(timeline_host(locked()), moment);

    unlock();
    return waited;
}

bool async_is_alone(unsigned stream)
{
    locked();
    bool alone = stream == 0 && !any_non_blocking;
    unlock();
    return alone;
}
