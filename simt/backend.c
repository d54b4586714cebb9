/* Starts and ends a program: reads the settings, has what runs watched and judged, and has the last
 * word on how it ends.
 *
 * Lanes log what they do (watch/hooks.h). When no lane of a warp can run on, their logs are merged
 * into warp-level events, and each goes to the counters, to the trace if one is wanted, and to the
 * judge. simtcc links this file in, which nothing else asks for. */
#define _GNU_SOURCE
#include "judge/bounds.h"
#include "judge/fatal.h"
#include "judge/finding.h"
#include "judge/inflight.h"
#include "judge/judge.h"
#include "judge/need.h"
#include "judge/report.h"
#include "judge/stall.h"
#include "run/atomic.h"
#include "run/crash.h"
#include "run/end.h"
#include "run/facts.h"
#include "run/schedule.h"
#include "simt.h"
#include "watch/append.h"
#include "watch/hooks.h"
#include "watch/launches.h"
#include "watch/owed.h"
#include "watch/stray_index.h"
#include "watch/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings ---- */

/* SIMT_COUNTERS, SIMT_CHECKS and SIMT_TRACE, unless the harness says otherwise. What is counted is
 * also recorded when a trace was asked for. */
static struct {
    bool counters, checks;
} settings;

static bool is_on(const char *variable, const char *value)
{
    if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
        end_usage("%s=%s: want on or off", variable, value);
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
        end_usage("SIMT_COUNTERS=%s: want table, csv, annotate or off", style);
    return false;
}

/* Has simtcc --strict made the program? Then it defines this symbol. What an unoptimised program
 * touches says nothing about what the optimised one costs. */
extern const char simt_strict[] __attribute__((weak));

static void refuse_if_strict(const char *variable, const char *value)
{
    if (simt_strict)
        end_usage("%s=%s: this program is compiled by simtcc --strict, for the checks alone; "
                  "compile it without --strict for counters and traces",
                  variable, value);
}

/* Does SIMT_TRACE name a file? */
static bool traces(void)
{
    const char *file = getenv("SIMT_TRACE"), *why;

    if (!file || !*file)
        return false;
    refuse_if_strict("SIMT_TRACE", file);
    if ((why = simt_set_trace(file)) != NULL)
        end_usage("SIMT_TRACE=%s: %s", file, why);
    return true;
}

/* Before main: a wrong setting is told before anything runs. */
static void read_settings(void)
{
    const char *checks = getenv("SIMT_CHECKS"), *counters = getenv("SIMT_COUNTERS");
    bool counts = counters && *counters && counts_in(counters);

    if (getenv("SIMT_THREADS"))
        fprintf(stderr, "simt: SIMT_THREADS is not used any more: one OS thread runs all\n");

    if (counts)
        refuse_if_strict("SIMT_COUNTERS", counters);
    settings.checks = !checks || !*checks || is_on("SIMT_CHECKS", checks);
    settings.counters = traces() || counts;
}

void simt_set_counters(int on)
{
    settings.counters = on;
}

/* ---- what is kept of the blocks that run by turns ---- */

struct watcher {
    struct block *block;
    struct shared_memory shared;
    struct tracer *tracer;
    struct judge *judge;
    struct event log[MAX_LANES][LOG_EVENTS];
    struct owed owed[MAX_LANES]; /* used while there is a trace */
};

/* One a block that runs beside others (run/pool.h). */
enum { MOST_WATCHERS = DEVICE_MOST_BLOCKS };

static struct watcher *watchers[MOST_WATCHERS];
static int watcher_count;
static struct count_table counts; /* of the launch that runs */

static struct watcher *watcher_new(struct block *block)
{
    struct watcher *watcher = calloc(1, sizeof *watcher);

    if (!watcher)
        end_fatal("no memory for the logs of %d threads", MAX_LANES);
    watcher->block = block;
    watcher->tracer = trace_new();
    watcher->judge = settings.checks ? judge_new() : NULL;
    return watchers[watcher_count++] = watcher;
}

static void start_logs(struct watcher *watcher, struct block *block)
{
    bool watched = settings.counters || settings.checks;

    for (unsigned i = 0; i < block->launch->threads; i++)
        hooks_start(&block->lane[i].log, watched ? watcher->log[i] : NULL,
                    (uintptr_t)fiber_stack_low(&block->stacks, (int)i),
                    settings.counters && trace_wanted ? &watcher->owed[i] : NULL);
}

