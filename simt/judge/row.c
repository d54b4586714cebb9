/* A row of words at once. */
#include "judge/row.h"

#include <string.h>

bool row_find(const struct warp_event *event, const size_t word[32], struct row *row)
{
    unsigned lanes = event->lanes;
    unsigned first = (unsigned)__builtin_ctz(lanes), count = (unsigned)__builtin_popcount(lanes);
    size_t differ = 0;

    *row = (struct row){word[first], count, 1u << first};
    if (event->size != 4 || event->address[first] % 4 != 0 || lanes >> first >> (count - 1) != 1)
        return false;
    if (count == WARP_SIZE && word[WARP_SIZE / 2] == word[0])
        *row = (struct row){word[0], count = WARP_SIZE / 2, 0x10001};
    for (unsigned k = 0; k < count; k++)
        differ |= (event->address[first + k] - event->address[first]) ^ 4 * k;
    if (row->lanes == 0x10001)
        for (unsigned k = 0; k < WARP_SIZE / 2; k++)
            differ |= event->address[k] ^ event->address[k + WARP_SIZE / 2];
    return differ == 0;
}

/* Are all records of the row those of one request, but for the lanes? */
static bool all_alike(const struct record *record, unsigned count)
{
    struct record lane_bits = {.thread = WARP_SIZE - 1};
    uint64_t first[2], other[2], bits[2], differ = 0;

    memcpy(first, record, sizeof first);
    memcpy(bits, &lane_bits, sizeof bits);
    for (unsigned k = 1; k < count; k++) {
        memcpy(other, &record[k], sizeof other);
        differ |= (first[0] ^ other[0]) | ((first[1] ^ other[1]) & ~bits[1]);
    }
    return differ == 0;
}

bool row_read(const struct touch *touch, const struct row *row)
{
    struct shadow *shadow = touch->shadow;
    struct record *last = &shadow->record[READER][row->word];
    struct more *more = &shadow->more[READER][row->word];
    unsigned lane = (unsigned)__builtin_ctz(row->lanes);
    bool others = false;

    if (shadow->touched[row->word >> CHUNK_SHIFT] == touch->now.run ||
        shadow->touched[(row->word + row->count - 1) >> CHUNK_SHIFT] == touch->now.run ||
        !all_alike(last, row->count))
        return false;
    if (last->run == touch->now.run) {
        bool same_block = last->block == touch->now.block;
        if (same_block && last->thread / WARP_SIZE == touch->warp)
            return false;
        int aside = READER + (same_block ? OF_BLOCK : ELSEWHERE);
        memcpy(&shadow->record[aside][row->word], last, row->count * sizeof *last);
        if (last->several)
            memcpy(&shadow->more[aside][row->word], more, row->count * sizeof *more);
        others = true;
    }
    bool several = (row->lanes & (row->lanes - 1)) != 0;
    record_bits now =
        record_load(&touch->now) | record_of(touch->warp * WARP_SIZE + lane, 0xf, several, others);
    for (unsigned k = 0; k < row->count; k++)
        record_store(&last[k], now + record_of(k, 0, false, false));
    for (unsigned k = 0; several && k < row->count; k++)
        more[k] = (struct more){0, row->lanes << k, 0};
    return true;
}
