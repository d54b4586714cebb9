/* Keeps the accesses to such words, and at the end asks of each whether it is behind another one.
 */
#include "judge/first.h"
#include "judge/array.h"
#include "judge/pairs.h"

enum { MOST_OF_WORD = 1 << 8 };

static struct map numbers; /* of the words, by their names */
static struct first {
    uint64_t name;
    unsigned bytes, count;
    uint32_t last; /* of the accesses, as the number of a kept one */
} * first;
static size_t room;

void first_begin(const struct touch *touch, unsigned bytes)
{
    uint64_t name = touch_name(touch);
    uint32_t count = numbers.count, number = map_number(&numbers, name, 0);

    if (number == MAP_NONE || !array_room((void **)&first, number, &room, SIZE_MAX, sizeof *first))
        array_no_memory();
    if (number == count)
        first[number] = (struct first){.name = name};
    first[number].bytes |= bytes;
}

/* Is the lane's access behind one by any of the other's lanes, by what their block does? */
static bool is_behind(const struct order *order, const struct touch *touch, unsigned lane,
                      const struct kept *k)
{
    unsigned own = 1u << k->record.thread % WARP_SIZE;

    if (k->record.block != touch->now.block)
        return false;
    return k->record.time < order->barrier ||
           (k->record.thread / WARP_SIZE == touch->warp &&
            order_unordered(order, touch->warp, own, k->record.time, lane) == 0);
}

bool first_touch(const struct order *order, const struct touch *touch)
{
    uint32_t number = numbers.count ? map_find(&numbers, touch_name(touch), 0) : MAP_NONE;
    struct first *f = number == MAP_NONE ? NULL : &first[number];

    if (!f || !(f->bytes & touch->now.bytes) ||
        (touch->operation == EVENT_LOAD && !touch->is_volatile))
        return true;
    for (unsigned left = touch->lanes; left && f->count < MOST_OF_WORD; left &= left - 1) {
        struct kept one = {.record = touch->now,
                           .more = touch->more,
                           .next = f->last,
                           .operation = touch->operation,
                           .exchanges = touch->exchanges};
        unsigned lane = (unsigned)__builtin_ctz(left);
        one.record.thread = touch->warp * WARP_SIZE + lane;
        for (const struct kept *k = kept_at(f->last); k; k = kept_next(k))
            one.ordered |= is_behind(order, touch, lane, k);
        uint32_t added = kept_apart(&one);
        if (!added)
            return false;
        f->last = added;
        f->count++;
    }
    return true;
}

static bool reads(const struct kept *k)
{
    return k->operation != EVENT_STORE && !k->exchanges;
}

/* Is one of the others ordered before it? */
static bool comes_behind(const struct kept *all, const struct kept *read)
{
    struct standing stands = standing_of(read->more.standing);

    for (const struct kept *k = all; k; k = kept_next(k)) {
        struct happened h = touch_happened(&k->record, &k->more, k->record.thread % WARP_SIZE);
        if (k != read && standing_knows(&stands, true, &h))
            return true;
    }
    return false;
}

static void judge_word(const struct first *f)
{
    const struct kept *all = kept_at(f->last), *write = all;

    while (write && write->next)
        write = kept_next(write);
    for (const struct kept *k = all; k; k = kept_next(k)) {
        const struct kept *other = reads(write) ? k : write;
        if (k->ordered || !reads(k) || comes_behind(all, k))
            continue;
        pairs_keep(&(struct pair){
            .shared = f->name >> 63,
            .unwritten = true,
            .word = f->name,
            .end = {touch_actor(&k->record, k->record.thread, k->operation),
                    touch_actor(&other->record, other->record.thread, other->operation)}});
    }
}

void first_judge(void)
{
    for (uint32_t i = 0; i < numbers.count; i++)
        judge_word(&first[i]);
    map_forget(&numbers);
}
