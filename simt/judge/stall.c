/* A launch that gets no further: is it a deadlock of threads that poll, a grid that is too large
 * for the device, a kernel that waits for the host, or an endless loop?
 *
 * Rule: if all threads wait or poll, and nothing has changed since they last looked, no thread can
 * go on: a deadlock. Exception: a thread may poll memory that the host writes while the kernel
 * runs, which it cannot do here: not judged. */
#define _GNU_SOURCE
#include "judge/judge.h"
#include "judge/finding.h"
#include "judge/race.h"
#include "run/end.h"
#include "run/memory.h"
#include "run/symbols.h"
#include "watch/source.h"

#include <stdio.h>
#include <string.h>

void stall_tell(const struct stall *stall)
{
    char kernel[128], places[300];

    source_kernel(&stall->launch->site, kernel, sizeof kernel);
    places_text(stall, places, sizeof places);
    fflush(stdout);
    if (stall->kind == STALL_SLOW)
        fprintf(stderr, "simt: kernel %s: for %ld s no thread has ended: %s\n", kernel,
                stall->seconds, places);
    else
        fprintf(stderr, "\nsimt: interrupted in kernel %s: %s\n", kernel, places);
}

/* The word that the lane has read last; NULL: it has stored one since. */
static const void *last_read(const struct lane *lane)
{
    const struct event *e = lane->log.next;

    while (e > lane->log.begin && !event_is_access(e[-1].kind))
        e--;
    return e > lane->log.begin && e[-1].kind != EVENT_STORE ? (const void *)(uintptr_t)e[-1].address
                                                            : NULL;
}

/* The word that a lane polls; NULL: none is known. A lane that waits for nobody polls, perhaps by
 * __nanosleep() behind the look. */
static const void *polled_by(const struct lane *lane)
{
    if (lane->looks || lane->polls > 0)
        return lane->looks ? lane->looks : lane->polled;
    return lane->begun && !places_waits(lane) ? last_read(lane) : NULL;
}

/* The launch's last write of the word; NULL: none is known. */
static const struct entry *last_write(const void *word, const struct launch *launch)
{
    const struct entry *last =
        race_global ? words_first(race_global + memory_word(word), launch->number) : NULL;

    return last && words_access_of(last)->writes ? last : NULL;
}

/* May the host be the one to write this word? Pinned memory is there to talk to the host; managed
 * memory may be, if the launch itself does not write the word. */
static bool is_the_hosts(const void *address, const struct launch *launch)
{
    enum memory_kind kind = memory_at(address).kind;

    if (kind == MEMORY_PINNED)
        return true;
    return kind == MEMORY_MANAGED && !last_write(address, launch);
}

/* On a GPU the host runs on beside the kernel, and may write what a thread polls. */
static bool may_wait_for_host(const struct stall *stall)
{
    STALLED_LANES(stall, lane)
        if (is_the_hosts(polled_by(lane), stall->launch))
            return true;
    return false;
}

/* Does that thread poll the word, too, by the very access that wrote it? */
static bool also_polls(const struct stall *stall, const struct actor *writer, const void *word)
{
    STALLED_LANES(stall, lane)
        if (lane->block->number == writer->block && lane->index == writer->thread)
            return polled_by(lane) == word && log_last_pc(&lane->log) == writer->pc;
    return false;
}

/* Is the lane's last atomic a compare-and-swap on a word that holds NaN, as computations give it?
 */
static bool compares_nan(const struct lane *lane)
{
    const struct event *e = lane->log.next;
    uint64_t bits = 0;

    while (e > lane->log.begin && e[-1].kind != EVENT_ATOMIC)
        e--;
    if (e == lane->log.begin || !(e[-1].extra & EXTRA_CAS) || e[-1].size < 4)
        return false;
    memcpy(&bits, (const void *)(uintptr_t)e[-1].address, e[-1].size);
    bits &= e[-1].size == 4 ? INT32_MAX : INT64_MAX;
    return e[-1].size == 4 ? bits == 0x7fc00000 || bits == 0x7fffffff
                           : bits == 0x7ff8000000000000 || bits == INT64_MAX;
}

/* Tells which word the lane polls, and which thread wrote that last. */
static void say_awaited(struct finding *finding, const struct stall *stall, const struct lane *lane)
{
    const void *word = polled_by(lane);
    struct memory memory = memory_at(word);
    const struct entry *write;

    if (!memory_holds(&memory, word, 1))
        return;
    finding_write(finding, " Thread %u of block %u waits for byte %zu of ", lane->index,
                  lane->block->number, (uintptr_t)word - memory.begin);
    if (memory.symbol)
        finding_write(finding, "%s", memory.symbol->name);
    else
        finding_write(finding, "an allocation of %zu bytes", memory.size);
    if ((write = last_write(word, stall->launch)) != NULL) {
        struct actor writer = pairs_actor(words_access_of(write), write->lanes);
        struct source_line line = source_line_at(writer.pc);
        if (!also_polls(stall, &writer, word))
            finding_write(finding, ", which thread %u of block %u wrote last, at %s:%d",
                          writer.thread, writer.block, line.file, line.line);
    }
    finding_write(finding, ".");
    if (compares_nan(lane))
        finding_write(finding, " It holds NaN, if it is a float or double: that equals nothing, "
                               "so that no compare-and-"
                               "swap seems to succeed. Compare its bits, as by __float_as_int.");
}

/* The finding is at the first thread that does not wait at a barrier, since the others wait for it.
 * It names up to two polled words. */
static void find_stall(const struct stall *stall, const char *places)
{
    bool grid = stall->kind == STALL_GRID;
    struct finding finding = {.kind = grid ? FINDING_GRID : FINDING_DEADLOCK,
                              .launch = stall->launch};
    const struct lane *awaited = grid ? NULL : places_at_grid(stall);
    const void *said = NULL;
    int words = 0;

    if (grid)
        finding_write(&finding, "The device holds %zu blocks at once, but there are %zu: %s.",
                      stall->at_once, stall->waiting + (size_t)stall->count, places);
    else
        finding_write(&finding, "%s: %s.",
                      awaited ? "Blocks wait for others at grid.sync(), and these will not come"
                              : "They poll words that no thread will ever change",
                      places);
    STALLED_LANES(stall, lane) {
        const void *word = polled_by(lane);
        if (finding.actors == 0 && lane->begun && (lane == awaited || !places_waits(lane)))
            finding.actor[finding.actors++] =
                finding_actor(lane, log_last_pc(&lane->log), EVENT_KINDS, 0);
        if (grid || !word || word == said || words == 2)
            continue;
        say_awaited(&finding, stall, lane);
        said = words++ == 0 ? word : said;
    }
    finding_add(&finding);
}

void stall_judge(const struct stall *stall, bool checks)
{
    char kernel[128], places[300];
    bool deadlock = stall->kind == STALL_DEADLOCK || stall->kind == STALL_GRID;

    source_kernel(&stall->launch->site, kernel, sizeof kernel);
    places_text(stall, places, sizeof places);
    if (checks && deadlock && may_wait_for_host(stall))
        end_not_judged("kernel %s waits for the host to write, but here the host goes on only when "
                       "the kernel has ended: %s",
                       kernel, places);
    else if (checks && deadlock)
        find_stall(stall, places);
    else if (deadlock)
        end_not_judged("kernel %s can never go on: %s", kernel, places);
    else
        end_not_judged("kernel %s was stopped: for %ld s no thread has ended (SIMT_WATCHDOG=0 "
                       "waits for ever): %s",
                       kernel, stall->seconds, places);
}
