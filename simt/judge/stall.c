/* Says where threads are, by source lines. */
#define _GNU_SOURCE
#include "judge/stall.h"
#include "judge/finding.h"
#include "judge/race.h"
#include "run/end.h"
#include "run/memory.h"
#include "run/symbols.h"
#include "watch/code.h"
#include "watch/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a thread does: it has not begun, runs, or waits for others. */
enum doing { NOT_BEGUN, RUNS, AT_BARRIER, AT_WARP_OPERATION, AT_ACTIVEMASK };

/* Threads that do the same at the same place; mask: of a warp operation. */
struct place {
    enum doing doing;
    enum simt_warp_op op;
    unsigned mask;
    uint32_t pc;
    struct source_line line;
    size_t threads;
};

enum { MOST_PLACES = 64, MOST_TOLD = 4 };

static enum doing doing_of(const struct block *block, const struct lane *lane)
{
    if (!(block->warp[lane->index / WARP_SIZE].ready >> lane->index % WARP_SIZE & 1))
        switch (lane->wait) {
        case WAIT_BARRIER: return AT_BARRIER;
        case WAIT_WARP: return AT_WARP_OPERATION;
        case WAIT_CONVERGE: return AT_ACTIVEMASK;
        default: break;
        }
    return lane->begun ? RUNS : NOT_BEGUN;
}

static uint32_t place_of(const struct lane *lane, enum doing doing)
{
    if (doing == NOT_BEGUN)
        return 0;
    if (doing != RUNS)
        return code_offset(lane->pc);
    return lane->interrupted && lane->interrupted_after == log_last(&lane->log).key
               ? code_offset(lane->interrupted)
               : log_last_pc(&lane->log);
}

static bool do_the_same(const struct place *a, const struct place *b)
{
    return a->doing == b->doing &&
           (a->doing != AT_WARP_OPERATION || (a->op == b->op && a->mask == b->mask));
}

static void add_lane(struct place places[MOST_PLACES], size_t *count, const struct place *of_lane)
{
    size_t i = 0;

    while (i < *count && (places[i].pc != of_lane->pc || !do_the_same(&places[i], of_lane)))
        i++;
    if (i == MOST_PLACES)
        return;
    if (i == *count)
        places[(*count)++] = *of_lane;
    places[i].threads++;
}

static size_t gather(const struct stall *stall, struct place places[MOST_PLACES])
{
    size_t count = 0;

    for (int b = 0; b < stall->count; b++)
        for (unsigned i = 0; i < stall->launch->threads; i++) {
            const struct block *block = stall->blocks[b];
            const struct lane *lane = &block->lane[i];
            if (!lane_is_alive(block, i))
                continue;
            enum doing doing = doing_of(block, lane);
            add_lane(places, &count,
                     &(struct place){.doing = doing,
                                     .op = lane->op,
                                     .mask = lane->mask,
                                     .pc = place_of(lane, doing)});
        }
    return count;
}

static bool same_line(const struct place *a, const struct place *b)
{
    return do_the_same(a, b) && a->line.line == b->line.line &&
           strcmp(a->line.file, b->line.file) == 0;
}

static int by_threads(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->threads != y->threads)
        return x->threads < y->threads ? 1 : -1;
    return x->line.line - y->line.line;
}

/* Places of one line become one. Returns how many are left, sorted. */
static size_t join_lines(struct place *places, size_t count)
{
    uint32_t pcs[MOST_PLACES] = {0};
    struct source_line lines[MOST_PLACES];
    size_t left = 0;

    for (size_t i = 0; i < count; i++)
        pcs[i] = places[i].pc;
    source_lines(pcs, count, lines);
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        places[i].line = lines[i];
        while (j < left && !same_line(&places[j], &places[i]))
            j++;
        if (j < left)
            places[j].threads += places[i].threads;
        else
            places[left++] = places[i];
    }
    qsort(places, left, sizeof *places, by_threads);
    return left;
}

/* What it waits at. */
static const char *name_of(const struct place *place)
{
    static const char *const names[] = {
        [SIMT_SYNCWARP] = "__syncwarp",
        [SIMT_SHFL_IDX] = "__shfl_sync",
        [SIMT_SHFL_UP] = "__shfl_up_sync",
        [SIMT_SHFL_DOWN] = "__shfl_down_sync",
        [SIMT_SHFL_XOR] = "__shfl_xor_sync",
        [SIMT_BALLOT] = "a vote",
        [SIMT_MATCH_ANY] = "__match_any_sync",
        [SIMT_MATCH_ALL] = "__match_all_sync",
        [SIMT_ADD] = "__reduce_add_sync",
        [SIMT_MIN_SIGNED] = "__reduce_min_sync",
        [SIMT_MAX_SIGNED] = "__reduce_max_sync",
        [SIMT_MIN_UNSIGNED] = "__reduce_min_sync",
        [SIMT_MAX_UNSIGNED] = "__reduce_max_sync",
        [SIMT_AND] = "__reduce_and_sync",
        [SIMT_OR] = "__reduce_or_sync",
        [SIMT_XOR] = "__reduce_xor_sync",
    };

    return place->doing == AT_BARRIER      ? "__syncthreads"
           : place->doing == AT_ACTIVEMASK ? "__activemask"
                                           : names[place->op];
}

static void write_place(FILE *out, const struct place *place)
{
    bool one = place->threads == 1;

    fprintf(out, "%zu thread%s ", place->threads, one ? "" : "s");
    if (place->doing == NOT_BEGUN)
        fprintf(out, "%s not begun", one ? "has" : "have");
    else if (place->doing != RUNS)
        fprintf(out, "wait%s at %s", one ? "s" : "", name_of(place));
    else
        fprintf(out, "%s at work", one ? "is" : "are");
    if (place->doing == AT_WARP_OPERATION)
        fprintf(out, ", mask 0x%08x", place->mask);
    if (place->line.line > 0)
        fprintf(out, place->doing == RUNS ? " at %s:%d" : " (%s:%d)", place->line.file,
                place->line.line);
}