static void begin_block(struct block *block)
{
    bool watched = settings.counters || settings.checks;
    struct watcher *watcher = block->watcher;

    if (watched && !watcher)
        watcher = block->watcher = watcher_new(block);
    if (watched)
        watcher->shared = space_shared_memory();
    start_logs(watcher, block);
    if (!watched)
        return;
    trace_block_begin(watcher->tracer);
    if (watcher->judge)
        judge_block_begin(watcher->judge, block);
}

static void end_block(struct block *block)
{
    struct watcher *watcher = block->watcher;

    if (watcher && watcher->judge)
        judge_block_end(watcher->judge);
}

static void meet_in_warp(struct block *block, unsigned warp, enum simt_warp_op op, unsigned lanes,
                         unsigned mask)
{
    struct watcher *watcher = block->watcher;

    if (watcher && settings.checks)
        judge_warp_meets(watcher->judge, warp, op, lanes, mask);
}

static void meet_at_barrier(struct block *block, const struct lane *first)
{
    struct watcher *watcher = block->watcher;

    if (watcher)
        judge_barrier(watcher->judge, first);
}

static bool note_synchronisation(const struct lane *lane, enum event_kind kind, uint64_t what)
{
    const struct watcher *watcher = lane->block->watcher;

    if (!watcher || !watcher->judge)
        return false;
    bool waits = judge_synchronises(watcher->judge, lane, kind, what);
    schedule_wipe_stack();
    return waits;
}

static enum access_verdict note_access(const struct lane *lane, const struct lane_access *access)
{
    struct watcher *watcher = lane->block->watcher;
    enum access_verdict verdict = judge_access(watcher->judge, lane, access);

    if (access->kind == EVENT_LOAD && access->extra & EXTRA_VOLATILE)
        schedule_wipe_stack();
    return verdict;
}

static void note_jump(const struct lane *lane, uint64_t key, uint32_t to)
{
    struct watcher *watcher = lane->block->watcher;

    judge_jumps(watcher->judge, lane, key, to);
}

static void note_stored(const struct lane *lane)
{
    struct watcher *watcher = lane->block->watcher;

    judge_stored(watcher->judge, lane);
}

static void note_host_access(uintptr_t address, unsigned size, bool store, bool polls,
                             const void *pc)
{
    if (bounds_host(address, size, store, pc))
        inflight_host(address, size, store, polls, pc);
}

/* ---- what a warp did ---- */

/* Lanes by the memory that they touch, of those that may: one request may go to several. Lanes in
 * the same array as one before them need not be looked up. */
static void split_by_space(struct watcher *watcher, const struct warp_event *event,
                           unsigned lanes[2])
{
    enum count_space space = SPACE_NONE;
    struct range range = {UINTPTR_MAX, 0};

    lanes[SPACE_GLOBAL] = lanes[SPACE_SHARED] = 0;
    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uintptr_t address = event->address[lane];
        if (address < range.begin || address > range.end - event->size) {
            range = (struct range){UINTPTR_MAX, 0};
            space = space_of(&watcher->shared, address, event->size, event->kind);
            if (space > SPACE_SHARED)
                continue;
            range = space_range(watcher->block, &watcher->shared, address, space);
        }
        lanes[space] |= 1u << lane;
    }
}

/* A request, or an operation between lanes, to the counters and the trace. */
static void count(struct watcher *watcher, const struct warp_event *event, unsigned warp,
                  enum count_space space)
{
    count_event(&counts, event, space);
    if (space == SPACE_GLOBAL && event->kind == EVENT_LOAD) {
        uint64_t *loaded = &watcher->block->warp[warp].loaded;
        *loaded += event->size * (unsigned)__builtin_popcount(event->lanes);
        if (*loaded > counts.busiest)
            counts.busiest = *loaded;
    }
    if (__builtin_expect(trace_wanted, 0) && space != SPACE_CONTROL)
        trace_event(watcher->tracer, watcher->block, &watcher->shared, event, warp, space);
}

struct merge_context {
    struct watcher *watcher;
    unsigned warp;
};

