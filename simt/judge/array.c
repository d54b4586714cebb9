/* Arrays that double when they are full. */
#include "judge/array.h"
#include "run/end.h"

#include <stdlib.h>

void array_no_memory(void)
{
    end_fatal("no memory for race checks; SIMT_CHECKS=off runs without");
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
