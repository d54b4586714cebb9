/* Arrays that grow. */
#ifndef SIMT_ARRAY_H
#define SIMT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for one more entry of `size` bytes in an array that has `count` and room for *room;
 * false when it has `most`. Ends the program when there is no memory. The array belongs to the
 * caller. */
bool array_room(void **array, size_t count, size_t *room, size_t most, size_t size);

/* What ends the program when the race checks get no memory. */
void array_no_memory(void);

#endif
