/* Waits where a lane's log is full, and keeps what is told of a store, or of a volatile access,
 * once it has been made. */
#include "run/atomic.h"
#include "run/block.h"
#include "run/schedule.h"
#include "watch/hooks.h"
#include "watch/trace.h"

#include <string.h>

/* ---- stores and volatile accesses, once they have been made ---- */

void append_expect(struct log *log, uintptr_t address, unsigned size)
{
    if (log->stored_size)
        return;
    log->stored = address;
    log->stored_size = (uint8_t)size;
}

void append_stored(struct lane *lane)
{
    size_t size = lane->log.stored_size;

    lane->log.stored_size = 0;
    if (lane->log.values)
        values_settle(&lane->log);
    if (hooks_listener.stored)
        hooks_listener.stored();
    if (lane->strayed && size <= 8)
        stray_used(lane, (const void *)lane->log.stored, 1, size);
}

/* The lane's last access was volatile, and gets its place in the order. */
static void make_in_order(struct lane *lane, unsigned effect)
{
    struct event last = log_last(&lane->log);

    if (hooks_listener.synchronises && hooks_listener.synchronises(lane, EVENT_ORDER, effect))
        append_expect(&lane->log, last.address, last.size);
}

void append_volatile(struct lane *lane, uintptr_t address, unsigned kind)
{
    if (!atomic_program_has_fences())
        return;
    lane->log.end = LOG_STOP;
    lane->log.volatile_load = kind == EVENT_LOAD;
    if (kind == EVENT_STORE) {
        make_in_order(lane, 2);
        lane->log.volatile_store = address;
    }
}

void append_end_volatile(struct lane *lane)
{
    const void *word = (const void *)lane->log.volatile_store;

    lane->log.volatile_store = 0;
    if (word) {
        append_settle(lane);
        schedule_show(lane, word);
    }
    if (lane->log.volatile_load)
        make_in_order(lane, 0);
    lane->log.volatile_load = false;
}

/* ---- room for events ---- */

enum { LONGEST_LOOP = 32 };

/* How many events ago the lane began to do once more what it had done just before, event by event;
 * 0: it is in no loop so small. */
static int loop_length(const struct log *log)
{
    for (int n = 1; n <= LONGEST_LOOP && log->next - 2 * n >= log->begin; n++)
        if (memcmp(log->next - n, log->next - 2 * n, (size_t)n * sizeof *log->next) == 0)
            return n;
    return 0;
}

/* Does the lane go round in a loop in which nothing changes? Sets *word to one that it looks at
 * there, NULL: it does not look at memory. */
static bool goes_round(const struct log *log, const void **word)
{
    int length = loop_length(log);

    *word = NULL;
    for (int i = 1; i <= length; i++) {
        unsigned kind = log->next[-i].kind;
        if (kind != EVENT_LOAD && kind != EVENT_ATOMIC && kind != EVENT_BRANCH)
            return false;
        if (event_is_access(kind))
            *word = (const void *)(uintptr_t)log->next[-i].address;
    }
    return length > 0;
}

/* The log is full, or somebody has the lane stop: it waits until it has been merged. */
static void wait_for_room(struct lane *lane)
{
    const void *word;
    bool round = goes_round(&lane->log, &word);

    lane->looks = round ? word : NULL;
    schedule_wait(lane, WAIT_LOG, NULL);
    if (!round) {
        lane->block->still = 0;
        return;
    }
    lane->block->endless |= word == NULL;
    if (schedule_showing) /* this is its turn to look */
        return;
    if (word && atomic_program_has_fences())
        schedule_looks_at(lane, word);
    schedule_poll(lane);
}

/* Where a lane stops anyway, its log is merged earlier in front of a store: what stands between
 * this and the store itself, as of a structure's copy, is then merged behind it. */
enum { BEHIND_STORE = 64 };

bool append_make_room(struct lane *lane, unsigned kind)
{
    struct log *log = &lane->log;

    if (!log->begin) {
        log->end = NULL;
        schedule_rest(lane);
        return false;
    }
    append_end_volatile(lane);
    bool early = kind == EVENT_STORE && !log->in_range;
    log->end = log->values ? LOG_STOP : log->begin + LOG_ROOM;
    if (log->next >= log->begin + LOG_ROOM - (early ? BEHIND_STORE : 0)) {
        if (!log->in_range)
            append_settle(lane);
        wait_for_room(lane);
    } else if (lane->block->disturbed) {
        schedule_rest(lane);
    }
    return true;
}
