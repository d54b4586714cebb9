/* Waits where a lane's log is full, and looks at what stands in it. */
#include "watch/append.h"
#include "run/atomic.h"
#include "run/schedule.h"
#include "run/stray.h"

#include <string.h>

enum { LONGEST_LOOP = 32 };

/* How many events back the lane did what it did last, and twice in a row the same up to there; 0:
 * it is in no loop so small. */
static int loop_length(const struct log *log)
{
    const struct event *last = log->next - 1;

    for (int length = 1; length <= LONGEST_LOOP && last - 2 * length >= log->begin; length++) {
        if (memcmp(last, last - length, sizeof *last) != 0)
            continue;
        for (int i = 1; i < length; i++)
            if (memcmp(last - i, last - i - length, sizeof *last) != 0)
                return 0;
        return length;
    }
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

static void tell_nobody(const struct lane *lane)
{
    (void)lane;
}

void (*append_told)(const struct lane *) = tell_nobody;

void append_stored(struct lane *lane)
{
    size_t size = lane->log.stored_size;

    lane->log.stored_size = 0;
    append_told(lane);
    if (lane->strayed && size <= 8)
        stray_used(lane, (const void *)lane->log.stored, 1, size);
}

void append_wait(struct lane *lane)
{
    const void *word;
    bool round = goes_round(&lane->log, &word);

    lane->looks = round ? word : NULL;
    if (!lane->log.in_range)
        append_settle(lane);
    schedule_wait(lane, WAIT_LOG, NULL);
    if (!round) {
        lane->block->still = 0;
        return;
    }
    lane->block->endless |= word == NULL;
    if (lane->block->showing) /* this is its turn to look */
        return;
    if (word && atomic_program_has_fences())
        schedule_looks_at(lane, word);
    schedule_poll(lane);
}
