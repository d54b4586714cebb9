/* Merges logs and hands the warp-level events on. */
#define _GNU_SOURCE
#include "watch/observe.h"
#include "judge/check.h"
#include "judge/finding.h"
#include "run/memory.h"
#include "judge/race.h"
#include "watch/record.h"
#include "judge/report.h"
#include "run/runtime.h"
#include "simt.h"
#include "watch/symbol.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads of garbage that are kept of a block; the bug shows in fewer. */
enum { MOST_GARBAGE = 8192 };

/* What one OS thread keeps to observe its blocks. */
struct observer {
    struct block *block;
    struct shared_memory shared;
    struct count_table counts;
    struct recorder *recorder;
    struct race *race;
    uint32_t *written; /* a shared word: block's serial number << 4 | bytes that were written */
    uint32_t serial;   /* of the block */
    struct garbage {
        size_t word;
        struct actor reader;
    } garbage[MOST_GARBAGE];
    unsigned garbage_count; /* reads of shared memory that nobody had written */
    struct range {
        uintptr_t begin, end;
    } range[2]; /* last allocation and shared variable touched */
    struct event log[MAX_LANES][TRACE_EVENTS];
};

/* One an OS thread that has run blocks: the pool's, and host threads that launched. */
enum { MOST_OBSERVERS = 256 };

static struct observer *observers[MOST_OBSERVERS];
static int observer_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct counted_launch *launches;
static size_t launch_count;

/* ---- settings ---- */

static bool is_on(const char *variable, const char *value)
{
    if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
        report_usage("%s=%s: want on or off", variable, value);
    return strcmp(value, "on") == 0;
}

/* Does this value of SIMT_COUNTERS ask for counters? */
static bool counts_in(const char *style)
{
    static const char *const styles[] = {"table", "csv", "annotate"};

    for (int i = 0; i < 3; i++)
        if (strcmp(style, styles[i]) == 0)
            return true;
    if (strcmp(style, "off") != 0)
        report_usage("SIMT_COUNTERS=%s: want table, csv, annotate or off", style);
    return false;
}

/* Does SIMT_TRACE name a file, or has the harness named one? */
static bool traces(void)
{
    const char *file = getenv("SIMT_TRACE"), *why;

    if (file && *file && !record_wanted && (why = simt_set_trace(file)) != NULL)
        report_usage("SIMT_TRACE=%s: %s", file, why);
    return record_wanted;
}

struct observe_settings *observe_settings(void)
{
    static struct observe_settings settings;
    static bool read;

    if (!read) {
        const char *checks = getenv("SIMT_CHECKS"), *counters = getenv("SIMT_COUNTERS");
        settings.checks = !checks || !*checks || is_on("SIMT_CHECKS", checks);
        settings.counters = (counters && *counters && counts_in(counters)) || traces();
        read = true;
    }
    return &settings;
}

/* ---- a block begins ---- */

static size_t shared_words(const struct shared_memory *shared)
{
    return (shared->tls_end - shared->tls) / 4 + DEVICE_SHARED_OPTIN / 4 + 2;
}

static struct observer *observer_new(struct block *block)
{
    struct observer *observer = calloc(1, sizeof *observer);

    if (!observer)
        report_fatal("no memory for the logs of %d threads", MAX_LANES);
    observer->block = block;
    observer->shared = check_shared_memory();
    observer->written = calloc(shared_words(&observer->shared), sizeof *observer->written);
    observer->recorder = record_new();
    observer->race = race_new(shared_words(&observer->shared));
    if (!observer->written)
        report_fatal("no memory for the checks");
    pthread_mutex_lock(&lock);
    if (observer_count == MOST_OBSERVERS)
        report_fatal("more than %d host threads launch kernels", MOST_OBSERVERS);
    observers[observer_count++] = observer;
    pthread_mutex_unlock(&lock);
    return observer;
}

