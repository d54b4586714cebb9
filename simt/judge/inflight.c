/* Is memory touched that a kernel or copy which was not waited for may still use?
 *
 * Rule for the host: from its call on until the host waits for it (run/runtime.h), a launch, copy
 * or fill may read and write its memory at any time. The host must not write what it uses, nor read
 * what it writes. A volatile read of the host's counts as waiting, since the host may look for a
 * sign that the kernel gives. Which words a kernel used is known from the race detector's lists
 * (words.h). Source: CUDA C++ Programming Guide, "Asynchronous Concurrent Execution"; CUDA Runtime
 * API, "API synchronization behavior".
 *
 * Rule for memcpy_async: until the thread that called it has waited (cg::wait), the copy may read
 * its source and write its destination at any time. An access of any thread to the destination
 * races with it, and so does a store or atomic to the source. Source: Guide, "Asynchronous Data
 * Copies".
 *
 * Rule for dependent launches: a launch with the attribute
 * cudaLaunchAttributeProgrammaticStreamSerialization may begin before the launch in front of it has
 * ended. A thread may touch that one's global memory behind cudaGridDependencySynchronize(); so may
 * threads that meet it afterwards. If the launch in front did not wait either, the one before that
 * may still run, and so on: such a thread then comes behind the launch in front alone. A thread
 * that has passed a fence is not judged, since it may have waited for another thread that has.
 * Source: Guide, "Programmatic Dependent Launch and Synchronization". */
#include "judge/judge.h"
#include "run/array.h"
#include "run/runtime.h"

#include <pthread.h>

/* ---- the host ---- */

/* A launch, a copy or a fill that the host has asked for. */
struct operation {
    struct launch launch;     /* of number 0: it is a copy or a fill, */
    struct transfer transfer; /* this one */
    unsigned long request;    /* its number (run/runtime.h), */
    unsigned stream;          /* and to which stream */
};

static pthread_mutex_t operations_lock = PTHREAD_MUTEX_INITIALIZER;
static struct operation *operation; /* in flight, in the order of the requests */
static size_t room;
static _Atomic size_t count; /* also read without the lock, since it is mostly 0 */

/* Forgets the operations that the host has waited for. Mostly it has waited for nothing since the
 * last time: a program may make thousands of launches in a row. */
static void forget(void)
{
    static unsigned long waits;
    size_t kept = 0;

    if (waits == async_waits)
        return;
    waits = async_waits;
    for (size_t i = 0; i < count; i++)
        if (!async_is_over(operation[i].request, operation[i].stream))
            operation[kept++] = operation[i];
    count = kept;
}

static void add(struct operation new)
{
    pthread_mutex_lock(&operations_lock);
    forget();
    new.request = async_asked;
    new.stream = async_stream;
    *ARRAY_ADD(operation, count, room) = new;
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

static bool share_bytes(const char *a, size_t a_size, const char *b, size_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

static bool is_in(struct area area, const char *address, size_t size)
{
    for (size_t y = 0; y < area.height; y++)
        if (share_bytes(area.at + y * area.pitch, area.width, address, size))
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
    struct finding finding = {
        .kind = FINDING_HOST_EARLY,
        .actor = {finding_host(pc, store ? EVENT_STORE : EVENT_LOAD, size),
                  {.pc = launch ? 0 : code_offset(o->transfer.pc), .operation = EVENT_KINDS}},
        .line = {source_of_host(code_offset(pc)), {site->file, site->line}},
        .actors = 2};

    finding_say(&finding, "The host %s bytes that %s%s %s, without waiting for it.",
                store ? "writes" : "reads", launch ? "kernel " : "",
                launch ? source_kernel(site) : o->transfer.call, writes ? "writes" : "reads");
}

void inflight_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc)
{
    bool writes = false, met = false;

    if (count == 0)
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

/* ---- memcpy_async ---- */

void inflight_async(const struct lane *lane, struct lane_access access)
{
    const struct copies *copies = &lane->block->copies;
    const char *at = (const char *)access.address;

    for (const struct copy *c = copies->copy; c < copies->copy + copies->count; c++) {
        bool to = share_bytes(at, access.size, c->to, c->size);
        if (!to && (access.kind == EVENT_LOAD || !share_bytes(at, access.size, c->from, c->size)))
            continue;
        struct finding finding = {
            .kind = to ? FINDING_SHARED_RACE : FINDING_GLOBAL_RACE,
            .launch = *lane->block->launch,
            .actor = {finding_actor(&lane->block->lane[c->thread], code_offset(c->pc),
                                    to ? EVENT_STORE : EVENT_LOAD, c->size),
                      finding_actor(lane, access.pc, access.kind, access.size)},
            .actors = 2};
        finding_say(&finding, "The first is a copy by memcpy_async, which may still be on its way: "
                              "wait for it, or begin it behind a barrier.");
        return;
    }
}

/* ---- dependent launches ---- */

/* launch.beside: bit i stands for the launch i + 1 before this one. */
enum { LAUNCH_IN_FRONT = 1 };

static void tell_beside(const struct lane *lane, const struct touch *touch, uint64_t beside)
{
    struct finding finding = finding_of(FINDING_EARLY, lane, touch->pc, touch->kind, touch->size);
    unsigned now = lane->block->launch->number;
    bool writes;

    for (; beside; beside &= beside - 1) {
        unsigned back = (unsigned)__builtin_ctzll(beside), launch = now - 1 - back;
        if (!race_launch_used(launch, touch->address, touch->size, touch->kind != EVENT_LOAD,
                              &writes))
            continue;
        finding_say(&finding, "Launch %u, %s, %s this word, and may still run.", launch,
                    back ? "for which the one behind it did not wait" : "the one before",
                    writes ? "writes" : "reads");
        return;
    }
}

void inflight_beside(const struct inflight *inflight, const struct lane *lane,
                     const struct touch *touch)
{
    uint64_t beside = lane->block->launch->beside;
    unsigned warp = lane->index / WARP_SIZE, bit = 1u << lane->index % WARP_SIZE;

    if (inflight->passed[PASSED_WAIT][warp] & bit)
        beside &= ~(uint64_t)LAUNCH_IN_FRONT;
    if (beside && !touch->shared && !(inflight->passed[PASSED_FENCE][warp] & bit))
        tell_beside(lane, touch, beside);
}

void inflight_pass(struct inflight *inflight, const struct lane *lane, enum passed what)
{
    inflight->passed[what][lane->index / WARP_SIZE] |= 1u << lane->index % WARP_SIZE;
}

void inflight_meet(struct inflight *inflight, unsigned first, unsigned warps, unsigned lanes)
{
    for (int what = PASSED_WAIT; what <= PASSED_FENCE; what++) {
        unsigned *warp = &inflight->passed[what][first], any = 0;
        for (unsigned i = 0; i < warps; i++)
            any |= warp[i] & lanes;
        for (unsigned i = 0; i < warps && any; i++)
            warp[i] |= lanes;
    }
}
