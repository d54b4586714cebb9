/* Keeps operations until the host has waited for them, and compares each with those before it. */
#include "judge/inflight.h"
#include "judge/finding.h"
#include "judge/footprint.h"
#include "run/atomic.h"
#include "run/end.h"
#include "run/memory.h"
#include "run/registered.h"
#include "run/symbols.h"
#include "watch/code.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Of one place and stream as many are kept apart; of more the oldest become one. */
enum { MOST_OF_A_PLACE = 256 };

struct operation {
    struct moment first, last; /* of one stream; others than each other: several of one place */
    uint32_t pc;               /* where it was asked for, */
    struct source_line line;   /* or this line: of a launch */
    char name[128];            /* "cudaMemcpyAsync", "kernel step" */
    bool staged;
    struct spans touched[TOUCHES];
    struct operation *next; /* an older one */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct operation *newest;
static size_t count;             /* atomic: mostly the host asks in vain */
static unsigned long waits_seen; /* since then nobody has waited: all are in flight */

static void discard(struct operation *operation)
{
    for (int i = 0; i < TOUCHES; i++)
        spans_free(&operation->touched[i]);
    free(operation);
}

/* Forgets those that the host has waited for. */
static void forget(void)
{
    unsigned long waits = async_waits();

    if (waits == waits_seen)
        return;
    waits_seen = waits;
    for (struct operation **link = &newest, *operation; (operation = *link) != NULL;)
        if (async_is_waited_for(operation->last)) {
            *link = operation->next;
            discard(operation);
            __atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
        } else {
            link = &operation->next;
        }
}

/* ---- who may not meet ---- */

/* Does one touch in that way what the other does? */
static bool meet(const struct operation *a, enum touch how_a, const struct operation *b,
                 enum touch how_b, struct span *common)
{
    return spans_meet(&a->touched[how_a], &b->touched[how_b], common);
}

struct conflict {
    bool a_writes, b_writes;
    struct span common;
};

/* Who looks by a volatile load expects the word to change. */
static bool conflict_of(const struct operation *a, const struct operation *b,
                        struct conflict *conflict)
{
    static const struct {
        enum touch a, b;
        bool a_writes, b_writes;
    } pairs[] = {
        {TOUCH_STORE, TOUCH_LOAD, true, false},  {TOUCH_LOAD, TOUCH_STORE, false, true},
        {TOUCH_STORE, TOUCH_STORE, true, true},  {TOUCH_STORE, TOUCH_ATOMIC, true, true},
        {TOUCH_ATOMIC, TOUCH_STORE, true, true}, {TOUCH_ATOMIC, TOUCH_LOAD, true, false},
        {TOUCH_LOAD, TOUCH_ATOMIC, false, true},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (meet(a, pairs[i].a, b, pairs[i].b, &conflict->common)) {
            conflict->a_writes = pairs[i].a_writes;
            conflict->b_writes = pairs[i].b_writes;
            return true;
        }
    return false;
}

/* Do both use a word that one could tell the other by that it may go on? */
static bool share_a_flag(const struct operation *a, const struct operation *b)
{
    struct span common;

    return atomic_program_has_fences() && (meet(a, TOUCH_ATOMIC, b, TOUCH_ATOMIC, &common) ||
                                           meet(a, TOUCH_ATOMIC, b, TOUCH_LOOK, &common) ||
                                           meet(a, TOUCH_LOOK, b, TOUCH_ATOMIC, &common));
}

/* ---- what is told ---- */

/* Where the bytes lie, to stand behind "the same bytes"; or "". */
static void describe(struct span common, char *text, size_t room)
{
    const char *address = (const char *)memory_address(common.begin / 4) + common.begin % 4;
    uintptr_t begin, end;

    text[0] = '\0';
    if (symbols_near(address))
        snprintf(text, room, " of %s", symbols_at(address)->name);
    else if (memory_allocation(address, &begin, &end))
        snprintf(text, room, " (%zu bytes from byte %zu on, of %zu)", common.end - common.begin,
                 (size_t)((uintptr_t)address - begin), (size_t)(end - begin));
}

static void set_end(struct finding *finding, int i, const struct operation *operation)
{
    finding->actor[i] = (struct actor){.pc = operation->pc, .operation = EVENT_KINDS};
    finding->line[i] = operation->line;
}

static void tell_streams(const struct operation *old, const struct operation *new,
                         struct conflict conflict)
{
    struct finding finding = {.kind = old->staged || new->staged ? FINDING_STAGED : FINDING_STREAMS,
                              .actors = 2};
    char where[128];