void observe_block_begin(struct block *block)
{
    const struct observe_settings *settings = observe_settings();

    if (!settings->counters && !settings->checks) {
        for (unsigned i = 0; i < block->launch->threads; i++)
            trace_start(&block->lane[i].trace, NULL, 0);
        return;
    }
    if (!block->observer)
        block->observer = observer_new(block);
    struct observer *observer = block->observer;
    observer->serial++;
    /* an allocation of an earlier launch may be freed by now */
    observer->range[SPACE_GLOBAL] = observer->range[SPACE_SHARED] = (struct range){UINTPTR_MAX, 0};
    for (unsigned i = 0; i < block->launch->threads; i++)
        trace_start(&block->lane[i].trace, observer->log[i],
                    (uintptr_t)fiber_stack_low(&block->stacks, (int)i));
    race_block_begin(observer->race, block);
    record_block_begin(observer->recorder);
}

/* ---- accesses ---- */

/* Index of a shared word in the tables of this OS thread: static variables, then dynamic memory. */
static size_t shared_word(const struct shared_memory *shared, uintptr_t address)
{
    if (address - shared->dynamic < DEVICE_SHARED_OPTIN)
        return (shared->tls_end - shared->tls) / 4 + 1 + (address - shared->dynamic) / 4;
    return (address - shared->tls) / 4;
}

/* True when all lanes stay within the range. */
static bool all_within(struct range range, const struct warp_event *event)
{
    uintptr_t high = range.end - event->size;

    for (unsigned left = event->lanes; left; left &= left - 1) {
        uintptr_t address = event->address[__builtin_ctz(left)];
        if (address < range.begin || address > high)
            return false;
    }
    return true;
}

/* Notes what a lane writes to shared memory; true when it reads bytes that nobody wrote. */
static bool reads_garbage(struct observer *observer, const struct warp_event *event, int lane,
                          size_t word)
{
    uintptr_t address = event->address[lane];
    unsigned words = event_words(address, event->size);
    bool garbage = false;

    for (unsigned k = 0; k < words; k++) {
        uint32_t *written = &observer->written[word + k];
        unsigned bytes = event_bytes(address, event->size, k);
        if (*written >> 4 != (observer->serial & 0xfffffff))
            *written = observer->serial << 4;
        if (event->kind != EVENT_STORE)
            garbage |= (*written & bytes) != bytes;
        if (event->kind != EVENT_LOAD)
            *written |= bytes;
    }
    return garbage;
}

/* Whether a read was of garbage or raced with the write depends on who came first; where there is a
 * race, that is the bug to tell. So reads of garbage are kept until the block ends. */
static void judge_garbage(struct observer *observer)
{
    for (unsigned i = 0; i < observer->garbage_count; i++) {
        const struct garbage *garbage = &observer->garbage[i];
        struct finding finding = {.kind = FINDING_UNINITIALISED,
                                  .launch = observer->block->launch,
                                  .actor[0] = garbage->reader,
                                  .actors = 1};
        if (!race_has_conflict(observer->race, garbage->word))
            finding_add(&finding);
    }
    observer->garbage_count = 0;
}

static void keep_garbage(struct observer *observer, const struct warp_event *event, unsigned warp,
                         int lane, size_t word)
{
    if (observer->garbage_count == MOST_GARBAGE)
        return;
    observer->garbage[observer->garbage_count++] =
        (struct garbage){word, finding_actor(observer->block, key_pc(event->key, event->depth),
                                             warp, lane, event->kind, event->size)};
}

static void check_shared(struct observer *observer, const struct warp_event *event, unsigned warp)
{
    size_t word[WARP_SIZE];

    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        word[lane] = shared_word(&observer->shared, event->address[lane]);
        if (reads_garbage(observer, event, lane, word[lane]))
            keep_garbage(observer, event, warp, lane, word[lane]);
    }
    race_shared(observer->race, event, warp, event->lanes, word);
}

static void check_global(struct observer *observer, const struct warp_event *event, unsigned warp)
{
    size_t word[WARP_SIZE];

    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        word[lane] = memory_word((const void *)(uintptr_t)event->address[lane]);
    }
    race_global(observer->race, event, warp, event->lanes, word);
}

