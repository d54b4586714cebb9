/* Arrays that double when they are full; hash tables with open addressing, at most half full. */
#include "run/array.h"
#include "run/end.h"

#include <stdlib.h>
#include <string.h>

void array_no_memory(void)
{
    end_fatal("no memory for checks and counters; SIMT_CHECKS=off needs less");
}

bool array_room(void **array, size_t count, size_t *room, size_t most, size_t size)
{
    if (count < *room)
        return true;
    if (count >= most)
        return false;
    *room = *room ? 2 * *room : 64;
    if (!(*array = realloc(*array, *room * size)))
        array_no_memory();
    return true;
}

/* The key's slot, or the free one in which it belongs. */
static struct slot *slot_of(const struct map *map, uint64_t a, uint32_t b)
{
    uint64_t hash = (a * 0x9E3779B97F4A7C15u) ^ ((uint64_t)b * 0xC2B2AE3D27D4EB4Fu);
    size_t i = (size_t)(hash ^ hash >> 29) & (map->room - 1);

    while (map->slot[i].number && (map->slot[i].a != a || map->slot[i].b != b))
        i = (i + 1) & (map->room - 1);
    return &map->slot[i];
}

static void enlarge(struct map *map)
{
    struct map larger = {.room = map->room ? 2 * map->room : 64, .count = map->count};

    if (!(larger.slot = calloc(larger.room, sizeof *larger.slot)))
        array_no_memory();
    for (size_t i = 0; i < map->room; i++)
        if (map->slot[i].number)
            *slot_of(&larger, map->slot[i].a, map->slot[i].b) = map->slot[i];
    free(map->slot);
    *map = larger;
}

uint32_t map_number(struct map *map, uint64_t a, uint32_t b)
{
    if (map->count >= map->room / 2)
        enlarge(map);
    struct slot *slot = slot_of(map, a, b);

    if (slot->number == 0)
        *slot = (struct slot){a, b, ++map->count};
    return slot->number - 1;
}

uint32_t map_find(const struct map *map, uint64_t a, uint32_t b)
{
    return map->room ? slot_of(map, a, b)->number - 1 : MAP_NONE; /* 0 - 1 is MAP_NONE */
}

void map_forget(struct map *map)
{
    free(map->slot);
    *map = (struct map){.slot = NULL};
}

void *entries_at(struct entries *entries, size_t size, uint64_t a, uint32_t b)
{
    uint32_t count = entries->numbers.count, number = map_number(&entries->numbers, a, b);

    array_room(&entries->entry, number, &entries->room, SIZE_MAX, size);
    void *entry = (char *)entries->entry + number * size;
    return number == count ? memset(entry, 0, size) : entry;
}
