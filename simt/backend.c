/* Starts and ends a program: reads the settings, has what runs watched and judged, and has the last
 * word on how it ends. simtcc links this file in, which nothing else asks for. */
#define _GNU_SOURCE
#include "judge/bounds.h"
#include "judge/complaint.h"
#include "judge/finding.h"
#include "judge/inflight.h"
#include "judge/judge.h"
#include "judge/stall.h"
#include "run/end.h"
#include "simt.h"
#include "watch/hooks.h"
#include "watch/trace.h"
#include "watch/warps.h"

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

/* ---- what runs ---- */

static void begin_block(struct block *block)
{
    if (settings.counters || settings.checks)
        warps_block_begin(block, settings.counters);
    else
        for (unsigned i = 0; i < block->launch->threads; i++)
            log_nothing(&block->lane[i].log);
    if (settings.checks)
        judge_block_begin(block);
}

static void note_host_access(uintptr_t address, unsigned size, bool store, bool polls,
                             const void *pc)
{
    if (bounds_host(address, size, store, pc))
        inflight_host(address, size, store, polls, pc);
}

/* ---- a launch ends ---- */

static void end_launch(const struct launch *launch)
{
    if (settings.counters)
        warps_launch_end(launch);
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

int simt_status(void)
{
    return finding_any() ? EXIT_BUG : end_why_not_judged() ? EXIT_NOT_JUDGED : 0;
}

/* What was found is told, and decides the exit status: a finding is 4, and what was not judged to
 * the end is 5 where it would be 0. written: all that was asked for could be. */
static void tell(int status, bool written)
{
    if (settings.checks)
        complaint_program_end(status);
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
        judge_block_end(stall->blocks[i]);
    judge_launch_end(stall->launch);
}

static void take_stall(const struct stall *stall)
{
    if (stall->kind == STALL_SLOW) {
        stall_tell(stall);
        return;
    }
    end_begin();
    judge_unfinished(stall);
    if (stall->kind == STALL_SIGNAL) {
        finding_print();
        stall_tell(stall);
        return;
    }
    stall_judge(stall, settings.checks);
    at_exit(0, NULL);
}

/* A kernel that cannot go on. */
static void take_fatal(const struct fatal *fatal)
{
    end_begin();
    complaint_fatal(fatal);
    tell(0, true);
}

static void observe(void)
{
    simt_observer = (struct observer){.launch_end = end_launch,
                                      .block_begin = begin_block,
                                      .operation = hooks_operation,
                                      .atomic_values = values_atomic,
                                      .range = hooks_range,
                                      .warp_stops = warps_take,
                                      .stall = take_stall,
                                      .fatal = take_fatal,
                                      .host_dies = tell_before_death};
}

/* The same, and all that SIMT_CHECKS=off leaves out. */
static void observe_for_checks(void)
{
    observe();
    simt_observer.block_end = judge_block_end;
    simt_observer.warp_meets = judge_warp_meets;
    simt_observer.barrier = judge_barrier;
    simt_observer.complaint = complaint_judge;
    simt_observer.freed = judge_freed;
    simt_observer.transfer = inflight_transfer;
    hooks_host_access = note_host_access;
    append_synchronises = judge_synchronises;
    hooks_access = judge_access;
    append_told = judge_stored;
    hooks_jumps = judge_jumps;
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
