/* Lists in one array. */
#include "judge/kept.h"
#include "judge/array.h"

/* Of a launch; of a word. */
enum { MOST = 1 << 22, MOST_OF_WORD = 1 << 12 };

static struct kept *kept;
static size_t count, room;
static uint32_t free_one; /* the number of one that was dropped; 0: none. By next there are more */

struct kept *kept_at(uint32_t number)
{
    return number ? &kept[number - 1] : NULL;
}

struct kept *kept_next(const struct kept *k)
{
    return kept_at(k->next);
}

struct kept *kept_first(const struct shadow *shadow, size_t word, uint32_t run)
{
    uint32_t number = shadow->kept[word];
    struct kept *k = number <= count ? kept_at(number) : NULL;

    return k && k->record.run == run && k->word == word && k->shadow == shadow ? k : NULL;
}

uint32_t kept_apart(const struct kept *k)
{
    uint32_t number = free_one;

    if (number)
        free_one = kept[number - 1].next;
    else if (array_room((void **)&kept, count, &room, MOST, sizeof *kept))
        number = (uint32_t)++count;
    if (number)
        kept[number - 1] = *k;
    return number;
}

bool kept_add(const struct kept *k)
{
    const struct kept *first = kept_first(k->shadow, k->word, k->record.run);
    struct kept added = *k;

    added.next = first ? k->shadow->kept[k->word] : 0;
    added.count = first ? first->count + 1 : 1;
    uint32_t number = added.count <= MOST_OF_WORD ? kept_apart(&added) : 0;
    if (number)
        k->shadow->kept[k->word] = number;
    return number != 0;
}

void kept_drop(struct kept *before, struct kept *k)
{
    uint32_t *head = &k->shadow->kept[k->word], next = k->next;
    struct kept *first = kept_at(*head);

    first->count--;
    if (!before && next)
        kept_at(next)->count = first->count;
    *(before ? &before->next : head) = next;
    k->record.run = 0;
    k->next = free_one;
    free_one = (uint32_t)(k - kept) + 1;
}

void kept_forget(void)
{
    count = free_one = 0;
}