/* Lanes by the memory that they touch: one request may go to several. */
static void split_by_space(struct observer *observer, const struct warp_event *event, unsigned warp,
                           unsigned lanes[SPACE_NONE + 1])
{
    bool checks = observe_settings()->checks;

    memset(lanes, 0, (SPACE_NONE + 1) * sizeof *lanes);
    /* Nearly always all lanes touch what was touched last. */
    for (enum count_space space = SPACE_GLOBAL; space <= SPACE_SHARED; space++)
        if (all_within(observer->range[space], event)) {
            lanes[space] = event->lanes;
            return;
        }
    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        enum count_space space =
            check_access(observer->block, &observer->shared, event, lane, warp, checks);
        lanes[space] |= 1u << lane;
        if (space < SPACE_SYNC)
            check_range(observer->block, &observer->shared, event->address[lane], space,
                        &observer->range[space].begin, &observer->range[space].end);
    }
}

/* A request, or an operation between lanes, to the counters and the trace. */
static void count(struct observer *observer, const struct warp_event *event, unsigned warp,
                  enum count_space space)
{
    count_event(&observer->counts, event, space);
    if (__builtin_expect(record_wanted, 0) && space != SPACE_CONTROL)
        record_event(observer->recorder, observer->block, &observer->shared, event, warp, space);
}

static void observe_access(struct observer *observer, const struct warp_event *event, unsigned warp)
{
    const struct observe_settings *settings = observe_settings();
    unsigned lanes[SPACE_NONE + 1];

    split_by_space(observer, event, warp, lanes);
    for (enum count_space space = SPACE_GLOBAL; space <= SPACE_SHARED; space++) {
        if (!lanes[space])
            continue;
        struct warp_event part = *event;
        part.lanes = lanes[space];
        if (settings->counters)
            count(observer, &part, warp, space);
        if (settings->checks && space == SPACE_SHARED)
            check_shared(observer, &part, warp);
        else if (settings->checks)
            check_global(observer, &part, warp);
    }
}

/* ---- merging ---- */

struct merge_context {
    struct observer *observer;
    unsigned warp;
};

static void observe_event(void *context, const struct warp_event *event)
{
    const struct merge_context *c = context;
    struct observer *observer = c->observer;
    const struct observe_settings *settings = observe_settings();

    if (event_is_access(event->kind)) {
        observe_access(observer, event, c->warp);
        return;
    }
    if (settings->counters && event->kind == EVENT_BRANCH)
        count(observer, event, c->warp, SPACE_CONTROL);
    if (settings->counters && event->kind >= EVENT_SYNCTHREADS)
        count(observer, event, c->warp, SPACE_SYNC);
    if (!settings->checks)
        return;
    if (event->kind == EVENT_SYNCWARP)
        race_syncwarp(observer->race, event, c->warp);
    else if (event->kind == EVENT_FENCE)
        race_fence(observer->race, event, c->warp);
    else if (event->kind == EVENT_ORDER)
        race_order(observer->race, event, c->warp);
}

/* Moves what was not merged to the begin of the lane's log. */
static void keep_rest(struct trace *trace, const struct merge_log *log)
{
    size_t left = (size_t)(log->end - log->next);

    if (log->next != trace->begin)
        memmove(trace->begin, log->next, left * sizeof *log->next);
    trace->next = trace->begin + left;
}

void observe_warp(struct block *block, unsigned w)
{
    struct warp *warp = &block->warp[w];
    struct lane *lanes = &block->lane[w * WARP_SIZE];
    struct merge_context context = {block->observer, w};
    struct merge_log logs[MERGE_LANES] = {0};
    unsigned count = block->launch->threads - w * WARP_SIZE, running = 0;

    if (!block->observer)
        return;
    if (count > WARP_SIZE)
        count = WARP_SIZE;
    for (unsigned i = 0; i < count; i++) {
        logs[i] = (struct merge_log){lanes[i].trace.begin, lanes[i].trace.next};
        if (warp->alive >> i & 1 && lanes[i].wait == WAIT_LOG)
            running |= 1u << i;
    }
    merge_warp(logs, running, observe_event, &context);
    for (unsigned i = 0; i < count; i++) {
        keep_rest(&lanes[i].trace, &logs[i]);
        if (running >> i & 1 && lanes[i].trace.next < lanes[i].trace.end) {
            lanes[i].wait = WAIT_NOTHING;
            warp->ready |= 1u << i;
        }
    }
}

