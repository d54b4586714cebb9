/* Numbers keys as they come, from 0 on: a hash table. Pure. */
#ifndef SIMT_MAP_H
#define SIMT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero at first; slot is the caller's, to be freed. */
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

#endif