const char *stall_places(const struct stall *stall, const char *between, char *text, size_t room)
{
    struct place places[MOST_PLACES];
    size_t count = join_lines(places, gather(stall, places)), elsewhere = 0;
    FILE *out = fmemopen(text, room, "w");

    text[0] = '\0';
    if (!out)
        return text;
    for (size_t i = 0; i < count && i < MOST_TOLD; i++) {
        fprintf(out, "%s", i > 0 ? between : "");
        write_place(out, &places[i]);
    }
    for (size_t i = MOST_TOLD; i < count; i++)
        elsewhere += places[i].threads;
    if (elsewhere > 0)
        fprintf(out, "%s%zu elsewhere", between, elsewhere);
    if (stall->waiting > 0)
        fprintf(out, "; %zu blocks have not begun", stall->waiting);
    fclose(out);
    text[room - 1] = '\0';
    return text;
}

static const char *kernel_of(const struct stall *stall, char *name, size_t room)
{
    return source_kernel(&stall->launch->site, name, room);
}

void stall_tell_slow(const struct stall *stall)
{
    char places[400], kernel[128];

    fflush(stdout);
    fprintf(stderr, "simt: kernel %s: for %ld s no thread has ended: %s\n",
            kernel_of(stall, kernel, sizeof kernel), stall->seconds,
            stall_places(stall, ", ", places, sizeof places));
}

void stall_tell_signal(const struct stall *stall)
{
    char places[400], kernel[128];

    fprintf(stderr, "\nsimt: interrupted in kernel %s: %s\n",
            kernel_of(stall, kernel, sizeof kernel),
            stall_places(stall, ", ", places, sizeof places));
}

/* A thread that does not wait at a barrier is what the others wait for. */
static const struct lane *first_that_polls(const struct stall *stall)
{
    for (int b = 0; b < stall->count; b++)
        for (unsigned i = 0; i < stall->launch->threads; i++)
            if (lane_is_alive(stall->blocks[b], i) &&
                doing_of(stall->blocks[b], &stall->blocks[b]->lane[i]) == RUNS)
                return &stall->blocks[b]->lane[i];
    return NULL;
}

void stall_find(const struct stall *stall)
{
    const struct lane *lane = first_that_polls(stall);
    struct finding finding = {.kind = stall->kind == STALL_GRID ? FINDING_GRID : FINDING_DEADLOCK,
                              .launch = stall->launch,
                              .actors = lane != NULL};
    char places[200];

    if (lane)
        finding.actor[0] =
            finding_actor(lane->block, log_last_pc(&lane->log), lane->index / WARP_SIZE,
                          (int)(lane->index % WARP_SIZE), EVENT_KINDS, 0);
    stall_places(stall, ", ", places, sizeof places);
    if (stall->kind == STALL_GRID)
        snprintf(finding.detail, sizeof finding.detail,
                 "The device holds %zu blocks of this launch at once, but there are %zu: %s.",
                 stall->at_once, stall->waiting + (size_t)stall->count, places);
    else
        snprintf(finding.detail, sizeof finding.detail,
                 "They poll words that no thread will ever change: %s.", places);
    finding_add(&finding);
}

void stall_not_judged(const struct stall *stall)
{
    char places[300], kernel[128];

    kernel_of(stall, kernel, sizeof kernel);
    stall_places(stall, ", ", places, sizeof places);
    if (stall->kind == STALL_ROOM)
        end_not_judged("kernel %s: its blocks wait for each other, and this computer has room for "
                       "%d at once: %s",
                       kernel, stall->count, places);
    else
        end_not_judged("kernel %s was stopped: for %ld s no thread has ended (SIMT_WATCHDOG=0 "
                       "waits for ever): %s",
                       kernel, stall->seconds, places);
}

/* Pinned and registered memory is there to talk to the host; managed memory may be there for
 * anything, but what the launch does not write. */
static bool is_the_hosts(const void *address, const struct launch *launch)
{
    enum memory_kind kind = address ? memory_kind_of(address) : MEMORY_NONE;
    bool managed = kind == MEMORY_MANAGED ||
                   (address && symbols_near(address) && symbols_at(address)->managed);
    bool writes;

    if (kind == MEMORY_PINNED || kind == MEMORY_SHADOW)
        return true;
    return managed && !(race_touched(memory_word(address), 0xf, launch->number, false, &writes));
}

bool stall_may_wait_for_host(const struct stall *stall)
{
    for (int i = 0; i < stall->count; i++)
        for (unsigned t = 0; t < stall->launch->threads; t++) {
            const struct lane *lane = &stall->blocks[i]->lane[t];
            if (is_the_hosts(lane->looks, stall->launch) ||
                (lane->polls > 0 && is_the_hosts(lane->polled, stall->launch)))
                return true;
        }
    return false;
}

void stall_waits_for_host(const struct stall *stall)
{
    char places[300], kernel[128];

    end_not_judged("kernel %s waits for the host to write, but here the host goes on only when the "
                   "kernel has ended: %s",
                   kernel_of(stall, kernel, sizeof kernel),
                   stall_places(stall, ", ", places, sizeof places));
}

void stall_nested_launch(const struct lane *lane, const struct simt_site *site)
{
    char outer[128], inner[128];

    end_not_judged("kernel %s launches kernel %s (%s:%d): a kernel launched by a kernel is not "
                   "supported",
                   source_kernel(&lane->block->launch->site, outer, sizeof outer),
                   source_kernel(site, inner, sizeof inner), site->file, site->line);
}
