/* Logs the values that a lane's accesses owe the trace. */
#include "watch/owed.h"
#include "watch/append.h"
#include "watch/code.h"

#include <string.h>

/* Logs a value of up to 4 bytes, which `address` tells from others, behind the access at key, which
 * is as deep as `what` tells. */
static void log_value(struct lane *lane, uint64_t key, uint64_t what, uintptr_t address,
                      const void *value, unsigned size)
{
    uint32_t bits = 0;
    struct log *log = &lane->log;

    memcpy(&bits, value, size);
    if (log->next >= log->begin + LOG_ROOM)
        append_wait(lane);
    append_event(log, key,
                 what |
                     event_what(bits | (uint64_t)(uint16_t)address << 32, EVENT_VALUE, 0, size, 0));
}

/* A range goes in the pieces that log_range made of it. */
static void log_values(struct lane *lane, const struct debt *debt)
{
    uintptr_t address = debt->address, end = address + debt->size;

    while (address < end) {
        unsigned size = end - address < 4 ? (unsigned)(end - address) : 4;
        if (debt->range && (size < 4 || address % 4 != 0))
            size = 1;
        log_value(lane, debt->key, debt->what, address, (const void *)address, size);
        address += size;
    }
}

void owed_log_all(struct lane *lane)
{
    struct owed *owed = lane->log.owed;

    for (unsigned i = 0; i < owed->count; i++)
        log_values(lane, &owed->debt[i]);
    owed->count = 0;
}

/* Is what is at the address another piece of the range that is being logged? */
static bool goes_on(const struct owed *owed, uintptr_t address)
{
    const struct debt *behind = owed->debt + owed->count;

    return owed->range && owed->count > 0 && behind[-1].address == owed->range &&
           address == behind[-1].address + behind[-1].size;
}

void owed_log_before(struct lane *lane, unsigned kind, uint64_t address)
{
    const struct owed *owed = lane->log.owed;
    bool only_store = owed->count == 1 && owed->debt[0].store;

    if (!goes_on(owed, address) && !(kind == EVENT_LOAD && only_store))
        owed_log_all(lane);
}

void owed_add(struct log *log, unsigned kind, uintptr_t address, unsigned size)
{
    struct owed *owed = log->owed;

    if (goes_on(owed, address)) {
        owed->debt[owed->count - 1].size += size;
        return;
    }
    owed->debt[owed->count++] = (struct debt){.key = log->place,
                                              .what = log->what,
                                              .address = address,
                                              .size = size,
                                              .store = kind == EVENT_STORE,
                                              .range = owed->range != 0};
}

void owed_atomic_values(struct lane *lane, const void *address, const void *values, size_t bytes,
                        const void *pc)
{
    uint64_t key = append_key(&lane->log, code_offset(pc));

    for (size_t i = 0, size; i < bytes; i += size) {
        size = bytes - i < 4 ? bytes - i : 4;
        log_value(lane, key, lane->log.what, (uintptr_t)address + i, (const char *)values + i,
                  (unsigned)size);
    }
}
