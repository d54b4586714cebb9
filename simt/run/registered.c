/* The table of registered host memory. */
#include "run/registered.h"

#include <pthread.h>
#include <stdlib.h>

static struct registered *table;
static size_t table_length; /* atomic: mostly there is nothing to lock for */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool registered_find(uintptr_t begin, uintptr_t end, struct registered *found)
{
    bool overlaps = false;

    if (__atomic_load_n(&table_length, __ATOMIC_RELAXED) == 0)
        return false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < table_length && !overlaps; i++)
        if (table[i].begin < end && table[i].end > begin) {
            *found = table[i];
            overlaps = true;
        }
    pthread_mutex_unlock(&lock);
    return overlaps;
}

const void *registered_shadow(const void *address)
{
    struct registered found;

    if (!registered_find((uintptr_t)address, (uintptr_t)address + 1, &found))
        return NULL;
    uintptr_t first = found.begin / REGISTERED_GRANULE * REGISTERED_GRANULE;
    return found.shadow + ((uintptr_t)address - first);
}

bool registered_add(struct registered memory)
{
    pthread_mutex_lock(&lock);
    struct registered *larger = realloc(table, (table_length + 1) * sizeof *larger);
    if (larger) {
        table = larger;
        table[table_length] = memory;
        __atomic_add_fetch(&table_length, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    return larger != NULL;
}

void registered_remove(uintptr_t begin)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < table_length; i++)
        if (table[i].begin == begin)
            table[i] = table[__atomic_sub_fetch(&table_length, 1, __ATOMIC_RELAXED)];
    pthread_mutex_unlock(&lock);
}
