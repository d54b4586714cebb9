/* Keeps changes of memory. */
#include "run/stray.h"
#include "run/array.h"

#include <string.h>

void changes_add(struct changes *changes, uintptr_t address, size_t size, bool looked)
{
    array_room((void **)&changes->change, changes->count, &changes->room, SIZE_MAX,
               sizeof *changes->change);
    struct change *change = &changes->change[changes->count];
    *change = (struct change){.at = (char *)address, .size = (uint8_t)size, .looked = looked};
    memcpy(change->bytes, change->at, size);
    changes->count++;
}

static void exchange(struct change *change)
{
    char bytes[16];

    memcpy(bytes, change->at, change->size);
    memcpy(change->at, change->bytes, change->size);
    memcpy(change->bytes, bytes, change->size);
}

void changes_undo(struct changes *changes)
{
    for (size_t i = changes->count; i-- > 0;)
        exchange(&changes->change[i]);
}

void changes_redo(struct changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        exchange(&changes->change[i]);
}

void changes_keep(struct changes *changes)
{
    for (struct change *c = changes->change; c < changes->change + changes->count; c++)
        memcpy(c->others, c->at, c->size);
}

bool changes_are_alike(const struct changes *changes)
{
    for (const struct change *c = changes->change; c < changes->change + changes->count; c++)
        if (!c->looked && memcmp(c->others, c->at, c->size) != 0)
            return false;
    return true;
}