static void take_access(const struct merge_context *c, const struct warp_event *event)
{
    unsigned lanes[2];
    split_by_space(c->watcher, event, lanes);

    for (enum count_space space = SPACE_GLOBAL; space <= SPACE_SHARED; space++) {
        if (lanes[space] == event->lanes) {
            count(c->watcher, event, c->warp, space);
        } else if (lanes[space]) {
            struct warp_event part = *event;
            part.lanes = lanes[space];
            count(c->watcher, &part, c->warp, space);
        }
    }
}

static void take_event(void *context, const struct warp_event *event)
{
    const struct merge_context *c = context;

    if (event_is_access(event->kind)) {
        take_access(c, event);
        return;
    }
    if (event->kind == EVENT_VALUE) {
        trace_values(c->watcher->tracer, event, c->warp);
        return;
    }
    if (event->kind == EVENT_BRANCH)
        count(c->watcher, event, c->warp, SPACE_CONTROL);
    if (event->kind >= EVENT_SYNCTHREADS)
        count(c->watcher, event, c->warp, SPACE_SYNC);
}

/* Moves what was not merged, and the event before it, to the begin of the lane's log. */
static void keep_rest(struct log *log, const struct event *merged)
{
    size_t left = (size_t)(log->next - merged);

    if (merged != log->begin)
        memmove(log->begin - 1, merged - 1, (left + 1) * sizeof *merged);
    log->next = log->begin + left;
}

/* Merges what the lanes of a warp have logged, each by itself. Those that waited for room become
 * ready. */
static void take_logs(struct block *block, unsigned w, unsigned count)
{
    struct warp *warp = &block->warp[w];
    struct lane *lanes = &block->lane[w * WARP_SIZE];
    static const struct event none = {.key = MERGE_END};
    const struct event *next[MERGE_LANES];
    struct merge_context context = {block->watcher, w};
    unsigned running = 0;

    for (unsigned i = 0; i < count; i++) {
        next[i] = settings.counters ? lanes[i].log.begin : lanes[i].log.next;
        lanes[i].log.next->key = MERGE_END;
        if (warp->alive >> i & 1 && lanes[i].wait == WAIT_LOG)
            running |= 1u << i;
    }
    for (unsigned i = count; i < WARP_SIZE; i++)
        next[i] = &none;
    if (settings.counters)
        merge_warp(next, running, take_event, &context);
    for (unsigned i = 0; i < count; i++) {
        keep_rest(&lanes[i].log, next[i]);
        if (running >> i & 1 && lanes[i].log.next < lanes[i].log.begin + LOG_ROOM) {
            lanes[i].wait = WAIT_NOTHING;
            warp->ready |= 1u << i;
        }
    }
}

/* Merges what the lanes of a warp have done. */
static void take_warp(struct block *block, unsigned w)
{
    unsigned count = block->launch->threads - w * WARP_SIZE;

    if (block->watcher)
        take_logs(block, w, count < WARP_SIZE ? count : WARP_SIZE);
}

/* ---- a launch ends ---- */

static void keep_counts(const struct launch *launch)
{
    launches_add(launch, counts);
    counts = (struct count_table){0};
    for (int i = 0; i < watcher_count; i++)
        trace_gather(watchers[i]->tracer);
    trace_launch_end(launch);
}

static void end_launch(const struct launch *launch)
{
    if (settings.counters)
        keep_counts(launch);
    if (settings.checks)
        judge_launch_end(launch);
}

/* ---- the program ---- */

/* SIMT_COUNTERS, for programs that do not print them themselves. */
static void print_counters_as_asked(void)
{
    const char *style = getenv("SIMT_COUNTERS");

    if (!style || !settings.counters)
        return;
    fflush(stdout);
    if (strcmp(style, "csv") == 0)
        simt_print_counters(stderr, SIMT_CSV, "");
    else
        simt_print_counters(stderr, strcmp(style, "annotate") == 0 ? SIMT_ANNOTATE : SIMT_TABLE,
                            "");
}

/* The last word of every end: the report, with the status that it gives. */
static int write_report(int status)
{
    if (report_write(status))
        return status;
    return status == EXIT_BUG ? EXIT_BUG : EXIT_NO_DEVICE;
}

/* SIMT_REPORT, before anything runs. */
static void choose_report(void)
{
    const char *file = getenv("SIMT_REPORT"), *why;

    if (!file || !*file)
        return;
    if ((why = report_set(file)) != NULL)
        end_usage("SIMT_REPORT=%s: %s", file, why);
    end_set_last(write_report);
}