    describe(conflict.common, where, sizeof where);
    set_end(&finding, 0, old);
    set_end(&finding, 1, new);
    snprintf(finding.detail, sizeof finding.detail,
             "In one stream %s %s, in another %s %s the same bytes%s.", old->name,
             conflict.a_writes ? "writes" : "reads", new->name,
             conflict.b_writes ? "writes" : "reads", where);
    finding_add(&finding);
}

/* over: what is when the new one begins. */
static void compare(const struct operation *old, const struct operation *new,
                    const struct horizon *over)
{
    struct conflict conflict;

    if (old->last.stream == new->first.stream || horizon_has(over, old->last) ||
        !conflict_of(old, new, &conflict))
        return;
    if (horizon_has(over, old->first))
        end_not_judged("%s: more than %d such operations are in flight; races between them and "
                       "other streams were not checked",
                       old->name, MOST_OF_A_PLACE);
    else if (share_a_flag(old, new))
        end_not_judged("%s and %s, of different streams, use the same memory and flags; the "
                       "backend does not check whether the flags order them",
                       old->name, new->name);
    else
        tell_streams(old, new, conflict);
}

/* ---- keeping them ---- */

static bool same_place(const struct operation *a, const struct operation *b)
{
    return a->first.stream == b->first.stream && a->pc == b->pc && a->line.line == b->line.line &&
           a->line.file == b->line.file;
}

/* The two oldest of the place of `like`, if they are too many, become one. */
static void merge_oldest(const struct operation *like)
{
    struct operation **oldest = NULL, *second = NULL;
    int of_the_place = 0;

    for (struct operation **link = &newest; *link; link = &(*link)->next)
        if (same_place(*link, like)) {
            second = oldest ? *oldest : NULL;
            oldest = link;
            of_the_place++;
        }
    if (of_the_place <= MOST_OF_A_PLACE)
        return;
    struct operation *gone = *oldest;
    second->first = gone->first;
    for (int i = 0; i < TOUCHES; i++)
        spans_join(&second->touched[i], &gone->touched[i]);
    *oldest = gone->next;
    discard(gone);
    __atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
}

static void add(struct operation *operation)
{
    struct horizon over = {0, NULL};
    bool touches = false;

    for (int i = 0; i < TOUCHES; i++)
        touches |= operation->touched[i].count > 0;
    if (!touches) {
        discard(operation);
        return;
    }
    async_record(operation->first.stream, &over);
    pthread_mutex_lock(&lock);
    forget();
    for (const struct operation *old = newest; old; old = old->next)
        compare(old, operation, &over);
    operation->next = newest;
    newest = operation;
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    merge_oldest(operation);
    pthread_mutex_unlock(&lock);
    horizon_free(&over);
}

static struct operation *operation_new(struct moment moment)
{
    struct operation *operation = calloc(1, sizeof *operation);

