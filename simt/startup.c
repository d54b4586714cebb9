/* Starts and ends a program: reads the settings, has what runs watched and judged, and has the last
 * word on how it ends. */
#include "judge/finding.h"
#include "judge/judge.h"
#include "run/block.h"
#include "run/end.h"
#include "run/runtime.h"
#include "simt.h"
#include "watch/hooks.h"
#include "watch/trace.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings ---- */

/* SIMT_COUNTERS, SIMT_CHECKS and SIMT_TRACE, unless the harness says otherwise. If a trace is asked
 * for, counted events are recorded, too. */
static bool counters, checks;
static int style = -1; /* SIMT_COUNTERS as an enum simt_style; -1: not asked for */

/* A variable's value; NULL: it is not set. */
static const char *setting(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value ? value : NULL;
}

/* Which of the words is the variable's value; if it is not set, 0. */
static int choice(const char *variable, const char *const *words, const char *wanted)
{
    const char *value = setting(variable);
    int i = 0;

    while (value && words[i] && strcmp(value, words[i]) != 0)
        i++;
    if (value && !words[i])
        end_usage("%s=%s: want %s", variable, value, wanted);
    return i;
}

/* The variable names a file, if it is set, that set(file) takes or says why it does not. */
static bool names_file(const char *variable, const char *(*set)(const char *file))
{
    const char *file = setting(variable), *why = file ? set(file) : NULL;

    if (why)
        end_usage("%s=%s: %s", variable, file, why);
    return file;
}

/* simtcc --strict defines this symbol in its programs. They are not optimised, so their accesses
 * say nothing about the cost of the optimised program. */
extern const char simt_strict[] __attribute__((weak));

/* The last word of every end: the report, with the status that it gives. */
static int write_report(int status)
{
    if (report_json_write(status))
        return status;
    return status == EXIT_BUG ? EXIT_BUG : EXIT_NO_DEVICE;
}

/* Before main: a wrong setting is told before anything runs. */
static void read_settings(void)
{
    static const char *const styles[] = {"off", "table", "csv", "annotate", NULL};
    static const char *const states[] = {"on", "off", NULL};
    bool traces = names_file("SIMT_TRACE", simt_set_trace);

    style = choice("SIMT_COUNTERS", styles, "table, csv, annotate or off") - 1;
    checks = choice("SIMT_CHECKS", states, "on or off") == 0;
    counters = traces || style >= 0;
    if (simt_strict && counters)
        end_usage("%s=%s: this program is compiled by simtcc --strict, for the checks alone; "
                  "compile it without --strict for counters and traces",
                  traces ? "SIMT_TRACE" : "SIMT_COUNTERS",
                  setting(traces ? "SIMT_TRACE" : "SIMT_COUNTERS"));
    names_file("SIMT_REPORT", report_json_set);
}

void simt_set_counters(int on)
{
    counters = on;
}

/* ---- what runs ---- */

static void begin_block(struct block *block)
{
    if (counters || checks)
        warps_block_begin(block, counters);
    if (checks)
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
    if (counters)
        warps_launch_end(launch);
    if (checks)
        judge_launch_end(launch);
}

/* ---- the program ---- */

int simt_status(void)
{
    return finding_any() ? EXIT_BUG : end_why_not_judged() ? EXIT_NOT_JUDGED : 0;
}

/* Tells the findings, and ends the program if they decide its exit status: 4 for a finding; 5
 * instead of 0 if not all was judged. errors: those of calls are findings, too. written: all files
 * that were asked for could be written. */
static void tell(int status, bool errors, bool written)
{
    if (checks && errors)
        complaint_program_end(status);
    report_text();
    const char *why = end_why_not_judged();
    if (why)
        fprintf(stderr, "simt: not judged to the end: %s\n", why);
    if (checks && async_used_several)
        fprintf(stderr, "simt: several streams were used: they ran in the order of the calls, and "
                        "races between them were not judged\n");
    int ends = finding_any() ? EXIT_BUG : status;
    if (ends != EXIT_BUG && !written)
        ends = EXIT_NO_DEVICE;
    if (ends == 0 && why)
        ends = EXIT_NOT_JUDGED;
    if (ends != status)
        end_now(ends);
    if (!report_json_write(status))
        end_now(EXIT_NO_DEVICE);
}

/* When everything else has been printed. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    if (counters && style >= 0) {
        fflush(stdout);
        simt_print_counters(stderr, (enum simt_style)style, "");
    }
    tell(status, true, trace_write());
}

/* The host dies of a signal, often of a failed check of its own that shows a bug. The status is the
 * one that a shell gives. An interrupted program may still have wanted to look at an error. */
static void tell_before_death(int signal_number)
{
    bool crashes = signal_number == SIGABRT || signal_number == SIGSEGV ||
                   signal_number == SIGBUS || signal_number == SIGFPE || signal_number == SIGILL;

    end_begin();
    tell(128 + signal_number, crashes, true);
}

/* ---- a launch that gets no further ---- */

/* Its blocks stand still for good: what they did is judged as if the launch had ended. */
static void judge_as_ended(const struct launch *launch)
{
    for (struct block *block = block_list; block; block = block->next)
        if (block->resident)
            judge_block_end(block);
    judge_launch_end(launch);
}

static void take_stall(const struct stall *stall)
{
    if (stall->kind != STALL_SLOW)
        end_begin();
    if (stall->kind != STALL_SLOW && checks)
        judge_as_ended(stall->launch);
    if (stall->kind == STALL_SLOW || stall->kind == STALL_SIGNAL) {
        stall_tell(stall);
        return;
    }
    stall_judge(stall, checks);
    at_exit(0, NULL);
}

/* A kernel cannot go on. All findings are told, even if something else crashes meanwhile; but where
 * a limit of the backend has stopped it, a thread that has done half of its work is not judged. */
static void take_fatal(const struct fatal *fatal)
{
    end_begin();
    if (!fatal->again)
        fatal_judge(fatal);
    if (checks && !fatal->again && !fatal->limit)
        judge_as_ended(fatal->block->launch);
    tell(0, !fatal->again, true);
}

static void observe(void)
{
    simt_observer = (struct observer){.launch_end = end_launch,
                                      .block_begin = begin_block,
                                      .operation = hooks_operation,
                                      .atomic_values = values_atomic,
                                      .range = pieces_range,
                                      .warp_stops = warps_take,
                                      .stall = take_stall,
                                      .fatal = take_fatal,
                                      .host_dies = tell_before_death,
                                      .found = finding_any,
                                      .ends = write_report};
    if (!checks)
        return;
    simt_observer.block_end = judge_block_end;
    simt_observer.warp_meets = judge_warp_meets;
    simt_observer.barrier = judge_barrier;
    simt_observer.complaint = complaint_judge;
    simt_observer.copy_made = judge_copy_made;
    simt_observer.grid_passed = judge_grid_passed;
    simt_observer.freed = judge_freed;
    simt_observer.copied = garbage_copied;
    simt_observer.transfer = inflight_transfer;
    hooks_listener = (struct listener){.access = judge_access,
                                       .stored = pairs_settle,
                                       .synchronises = judge_synchronises,
                                       .jumps = judge_jumps,
                                       .host_access = note_host_access};
}

/* Before the program's own objects, which may launch kernels: so at_exit also runs after all that
 * main and these objects' destructors do. */
__attribute__((constructor(102))) static void start(void)
{
    read_settings();
    observe();
    end_handle_crashes();
    watchdog_handle();
    on_exit(at_exit, NULL);
}
