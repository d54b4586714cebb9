/* Drives sort.h: a line of input is how many keys and then these; a line of output the indices of
 * the things in the order of their keys. */
#include "judge/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int sort_line(size_t count)
{
    struct keyed *keyed = malloc((count + 1) * sizeof *keyed);
    uint32_t *thing = malloc((count + 1) * sizeof *thing);

    for (size_t i = 0; i < count; i++) {
        keyed[i].index = thing[i] = (uint32_t)i;
        if (scanf("%" SCNu64, &keyed[i].key) != 1)
            return 1;
    }
    if (!sort_keyed(keyed, count) || !sort_apply((void **)&thing, sizeof *thing, keyed, count))
        return 1;
    for (size_t i = 0; i < count; i++)
        printf("%" PRIu32 " ", thing[i]);
    printf("\n");
    free(keyed);
    free(thing);
    return 0;
}

int main(void)
{
    size_t count;

    while (scanf("%zu", &count) == 1)
        if (sort_line(count) != 0)
            return 1;
    return 0;
}
