/* Says where threads are, by source lines. */
#define _GNU_SOURCE
#include "judge/judge.h"
#include "judge/finding.h"
#include "judge/pairs.h"
#include "judge/race.h"
#include "run/end.h"
#include "run/memory.h"
#include "run/symbols.h"
#include "watch/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads that do the same on one line: "wait", or "waits", "at __syncthreads (x.cu:12)". */
struct place {
    const char *verb[2]; /* of several, of one */
    char rest[192];
    int line;
    size_t threads;
};

enum { MOST_PLACES = 64, MOST_TOLD = 4 };

/* Does the lane wait for others? */
static bool waits(const struct lane *lane)
{
    return !(lane->block->warp[lane->index / WARP_SIZE].ready >> lane->index % WARP_SIZE & 1) &&
           (lane->wait == WAIT_BARRIER || lane->wait == WAIT_WARP || lane->wait == WAIT_CONVERGE);
}

/* What it waits at. */
static const char *name_of(const struct lane *lane)
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

    return lane->wait == WAIT_BARRIER    ? "__syncthreads"
           : lane->wait == WAIT_CONVERGE ? "__activemask"
                                         : names[lane->op];
}

static struct place place_of(const struct lane *lane)
{
    struct place place = {{"have", "has"}, "not begun", 0, 0};
    char mask[32] = "";
    struct source_line line;

    if (waits(lane)) {
        place = (struct place){.verb = {"wait", "waits"}};
        if (lane->wait == WAIT_WARP)
            snprintf(mask, sizeof mask, ", mask 0x%08x", lane->mask);
        line = source_line_at(code_offset(lane->pc));
        snprintf(place.rest, sizeof place.rest, line.line > 0 ? "at %s%s (%s:%d)" : "at %s%s",
                 name_of(lane), mask, line.file, line.line);
    } else if (lane->begun) {
        place = (struct place){.verb = {"are", "is"}};
        line = source_line_at(lane->interrupted ? code_offset(lane->interrupted)
                                                : log_last_pc(&lane->log));
        snprintf(place.rest, sizeof place.rest, line.line > 0 ? "at work at %s:%d" : "at work",
                 line.file, line.line);
    } else {
        return place;
    }
    place.line = line.line;
    return place;
}

static void add_lane(struct place places[MOST_PLACES], size_t *count, const struct lane *lane)
{
    struct place its = place_of(lane);
    size_t i = 0;

    while (i < *count && strcmp(places[i].rest, its.rest) != 0)
        i++;
    if (i == MOST_PLACES)
        return;
    if (i == *count)
        places[(*count)++] = its;
    places[i].threads++;
}

static int by_threads(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->threads != y->threads)
        return x->threads < y->threads ? 1 : -1;
    return x->line - y->line;
}

/* Where all threads are. Returns how many places these are, sorted. */
static size_t gather(const struct stall *stall, struct place places[MOST_PLACES])
{
    size_t count = 0;

    for (int b = 0; b < stall->count; b++)
        for (unsigned i = 0; i < stall->launch->threads; i++)
            if (lane_is_alive(stall->blocks[b], i))
                add_lane(places, &count, &stall->blocks[b]->lane[i]);
    qsort(places, count, sizeof *places, by_threads);
    return count;
}

