/* A launch that gets no further: is it a deadlock of threads that poll, a grid that is too large
 * for the device, a kernel that waits for the host, or an endless loop?
 *
 * Rule: if all threads wait or poll, and nothing has changed since they last looked, no thread can
 * go on: a deadlock. Exception: a thread may poll memory that the host writes while the kernel
 * runs, which it cannot do here: not judged. */
#include "judge/judge.h"
#include "run/block.h"
#include "run/end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where the threads are ---- */

/* Runs the statement behind it for each living lane of the stall's blocks. */
#define STALLED_LANES(stall, lane)                                                                 \
    for (const struct block *b_ = block_list; b_; b_ = b_->next)                                   \
        for (const struct lane *lane = b_->lane; lane < b_->lane + (stall)->launch->threads;       \
             lane++)                                                                               \
            if (b_->resident && (!(stall)->block || b_ == (stall)->block) &&                       \
                lane_is_alive(b_, lane->index))

/* Threads that do the same on one line. */
struct place {
    enum { BEGIN, WORK, WAIT } does; /* they have not begun, work, or wait for others */
    char where[192];                 /* at what, and where, as it is told */
    int line;                        /* of the source; 0: unknown */
    size_t threads;                  /* how many */
};

enum { MOST_PLACES = 64, MOST_TOLD = 4 };

/* Does the lane wait for other threads? */
static bool is_waiting(const struct lane *lane)
{
    bool ready = lane->block->warp[lane->index / WARP_SIZE].ready >> lane->index % WARP_SIZE & 1;

    return lane->wait == WAIT_GRID ||
           (!ready && lane->wait != WAIT_NOTHING && lane->wait != WAIT_LOG);
}

/* The operation at which the lane waits. */
static const char *name_of(const struct lane *lane)
{
    return lane->wait == WAIT_BARRIER    ? "__syncthreads"
           : lane->wait == WAIT_CONVERGE ? "__activemask"
           : lane->wait == WAIT_GRID     ? "grid.sync"
           : lane->op == SIMT_SYNCWARP   ? lane->group ? "sync" : "__syncwarp"
           : lane->op <= SIMT_SHFL_XOR   ? "a shuffle"
           : lane->op <= SIMT_ALL        ? "a vote"
           : lane->op <= SIMT_MATCH_ALL  ? "a match"
                                         : "a reduction";
}

static struct place place_of(const struct lane *lane)
{
    struct place place = {.does = is_waiting(lane) ? WAIT : lane->begun ? WORK : BEGIN};
    uint32_t pc = place.does == WAIT  ? code_offset(lane->pc)
                  : lane->interrupted ? code_offset(lane->interrupted)
                                      : log_last_pc(&lane->log);

    if (place.does == BEGIN)
        return place;
    if (place.does == WAIT)
        finding_text(place.where, sizeof place.where, " at %s", name_of(lane));
    if (place.does == WAIT && lane->wait == WAIT_WARP && lane->group)
        finding_text(place.where, sizeof place.where, " of a %s", group_missing(lane));
    else if (place.does == WAIT && lane->wait == WAIT_WARP)
        finding_text(place.where, sizeof place.where, ", mask 0x%08x", lane->mask);
    struct source_line line = source_line_at(pc);
    if ((place.line = line.line) > 0)
        finding_text(place.where, sizeof place.where, place.does == WAIT ? " (%s:%d)" : " at %s:%d",
                     line.file, line.line);
    return place;
}

static void add_lane(struct place places[MOST_PLACES], size_t *count, const struct lane *lane)
{
    struct place its = place_of(lane);
    size_t i = 0;

    while (i < *count && (places[i].does != its.does || strcmp(places[i].where, its.where) != 0))
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

/* The first lane that waits at a grid's barrier; NULL: none does. */
static const struct lane *at_grid(const struct stall *stall)
{
    STALLED_LANES(stall, lane)
        if (lane->wait == WAIT_GRID)
            return lane;
    return NULL;
}

const char *stall_places(const struct stall *stall)
{
    static char text[640];
    static const char *const does[][2] = {
        {"have not begun", "has not begun"}, {"are at work", "is at work"}, {"wait", "waits"}};
    struct place places[MOST_PLACES];
    size_t count = 0, elsewhere = 0;

    STALLED_LANES(stall, lane)
        add_lane(places, &count, lane);
    qsort(places, count, sizeof *places, by_threads);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        bool one = places[i].threads == 1;
        if (i < MOST_TOLD)
            finding_text(text, sizeof text, "%s%zu thread%s %s%s", i > 0 ? ", " : "",
                         places[i].threads, one ? "" : "s", does[places[i].does][one],
                         places[i].where);
        else
            elsewhere += places[i].threads;
    }
    if (elsewhere > 0)
        finding_text(text, sizeof text, ", %zu elsewhere", elsewhere);
    size_t ended = stall->launch->blocks - stall->waiting - stall->running;
    if (at_grid(stall) && ended > 0)
        finding_text(text, sizeof text, "; %zu block%s ended", ended,
                     ended == 1 ? " has" : "s have");
    if (stall->waiting > 0)
        finding_text(text, sizeof text, "; %zu block%s not begun", stall->waiting,
                     stall->waiting == 1 ? " has" : "s have");
    return text;
}

/* ---- what is told ---- */