    if (!operation)
        end_fatal("no memory for operations in flight; SIMT_CHECKS=off runs without");
    operation->first = operation->last = moment;
    return operation;
}

void inflight_launch(const struct launch *launch)
{
    struct operation *operation = operation_new(launch->moment);
    char kernel[100];

    operation->line = (struct source_line){launch->site.file, launch->site.line};
    snprintf(operation->name, sizeof operation->name, "kernel %s",
             source_kernel(&launch->site, kernel, sizeof kernel));
    footprint_take(operation->touched);
    add(operation);
}

/* Bytes of the memory that kernels can use, by their number; ordinary memory of the host has none.
 */
static bool find_bytes(const void *address, size_t size, struct span *bytes)
{
    if (!memory_is_device(address) && !symbols_near(address) && !registered_shadow(address))
        return false;
    bytes->begin = 4 * memory_word(address) + (uintptr_t)address % 4;
    bytes->end = bytes->begin + size;
    return true;
}

static void touch_area(struct spans *set, struct area area)
{
    struct span bytes;

    for (size_t y = 0; y < area.height; y++)
        if (find_bytes(area.at + y * area.pitch, area.width, &bytes))
            spans_add(set, bytes);
}

void inflight_transfer(const struct transfer *transfer)
{
    struct operation *operation = operation_new(transfer->moment);

    operation->pc = code_offset(transfer->pc);
    operation->staged = transfer->staged;
    snprintf(operation->name, sizeof operation->name, "%s", transfer->call);
    touch_area(&operation->touched[TOUCH_STORE], transfer->to);
    if (!transfer->fills)
        touch_area(&operation->touched[TOUCH_LOAD], transfer->from);
    add(operation);
}

/* ---- the host ---- */

static void tell_host(const struct operation *operation, size_t size, bool store, bool writes,
                      const void *pc)
{
    struct finding finding = {.kind = FINDING_HOST_EARLY,
                              .actor[0] = {.pc = code_offset(pc),
                                           .operation = store ? EVENT_STORE : EVENT_LOAD,
                                           .size = size <= UINT8_MAX ? (uint8_t)size : 0},
                              .actors = 2};

    set_end(&finding, 1, operation);
    snprintf(finding.detail, sizeof finding.detail,
             "The host %s bytes that %s %s, without waiting for it.", store ? "writes" : "reads",
             operation->name, writes ? "writes" : "reads");
    finding_add(&finding);
}

/* A store is also wrong where the operation reads, unless it does so to be told something. */
static bool host_meets(const struct operation *operation, struct span bytes, bool store,
                       bool *writes)
{
    const struct spans host = {&bytes, 1, 1};
    struct span common;

    *writes = spans_meet(&operation->touched[TOUCH_STORE], &host, &common) ||
              spans_meet(&operation->touched[TOUCH_ATOMIC], &host, &common);
    return *writes || (store && spans_meet(&operation->touched[TOUCH_LOAD], &host, &common));
}

void inflight_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc)
{
    struct span bytes;
    bool writes, learns = false;
    unsigned stream = 0;

    if (__atomic_load_n(&count, __ATOMIC_RELAXED) == 0 ||
        !find_bytes((const void *)address, size, &bytes))
        return;
    pthread_mutex_lock(&lock);
    forget();
    const struct operation *operation = newest;
    while (operation && !host_meets(operation, bytes, store, &writes))
        operation = operation->next;
    if (operation && !polls)
        tell_host(operation, size, store, writes, pc);
    if (operation && polls && !store) {
        stream = operation->last.stream;
        learns = true;
    }
    pthread_mutex_unlock(&lock);
    if (learns)
        async_wait_for_stream(stream);
}

/* ---- kernels that wait for the host ---- */

/* Pinned and registered memory is there to talk to the host; managed memory may be there for
 * anything. */
static bool is_the_hosts(const void *address)
{
    enum memory_kind kind = memory_kind_of(address);

    return kind == MEMORY_PINNED || kind == MEMORY_SHADOW;
}

static bool is_managed(const void *address)
{
    return symbols_near(address) ? symbols_at(address)->managed
                                 : memory_kind_of(address) == MEMORY_MANAGED;
}

static bool changes(const struct operation *operation, struct span *span)
{
    const struct spans one = {span, 1, 1};
    struct span common;

    return spans_meet(&operation->touched[TOUCH_STORE], &one, &common) ||
           spans_meet(&operation->touched[TOUCH_ATOMIC], &one, &common);
}

static bool polls_for_host(const struct operation *operation)
{
    const struct spans *looks = &operation->touched[TOUCH_LOOK];
    const struct spans *atomics = &operation->touched[TOUCH_ATOMIC];

    for (size_t i = 0; i < atomics->count; i++)
        if (is_the_hosts(memory_address(atomics->span[i].begin / 4)))
            return true;
    for (size_t i = 0; i < looks->count; i++) {
        const void *address = memory_address(looks->span[i].begin / 4);
        if (is_the_hosts(address) || (is_managed(address) && !changes(operation, &looks->span[i])))
            return true;
    }
    return false;
}

bool inflight_waits_for_host(const struct launch *launch)
{
    bool waits = false;

    pthread_mutex_lock(&lock);
    for (const struct operation *operation = newest; operation; operation = operation->next)
        if (operation->last.stream == launch->moment.stream &&
            operation->last.number == launch->moment.number)
            waits = polls_for_host(operation);
    pthread_mutex_unlock(&lock);
    return waits;
}
