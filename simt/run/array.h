/* Arrays that grow, and hash tables. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for one more entry in an array that has `count` entries of `size` bytes, and room for
 * *room. False if it has `most` already. Ends the program when there is no memory. The caller owns
 * the array. */
bool array_room(void **array, size_t count, size_t *room, size_t most, size_t size);

/* A new last entry of an array that has `count` entries, and room for `room`: its address. Ends the
 * program when there is no memory. */
#define ARRAY_ADD(array, count, room)                                                              \
    (array_room((void **)&(array), count, &(room), SIZE_MAX, sizeof *(array)), &(array)[(count)++])

/* Ends the program because checks or counters get no memory. */
void array_no_memory(void);

/* A hash table that numbers keys from 0 on, in the order in which they come. All zero at first. */
struct map {
    struct slot {
        uint64_t a;      /* the key: a */
        uint32_t b;      /* and b */
        uint32_t number; /* its number + 1; 0: the slot is free */
    } * slot;            /* map_forget frees them */
    size_t room;         /* slots: a power of two */
    uint32_t count;      /* keys */
};

/* The key's number. A new key is added. Ends the program when there is no memory. */
uint32_t map_number(struct map *map, uint64_t a, uint32_t b);

/* The number of the key (a, b); MAP_NONE: the map does not have it. */
#define MAP_NONE UINT32_MAX
uint32_t map_find(const struct map *map, uint64_t a, uint32_t b);

/* Removes all keys. */
void map_forget(struct map *map);

/* An array of entries of one size, found by their keys. All zero at first. */
struct entries {
    struct map numbers; /* of the keys: the entries' indices */
    void *entry;        /* the caller frees it */
    size_t room;        /* entries that fit there */
};

/* The entry of `size` bytes that has the key (a, b). A new one is all zero. The pointer is valid
 * until the next call. Ends the program when there is no memory. */
void *entries_at(struct entries *entries, size_t size, uint64_t a, uint32_t b);