void stall_tell(const struct stall *stall)
{
    const char *kernel = source_kernel(&stall->launch->site), *places = stall_places(stall);

    fflush(stdout);
    if (stall->kind == STALL_SLOW)
        fprintf(stderr, "simt: kernel %s: for %ld s no thread has ended: %s\n", kernel,
                stall->seconds, places);
    else
        fprintf(stderr, "\nsimt: interrupted in kernel %s: %s\n", kernel, places);
}

/* The lane's last access, or its last atomic; NULL: it is not in the log. */
static const struct event *last_access(const struct lane *lane, bool atomic)
{
    for (const struct event *e = lane->log.next; e-- > lane->log.begin;)
        if (atomic ? e->kind == EVENT_ATOMIC : event_is_access(e->kind))
            return e;
    return NULL;
}

/* The word that a lane polls; NULL: none is known. A lane that waits for nobody polls, perhaps by
 * __nanosleep() behind the look. */
static const void *polled_by(const struct lane *lane)
{
    const struct event *last = last_access(lane, false);

    if (lane->looks || lane->polls > 0)
        return lane->looks ? lane->looks : lane->polled;
    return last && last->kind != EVENT_STORE && lane->begun && !is_waiting(lane)
               ? (const void *)(uintptr_t)last->address
               : NULL;
}

/* The launch's last change of the word that the lane polls; NULL: none is known. An atomic that
 * only looks is no change. In a program without fences its entry does not say so, but it is the
 * atomic by which the lane polls. */
static const struct entry *last_change(const void *word, const struct lane *lane)
{
    const struct event *look = last_access(lane, false);
    bool by_atomic = look && look->kind == EVENT_ATOMIC && !atomic_program_has_fences();
    uint32_t look_pc = by_atomic ? key_pc(look->key, look->depth) : 0;
    unsigned run = lane->block->launch->number;
    const struct entry *e = race_global ? words_first(race_global + memory_word(word), run) : NULL;

    while (e && words_access_of(e)->writes &&
           (words_access_of(e)->same || words_access_of(e)->pc == look_pc))
        e = words_next(e);
    return e && words_access_of(e)->writes ? e : NULL;
}

/* May a thread poll what the host is to write, which on a GPU runs on beside the kernel? Pinned
 * memory is there to talk to the host; managed memory may be, if the launch itself does not write
 * the word. */
static bool may_wait_for_host(const struct stall *stall)
{
    STALLED_LANES(stall, lane) {
        const void *word = polled_by(lane);
        enum memory_kind kind = memory_at(word).kind;
        if (kind == MEMORY_PINNED || (kind == MEMORY_MANAGED && !last_change(word, lane)))
            return true;
    }
    return false;
}

/* Is the lane's last atomic a compare-and-swap on a NaN, as computations give it? */
static bool compares_nan(const struct lane *lane)
{
    const struct event *last = last_access(lane, true);
    uint64_t bits = 0;

    if (!last || !(last->extra & EXTRA_CAS) || last->size < 4)
        return false;
    memcpy(&bits, (const void *)(uintptr_t)last->address, last->size);
    bits &= last->size == 4 ? INT32_MAX : INT64_MAX;
    return last->size == 4 ? bits == 0x7fc00000 || bits == 0x7fffffff
                           : bits == 0x7ff8000000000000 || bits == INT64_MAX;
}

/* Tells which word the lane polls, and which thread wrote that last. */
static void say_awaited(struct finding *finding, const struct lane *lane)
{
    const void *word = polled_by(lane);
    struct memory memory = memory_at(word);
    const struct entry *write;

    if (!memory_holds(&memory, word, 1))
        return;
    finding_write(finding, " Thread %u of block %u %s byte %zu of ", lane->index,
                  lane->block->number,
                  lane->looks_around ? "looks at several words, at last at" : "waits for",
                  (uintptr_t)word - memory.begin);
    if (memory.symbol)
        finding_write(finding, "%s", memory.symbol->name);
    else
        finding_write(finding, "an allocation of %zu bytes", memory.size);
    if ((write = last_change(word, lane)) != NULL) {
        struct actor writer = pairs_actor(words_access_of(write), write->lanes);
        struct source_line line = source_line_at(writer.pc);
        finding_write(finding, ", which thread %u of block %u wrote last, at %s:%d", writer.thread,
                      writer.block, line.file, line.line);
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
                              .launch = *stall->launch};
    const struct lane *awaited = grid ? NULL : at_grid(stall);
    const void *said = NULL;
    int words = 0;

    if (grid)
        finding_write(&finding, "The device holds %zu blocks at once, but there are %zu: %s.",
                      stall->at_once, stall->waiting + stall->running, places);
    else
        finding_write(&finding, "%s: %s.",
                      awaited ? "Blocks wait for others at grid.sync(), and these will not come"
                              : "They poll words that no thread will ever change",
                      places);
    STALLED_LANES(stall, lane) {
        const void *word = polled_by(lane);
        if (finding.actors == 0 && lane->begun && (lane == awaited || !is_waiting(lane)))
            finding.actor[finding.actors++] =
                finding_actor(lane, log_last_pc(&lane->log), EVENT_KINDS, 0);
        if (grid || !word || word == said || words == 2)
            continue;
        say_awaited(&finding, lane);
        said = words++ == 0 ? word : said;
    }
    finding_add(&finding);
}

void stall_judge(const struct stall *stall, bool checks)
{
    const char *kernel = source_kernel(&stall->launch->site), *places = stall_places(stall);
    bool deadlock = stall->kind == STALL_DEADLOCK || stall->kind == STALL_GRID;

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