const char *stall_places(const struct stall *stall, const char *between, char *text, size_t room)
{
    struct place places[MOST_PLACES];
    size_t count = gather(stall, places), elsewhere = 0;
    FILE *out = fmemopen(text, room, "w");

    text[0] = '\0';
    if (!out)
        return text;
    for (size_t i = 0; i < count && i < MOST_TOLD; i++) {
        bool one = places[i].threads == 1;
        fprintf(out, "%s%zu thread%s %s %s", i > 0 ? between : "", places[i].threads,
                one ? "" : "s", places[i].verb[one], places[i].rest);
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

/* A stall in words: the kernel, and where its threads are. */
struct telling {
    char kernel[128], places[300];
};

static struct telling telling_of(const struct stall *stall)
{
    struct telling words;

    source_kernel(&stall->launch->site, words.kernel, sizeof words.kernel);
    stall_places(stall, ", ", words.places, sizeof words.places);
    return words;
}

void stall_tell(const struct stall *stall)
{
    struct telling words = telling_of(stall);

    fflush(stdout);
    if (stall->kind == STALL_SLOW)
        fprintf(stderr, "simt: kernel %s: for %ld s no thread has ended: %s\n", words.kernel,
                stall->seconds, words.places);
    else
        fprintf(stderr, "\nsimt: interrupted in kernel %s: %s\n", words.kernel, words.places);
}

/* ---- threads that wait for each other ---- */

/* The word that a lane polls, as far as that is known; NULL: none. */
static const void *polled_by(const struct lane *lane)
{
    return lane->looks ? lane->looks : lane->polls > 0 ? lane->polled : NULL;
}

/* The last write of the word by that launch; NULL: nobody wrote it, as far as is kept. */
static const struct entry *last_write(const void *word, const struct launch *launch)
{
    return race_global.first[WRITES]
               ? words_first(&race_global, memory_word(word), WRITES, launch->number)
               : NULL;
}

/* Pinned memory is there to talk to the host; managed memory may be there for anything, but what the
 * launch does not write. */
static bool is_the_hosts(const void *address, const struct launch *launch)
{
    enum memory_kind kind = memory_at(address).kind;

    if (kind == MEMORY_PINNED)
        return true;
    return kind == MEMORY_MANAGED && !last_write(address, launch);
}

/* On a GPU the host goes on while the kernel runs, and may write what a thread polls. */
static bool may_wait_for_host(const struct stall *stall)
{
    for (int b = 0; b < stall->count; b++)
        for (unsigned i = 0; i < stall->launch->threads; i++)
            if (is_the_hosts(polled_by(&stall->blocks[b]->lane[i]), stall->launch))
                return true;
    return false;
}

/* A thread that does not wait at a barrier is what the others wait for. */
static const struct lane *first_that_polls(const struct stall *stall)
{
    for (int b = 0; b < stall->count; b++)
        for (unsigned i = 0; i < stall->launch->threads; i++)
            if (lane_is_alive(stall->blocks[b], i) && stall->blocks[b]->lane[i].begun &&
                !waits(&stall->blocks[b]->lane[i]))
                return &stall->blocks[b]->lane[i];
    return NULL;
}

/* Does that thread poll this word, too, by what it wrote there? */
static bool also_polls(const struct stall *stall, const struct actor *writer, const void *word)
{
    for (int b = 0; b < stall->count; b++) {
        const struct lane *lane = &stall->blocks[b]->lane[writer->thread];
        if (stall->blocks[b]->number == writer->block && lane_is_alive(lane->block, lane->index))
            return polled_by(lane) == word && log_last_pc(&lane->log) == writer->pc;
    }
    return false;
}

/* What the lane polls, and who wrote that last, as far as it is known. */
static void say_awaited(FILE *out, const struct stall *stall, const struct lane *lane)
{
    const void *word = polled_by(lane);
    const struct symbol *symbol = symbols_near(word) ? symbols_at(word) : NULL;
    uintptr_t begin, end;
    const struct entry *write;

    if (!symbol && !memory_allocation(word, &begin, &end))
        return;
    fprintf(out, "\n  Thread %u of block %u waits for byte %zu of ", lane->index,
            lane->block->number, (uintptr_t)word - (symbol ? symbol->begin : begin));
    if (symbol)
        fprintf(out, "%s", symbol->name);
    else
        fprintf(out, "an allocation of %zu bytes", end - begin);
    struct actor writer = {0};
    if ((write = last_write(word, stall->launch)) != NULL)
        writer = pairs_actor(words_made(write), write->lanes);
    if (write && !also_polls(stall, &writer, word)) {
        struct source_line line = source_line_at(writer.pc);
        fprintf(out, ",\n  which thread %u of block %u wrote last, at %s:%d", writer.thread,
                writer.block, line.file, line.line);
    }
    fprintf(out, ".");
}

/* Of the first threads that poll different words. */
static void say_all_awaited(const struct stall *stall, char *text, size_t room)
{
    enum { MOST_WORDS = 2 };
    const void *said[MOST_WORDS] = {NULL};
    FILE *out = fmemopen(text, room, "w");
    int count = 0;

    for (int b = 0; out && b < stall->count; b++)
        for (unsigned i = 0; i < stall->launch->threads && count < MOST_WORDS; i++) {
            const struct lane *lane = &stall->blocks[b]->lane[i];
            const void *word = lane_is_alive(stall->blocks[b], i) ? polled_by(lane) : NULL;
            if (word && word != said[0] && (said[count++] = word))
                say_awaited(out, stall, lane);
        }
    if (out)
        fclose(out);
}

static void find_stall(const struct stall *stall, const char *places)
{
    const struct lane *lane = first_that_polls(stall);
    struct finding finding = {.kind = stall->kind == STALL_GRID ? FINDING_GRID : FINDING_DEADLOCK,
                              .launch = stall->launch,
                              .actors = lane != NULL};

    if (lane)
        finding.actor[0] = finding_actor(lane, log_last_pc(&lane->log), EVENT_KINDS, 0);
    if (stall->kind == STALL_GRID)
        snprintf(finding.detail, sizeof finding.detail,
                 "The device holds %zu blocks of this launch at once, but there are %zu: %s.",
                 stall->at_once, stall->waiting + (size_t)stall->count, places);
    else {
        size_t used =
            (size_t)snprintf(finding.detail, sizeof finding.detail,
                             "They poll words that no thread will ever change: %s.", places);
        say_all_awaited(stall, finding.detail + used, sizeof finding.detail - used);
    }
    finding_add(&finding);
}

void stall_judge(const struct stall *stall, bool checks)
{
    struct telling words = telling_of(stall);
    bool deadlock = stall->kind == STALL_DEADLOCK || stall->kind == STALL_GRID;

    if (checks && deadlock && may_wait_for_host(stall))
        end_not_judged("kernel %s waits for the host to write, but here the host goes on only when "
                       "the kernel has ended: %s",
                       words.kernel, words.places);
    else if (checks && deadlock)
        find_stall(stall, words.places);
    else if (stall->kind == STALL_ROOM)
        end_not_judged("kernel %s: its blocks wait for each other, and this computer has room for "
                       "%d at once: %s",
                       words.kernel, stall->count, words.places);
    else
        end_not_judged("kernel %s was stopped: for %ld s no thread has ended (SIMT_WATCHDOG=0 "
                       "waits for ever): %s",
                       words.kernel, stall->seconds, words.places);
}
