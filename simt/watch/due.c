/* Does the work that is due in front of an event. All of this is rare. */
#include "watch/hooks.h"
#include "run/block.h"
#include "watch/trace.h"

#include <string.h>

/* ---- stores and volatile accesses ---- */

void due_tell_stored(struct lane *lane)
{
    lane->log.storing = false;
    if (lane->log.values)
        values_settle(&lane->log);
    if (hooks_listener.stored)
        hooks_listener.stored();
}

/* Tells the listener of the lane's last access, which was volatile: it gets its place in the order
 * of operations. */
static void make_in_order(struct lane *lane, enum effect effect)
{
    if (hooks_listener.synchronises)
        lane->log.storing |= hooks_listener.synchronises(lane, EVENT_ORDER, 0, effect);
}

void due_begin_volatile(struct lane *lane, uintptr_t address, unsigned kind, unsigned size)
{
    if (lane->strayed && kind == EVENT_LOAD)
        stray_looks(lane, address, size);
    if (kind == EVENT_LOAD) /* the stack of a lane that polls must be the same each time */
        schedule_wipe_stack();
    if (!atomic_program_has_fences())
        return;
    lane->log.end = LOG_STOP;
    lane->log.volatile_due = true;
    if (kind == EVENT_STORE)
        make_in_order(lane, EFFECT_STORE);
}

void due_end_volatile(struct lane *lane)
{
    struct event last = log_last(&lane->log);

    if (!lane->log.volatile_due)
        return;
    lane->log.volatile_due = false;
    if (last.kind == EVENT_LOAD) {
        make_in_order(lane, EFFECT_READ);
        return;
    }
    due_settle(lane);
    schedule_show(lane, (const void *)(uintptr_t)last.address);
}

/* ---- room for events ---- */

enum { LONGEST_LOOP = 32 };

/* The length of the loop that the lane is in: the smallest n for which its last n events equal the
 * n events before them; 0: there is none up to LONGEST_LOOP. */
static int loop_length(const struct log *log)
{
    for (int n = 1; n <= LONGEST_LOOP && log->next - 2 * n >= log->begin; n++)
        if (memcmp(log->next - n, log->next - 2 * n, (size_t)n * sizeof *log->next) == 0)
            return n;
    return 0;
}

/* Is the lane in a loop in which it changes nothing? Sets *word to a word that it reads in the
 * loop; NULL: it reads no memory. */
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

/* The lane waits until its log has been merged. In a loop that changes nothing it polls. */
static void wait_for_room(struct lane *lane)
{
    const void *word;
    bool round = goes_round(&lane->log, &word);

    lane->looks = round ? word : NULL;
    lane->block->work += WORK_OF_LOG - 1;
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

/* In front of a store the log is merged when it has less room than this. So there is room for the
 * events between the hook and the store itself, as in the copy of a structure. */
enum { BEHIND_STORE = 64 };

bool due_make_room(struct lane *lane, unsigned kind)
{
    struct log *log = &lane->log;

    if (stray_is_shadow())
        return false;
    if (!log->begin) {
        log->end = NULL;
        schedule_rest(lane);
        return false;
    }
    due_end_volatile(lane);
    bool early = kind == EVENT_STORE && !log->in_range;
    log->end = log->values ? LOG_STOP : log->begin + LOG_ROOM;
    if (log->next >= log->begin + LOG_ROOM - (early ? BEHIND_STORE : 0)) {
        if (!log->in_range)
            due_settle(lane);
        wait_for_room(lane);
    } else if (lane->block->disturbed) {
        schedule_rest(lane);
    }
    return true;
}