/* What was found is told, and decides the exit status: a finding is 4, and what was not judged to
 * the end is 5 where it would be 0. written: all that was asked for could be. */
static void tell(int status, bool written)
{
    if (settings.checks)
        judge_program_end(status);
    finding_print();
    const char *why = end_why_not_judged();
    if (why)
        fprintf(stderr, "simt: not judged to the end: %s\n", why);
    if (settings.checks && async_used_several())
        fprintf(stderr, "simt: several streams were used: they ran in the order of the calls, and "
                        "races between them were not judged\n");
    int ends = finding_any() ? EXIT_BUG : status;
    if (ends != EXIT_BUG && !written)
        ends = EXIT_NO_DEVICE;
    if (ends == 0 && why)
        ends = EXIT_NOT_JUDGED;
    if (ends != status)
        end_now(ends);
    if (!report_write(status))
        end_now(EXIT_NO_DEVICE);
}

/* When everything else has been printed. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    print_counters_as_asked();
    tell(status, trace_write());
}

/* A check of the program's own that fails is often how a bug shows. Its status is a shell's. */
static void tell_before_death(int signal_number)
{
    end_begin();
    tell(128 + signal_number, true);
}

/* ---- a launch that gets no further ---- */

/* All of its blocks stand still for good: what they did is judged as if the launch had ended. */
static void judge_unfinished(const struct stall *stall)
{
    if (!settings.checks)
        return;
    for (int i = 0; i < stall->count; i++)
        judge_block_end(((struct watcher *)stall->blocks[i]->watcher)->judge);
    judge_launch_end(stall->launch);
}

static void take_stall(const struct stall *stall)
{
    if (stall->kind == STALL_SLOW) {
        stall_tell_slow(stall);
        return;
    }
    end_begin();
    judge_unfinished(stall);
    if (stall->kind == STALL_SIGNAL) {
        finding_print();
        stall_tell_signal(stall);
        return;
    }
    bool deadlock = stall->kind == STALL_DEADLOCK || stall->kind == STALL_GRID;
    if (settings.checks && deadlock && stall_may_wait_for_host(stall))
        stall_waits_for_host(stall);
    else if (settings.checks && deadlock)
        stall_find(stall);
    else
        stall_not_judged(stall);
    at_exit(0, NULL);
}

static void refuse_nested_launch(const struct lane *lane, const struct simt_site *site)
{
    end_begin();
    stall_nested_launch(lane, site);
    at_exit(0, NULL);
}

static void observe(void)
{
    simt_observer = (struct observer){.launch_end = end_launch,
                                      .block_begin = begin_block,
                                      .block_end = end_block,
                                      .operation = hooks_operation,
                                      .atomic_values = owed_atomic_values,
                                      .range = hooks_range,
                                      .warp_stops = take_warp,
                                      .nested_launch = refuse_nested_launch,
                                      .stall = take_stall,
                                      .fatal = fatal_report,
                                      .host_dies = tell_before_death};
}

/* The same, and all that SIMT_CHECKS=off leaves out. */
static void observe_for_checks(void)
{
    observe();
    simt_observer.launch_begin = need_tell;
    simt_observer.warp_meets = meet_in_warp;
    simt_observer.barrier = meet_at_barrier;
    simt_observer.stray_free = bounds_free;
    simt_observer.stray_shuffle = judge_stray_shuffle;
    simt_observer.unseen_mask = judge_unseen_mask;
    simt_observer.wrong_width = judge_width;
    simt_observer.symbol_address = bounds_symbol_address;
    simt_observer.freed = judge_freed;
    simt_observer.transfer = inflight_transfer;
    simt_observer.host_overrun = judge_host_overrun;
    simt_observer.division = judge_division;
    hooks_host_access = note_host_access;
    hooks_synchronises = note_synchronisation;
    hooks_access = note_access;
    append_told = note_stored;
    hooks_jumps = note_jump;
    stray_index = bounds_index;
}

/* Before main, so that at_exit runs after everything that main registers. */
__attribute__((constructor)) static void start(void)
{
    choose_report();
    read_settings();
    if (settings.checks)
        observe_for_checks();
    else
        observe();
    crash_handle();
    on_exit(at_exit, NULL);
}

/* What simtcc names to the linker, to have this file. */
const int simt_backend = 1;
