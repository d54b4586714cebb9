/* What the host may not touch yet: memory that kernels, copies and fills use that it has not waited
 * for since (run/stream.h). Told leniently: where the host reads by a volatile access what one of
 * them writes, it counts as having waited. Which words a kernel touched the records of races know
 * (word.h). And what a dependent launch may not touch yet. */
#include "judge/checks.h"
#include "judge/judge.h"
#include "judge/pairs.h"
#include "run/array.h"
#include "run/memory.h"
#include "run/symbols.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of them: a launch, of that number, or, if that is 0, a transfer. */
struct operation {
    unsigned launch;
    struct source_line line; /* of a launch */
    char name[128];          /* "kernel step" */
    struct transfer transfer;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct operation *operation;
static size_t room, count; /* count: atomic, as mostly the host asks in vain */
static unsigned long waits_seen;

/* Those that the host has waited for are forgotten. */
static void forget(void)
{
    if (async_waits() != waits_seen)
        __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
    waits_seen = async_waits();
}

static void add(struct operation new)
{
    pthread_mutex_lock(&lock);
    forget();
    array_room((void **)&operation, count, &room, SIZE_MAX, sizeof *operation);
    operation[count] = new;
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

void inflight_launch(const struct launch *launch)
{
    struct operation new = {.launch = launch->number,
                            .line = {launch->site.file, launch->site.line}};
    char kernel[100];

    snprintf(new.name, sizeof new.name, "kernel %s",
             source_kernel(&launch->site, kernel, sizeof kernel));
    add(new);
}

void inflight_transfer(const struct transfer *transfer)
{
    struct operation new = {.transfer = *transfer};

    snprintf(new.name, sizeof new.name, "%s", transfer->call);
    add(new);
}

/* Did that launch touch any of these bytes in a way that whoever reads them at the same time, or
 * stores to them, may not? Kernels that look by volatile loads expect that. *writes: it wrote them.
 */
static bool launch_meets(unsigned launch, uintptr_t address, size_t size, bool store, bool *writes)
{
    uintptr_t end = address + size;

    for (uintptr_t at = address; at < end; at = (at | 3) + 1) {
        size_t word = memory_word((const void *)at), past = end - (at & ~(uintptr_t)3);
        unsigned bytes = 0xfu << at % 4 & (past < 4 ? (1u << past) - 1 : 0xf);
        for (int list = WRITES; race_global.first[list] && list >= READS; list--) {
            *writes = list == WRITES;
            for (const struct entry *e = words_first(&race_global, word, (enum list)list, launch);
                 e; e = words_next(e))
                if (words_made(e)->bytes & bytes &&
                    (*writes || (store && !words_made(e)->is_volatile)))
                    return true;
        }
    }
    return false;
}

/* ---- the host ---- */

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

static void tell(const struct operation *o, size_t size, bool store, bool writes, const void *pc)
{
    struct finding finding = {
        .kind = FINDING_HOST_EARLY,
        .actor = {finding_host(pc, store ? EVENT_STORE : EVENT_LOAD, size),
                  {.pc = o->launch ? 0 : code_offset(o->transfer.pc), .operation = EVENT_KINDS}},
        .line = {source_of_host(code_offset(pc)), o->line},
        .actors = 2};

    finding_say(&finding, "The host %s bytes that %s %s, without waiting for it.",
                store ? "writes" : "reads", o->name, writes ? "writes" : "reads");
}

/* The memory that kernels and the host can both use; of the rest nothing is in flight. */
static bool is_shared(const void *address)
{
    return memory_is_device(address) || symbols_near(address);
}

void inflight_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc)
{
    bool writes = false, met = false;

    if (__atomic_load_n(&count, __ATOMIC_RELAXED) == 0 || !is_shared((const void *)address))
        return;
    pthread_mutex_lock(&lock);
    forget();
    for (size_t i = count; i-- > 0 && !met;) {
        const struct operation *o = &operation[i];
        met = o->launch ? launch_meets(o->launch, address, size, store, &writes)
                        : transfer_meets(&o->transfer, (const char *)address, size, store, &writes);
        if (met && !polls)
            tell(o, size, store, writes, pc);
    }
    pthread_mutex_unlock(&lock);
    if (met && polls && !store)
        async_wait();
}

/* ---- dependent launches ---- */

void early_block_begin(struct early *early, const struct block *block)
{
    early->block = block;
    memset(early->waited, 0, sizeof early->waited);
}

void early_wait(struct early *early, unsigned thread)
{
    early->waited[thread / WARP_SIZE] |= 1u << thread % WARP_SIZE;
}

void early_meet(struct early *early, unsigned warp, unsigned lanes)
{
    if (early->waited[warp] & lanes)
        early->waited[warp] |= lanes;
}

void early_barrier(struct early *early)
{
    unsigned any = 0;

    for (unsigned w = 0; w < early->block->warps; w++)
        any |= early->waited[w];
    if (any)
        memset(early->waited, 0xff, sizeof early->waited);
}

void early_access(const struct early *early, const struct touch *touch)
{
    struct finding finding = {.kind = FINDING_EARLY,
                              .launch = early->block->launch,
                              .actor[0] = pairs_toucher(early->block, touch),
                              .actors = 1};
    unsigned before = early->block->launch->before;
    bool writes;

    if (!(early->waited[touch->thread / WARP_SIZE] >> touch->thread % WARP_SIZE & 1) &&
        launch_meets(before, touch->address, touch->size, touch->kind != EVENT_LOAD, &writes))
        finding_say(&finding, "Launch %u, the one before, %s this word, and may still run.", before,
                    writes ? "writes" : "reads");
}