void observe_full_log(struct lane *lane)
{
    block_watch(lane->block);
    block_wait(lane, WAIT_LOG, NULL);
}

void observe_block_end(struct block *block)
{
    if (block->observer)
        judge_garbage(block->observer);
}

static void report_divergent_barrier(struct block *block, const struct lane *waits,
                                     const struct lane *other)
{
    struct finding finding = {
        .kind = FINDING_DIVERGENT_BARRIER, .launch = block->launch, .actors = 2};

    finding.actor[0] = finding_actor(block, trace_offset(waits->pc), waits->index / WARP_SIZE,
                                     (int)(waits->index % WARP_SIZE), EVENT_SYNCTHREADS, 0);
    finding.actor[1] = finding_actor(block, other->trace.last_pc, other->index / WARP_SIZE,
                                     (int)(other->index % WARP_SIZE), EVENT_SYNCTHREADS, 0);
    snprintf(finding.detail, sizeof finding.detail,
             other->judged ? "The first waits at the barrier; the second went past it and ended."
                           : "Both wait, at different barriers.");
    if (finding_same_lines(&finding))
        return;
    finding_add(&finding);
    block->diverged = true;
}

/* A thread that ended before it came to the barrier returned early, which is allowed. One that
 * ended at a later place of the program went around the barrier. */
static bool went_past(const struct lane *ended, const struct lane *waits)
{
    return ended->trace.last != 0 &&
           (ended->trace.last & ~KEY_WAITS) > (waits->trace.last & ~KEY_WAITS);
}

/* Threads that ended since the last barrier: did one go around this one? */
static void check_ended(struct block *block)
{
    for (unsigned i = 0; i < block->launch->threads; i++) {
        struct lane *lane = &block->lane[i];
        if (lane->judged || block->warp[i / WARP_SIZE].alive >> i % WARP_SIZE & 1)
            continue;
        lane->judged = true;
        if (went_past(lane, block->first_at_barrier))
            report_divergent_barrier(block, block->first_at_barrier, lane);
    }
}

static void check_barrier(struct block *block)
{
    if (block->elsewhere_at_barrier)
        report_divergent_barrier(block, block->first_at_barrier, block->elsewhere_at_barrier);
    if (block->alive < block->launch->threads)
        check_ended(block);
}

void observe_barrier(struct block *block)
{
    if (!block->observer || !observe_settings()->checks)
        return;
    if (!block->diverged) /* later barriers only show the consequences */
        check_barrier(block);
    race_barrier(block->observer->race);
}

/* ---- launches ---- */

static void keep_counts(const struct launch *launch)
{
    struct counted_launch *larger = realloc(launches, (launch_count + 1) * sizeof *larger);

    if (!larger)
        report_fatal("no memory for counters");
    launches = larger;
    struct counted_launch *counted = &launches[launch_count++];
    *counted = (struct counted_launch){launch->site.kernel, launch->grid, launch->block, {0}};
    for (int i = 0; i < observer_count; i++) {
        count_add(&counted->table, &observers[i]->counts);
        count_clear(&observers[i]->counts);
        record_gather(observers[i]->recorder);
    }
    record_launch_end(launch);
}

void observe_launch_end(const struct launch *launch)
{
    struct race *races[MOST_OBSERVERS];

    if (observe_settings()->counters)
        keep_counts(launch);
    if (!observe_settings()->checks)
        return;
    for (int i = 0; i < observer_count; i++)
        races[i] = observers[i]->race;
    race_judge(races, observer_count, launch);
}

const struct counted_launch *counted_launches(size_t *count)
{
    *count = launch_count;
    return launches;
}

void observe_host_access(uintptr_t address, unsigned size, bool store, const void *pc)
{
    const void *p = (const void *)address;

    if (!memory_is_device(p) || !observe_settings()->checks || memory_is_managed(p))
        return;
    struct finding finding = {.kind = FINDING_DEVICE_POINTER,
                              .actor[0] = {.pc = trace_offset(pc),
                                           .operation = store ? EVENT_STORE : EVENT_LOAD,
                                           .size = (uint8_t)size},
                              .actors = 1};
    finding_add(&finding);
}
