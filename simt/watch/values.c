/* Keeps what a lane's accesses read and stored until the trace takes it. */
#include "watch/values.h"

#include <string.h>

static struct value *next_value(struct values *values)
{
    if (values->count == LOG_EVENTS) {
        memmove(values->value, values->value + values->taken,
                (values->count - values->taken) * sizeof *values->value);
        values->count -= values->taken;
        values->known -= values->taken;
        values->taken = 0;
    }
    return &values->value[values->count++];
}

void values_add(struct values *values, unsigned kind, uintptr_t address, unsigned size)
{
    struct value *value = next_value(values);

    *value = (struct value){.address = address, .size = (uint8_t)size, .known = kind == EVENT_LOAD};
    values->loaded |= value->known;
    if (value->known)
        memcpy(value->bytes, (const void *)address, size);
}

void values_settle(struct values *values, unsigned kind)
{
    if (values->in_range || (kind == EVENT_LOAD && !values->loaded))
        return;
    if (values->known < values->taken)
        values->known = values->taken;
    for (; values->known < values->count; values->known++) {
        struct value *value = &values->value[values->known];
        if (!value->known)
            memcpy(value->bytes, (const void *)value->address, value->size);
        value->known = true;
    }
    values->loaded = false;
}

void values_atomic(struct lane *lane, const void *address, const void *bytes, size_t size)
{
    struct event last = log_last(&lane->log);

    if (!lane->log.values || last.kind != EVENT_ATOMIC ||
        last.address != ((uintptr_t)address & 0xffffffffffff))
        return; /* one that may not be made is not logged */
    struct value *value = next_value(lane->log.values);
    *value = (struct value){(uintptr_t)address, (uint8_t)size, true, {0}};
    memcpy(value->bytes, bytes, size);
}

const struct value *values_take(struct values *values)
{
    if (values->taken == values->count)
        return NULL;
    return &values->value[values->taken++];
}
