/* Changes of memory that can be undone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in memory that a lane or its shadow (stray.h) is about to change, or has loaded by a
 * volatile load, since a shadow must load the same value as its lane. */
struct change {
    char *at;
    uint8_t size;    /* bytes */
    bool looked;     /* it is a volatile load */
    char bytes[16];  /* before the change; after undo, the changed ones */
    char others[16]; /* kept to compare lane and shadow */
};
struct changes {
    struct change *change;
    size_t count, room;
};

/* Adds bytes that are about to be changed, or were loaded (looked). Ends the program when memory is
 * short. */
void changes_add(struct changes *changes, uintptr_t address, size_t size, bool looked);

/* Undoes changes; makes them again. */
void changes_undo(struct changes *changes);
void changes_redo(struct changes *changes);

/* Keeps the bytes that are in memory now; are the same bytes there still? */
void changes_keep(struct changes *changes);
bool changes_are_alike(const struct changes *changes);
