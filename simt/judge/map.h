/* Numbers keys as they come, from 0 on: a hash table. Pure. */
#ifndef SIMT_MAP_H
#define SIMT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
    struct slot {
        uint64_t a;
        uint32_t b, number; /* number + 1; 0: free */
    } * slot;
    size_t room;
    uint32_t count; /* of keys */
};

/* An empty table with room for so many keys; slot, which the caller frees, is NULL when there is no
 * memory. */
struct map map_new(size_t keys);

/* The number of the key (a, b), a new one if need be. The caller has asked for enough room. */
uint32_t map_number(struct map *map, uint64_t a, uint32_t b);

/* The number of the key (a, b), or MAP_NONE. */
#define MAP_NONE UINT32_MAX
uint32_t map_find(const struct map *map, uint64_t a, uint32_t b);

#endif
