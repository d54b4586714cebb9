/* Arrays that grow, and hash tables. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for one more entry of `size` bytes in an array that has `count` and room for *room;
 * false when it has `most`. Ends the program when there is no memory. The array belongs to the
 * caller. */
bool array_room(void **array, size_t count, size_t *room, size_t most, size_t size);

/* What ends the program when checks or counters get no memory. */
void array_no_memory(void);

/* Numbers keys as they come, from 0 on. All zero at first; slot is the caller's, to be freed. */
struct map {
    struct slot {
        uint64_t a;
        uint32_t b, number; /* number + 1; 0: free */
    } * slot;
    size_t room;
    uint32_t count; /* of keys */
};

#define MAP_NONE UINT32_MAX

/* The number of the key (a, b), a new one if need be; MAP_NONE: no memory. */
uint32_t map_number(struct map *map, uint64_t a, uint32_t b);

/* The number of the key (a, b), or MAP_NONE. */
uint32_t map_find(const struct map *map, uint64_t a, uint32_t b);

/* Has no keys from here on. */
void map_forget(struct map *map);

/* Entries of one size by their keys. All zero at first; entry is the caller's, to be freed. */
struct entries {
    struct map numbers;
    void *entry;
    size_t room;
};

/* The entry of the key (a, b), of `size` bytes: a new one, all zero, if need be. Good until the
 * next call. Ends the program when there is no memory. */
void *entries_at(struct entries *entries, size_t size, uint64_t a, uint32_t b);
