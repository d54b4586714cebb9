/* A row of words at once. */
#include "judge/row.h"

#include <string.h>

static unsigned first_of(const struct row *row)
{
    return (unsigned)__builtin_ctz(row->lanes);
}

static unsigned last_of(const struct row *row)
{
    return WARP_SIZE - 1 - (unsigned)__builtin_clz(row->lanes);
}

static bool has(const struct row *row, unsigned lane)
{
    return row->lanes >> lane & 1;
}

bool row_find(const struct warp_event *event, const size_t word[32], struct row *row)
{
    const unsigned half = WARP_SIZE / 2;
    size_t differ = 0;

    if (event->size != 4 || event->layout.bits % 4 != 0)
        return false;
    *row = (struct row){.lanes = event->lanes};
    row->word = word[first_of(row)] - first_of(row);
    if (event->layout.even) {
        if (word[half] == word[0])
            *row = (struct row){word[0], (1u << half) - 1, true};
        return word[1] == word[0] + 1 && (row->twice || word[half] == word[0] + half) &&
               word[WARP_SIZE - 1] == word[half] + half - 1;
    }
    for (unsigned left = row->lanes; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        differ |= word[k] - k - row->word;
    }
    return differ == 0;
}

/* ---- who touched a word before ---- */

static bool is_own(const struct record *record, const struct touch *touch, unsigned lane)
{
    return record->block == touch->now.block && !record->several &&
           record->thread == touch->warp * WARP_SIZE + lane;
}

/* A __syncthreads orders it before what the block does now. */
static bool is_behind_barrier(const struct words *words, const struct record *record,
                              const struct touch *touch)
{
    return record->block == touch->now.block && record->time < words->order.barrier;
}

/* None of the writers is in a race with the row. */
static bool writers_are_ordered(const struct words *words, const struct touch *touch,
                                const struct row *row)
{
    const struct record *record = touch->shadow->record[WRITER] + row->word;

    for (unsigned left = row->lanes; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        if (record[k].run == touch->now.run && !is_behind_barrier(words, &record[k], touch) &&
            !is_own(&record[k], touch, k))
            return false;
    }
    return true;
}

/* Nor any of the readers, or atomics. Of several the last one is known here: what came before it
 * the barrier orders, too, but for other blocks'. */
static bool set_is_ordered(const struct words *words, const struct touch *touch,
                           const struct row *row, int set)
{
    const struct record *record = touch->shadow->record[set] + row->word;

    for (unsigned left = row->lanes; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        if (record[k].run == touch->now.run &&
            !((touch->shared || !record[k].others) &&
              is_behind_barrier(words, &record[k], touch)) &&
            (record[k].others || !is_own(&record[k], touch, k)))
            return false;
    }
    return true;
}

/* Nor anything that changed a word. */
static bool changes_are_ordered(const struct words *words, const struct touch *touch,
                                const struct row *row)
{
    return !touch->shadow->pieces && writers_are_ordered(words, touch, row) &&
           (!touch->shadow->atomics || set_is_ordered(words, touch, row, ATOMIC));
}

/* ---- the row is stored ---- */

static uint32_t *touched_at(const struct touch *touch, size_t word)
{
    return &touch->shadow->touched[word >> CHUNK_SHIFT];
}

/* Leaves each lane's record in the slot. bits: what they have in common. */
static void leave_records(const struct touch *touch, const struct row *row, int slot,
                          record_bits bits)
{
    struct record *record = touch->shadow->record[slot] + row->word;

    for (unsigned left = row->lanes; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        record_store(&record[k], bits + record_of(k, 0, false, false));
    }
}

static record_bits record_of_row(const struct touch *touch, bool twice, bool others)
{
    const struct record both_halves = {.several = true, .twice = true};
    record_bits bits =
        record_load(&touch->now) | record_of(touch->warp * WARP_SIZE, 0xf, false, others);

    return twice ? bits | record_load(&both_halves) : bits;
}

static bool store_row(const struct words *words, const struct touch *touch, const struct row *row)
{
    if (row->twice || !changes_are_ordered(words, touch, row) ||
        !set_is_ordered(words, touch, row, READER))
        return false;
    *touched_at(touch, row->word + first_of(row)) = touch->now.run;
    *touched_at(touch, row->word + last_of(row)) = touch->now.run;
    leave_records(touch, row, WRITER, record_of_row(touch, false, false));
    return true;
}

/* ---- the row is read ---- */

/* Need no word's last reader be kept? The same thread reads again, or nothing that may still come
 * can be in a race with it. */
static bool readers_are_replaced(const struct words *words, const struct touch *touch,
                                 const struct row *row)
{
    const struct record *record = touch->shadow->record[READER] + row->word;

    for (unsigned left = row->lanes; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        if (record[k].run == touch->now.run &&
            !(touch->shared && is_behind_barrier(words, &record[k], touch)) &&
            (row->twice || record[k].others || !is_own(&record[k], touch, k)))
            return false;
    }
    return true;
}

/* Are the last readers of the row those of one request, but for the lanes? */
static bool all_alike(const struct record *record, const struct row *row)
{
    struct record lane_bits = {.thread = WARP_SIZE - 1};
    record_bits first = record_load(&record[first_of(row)]), differ = {0, 0};

    for (unsigned k = first_of(row) + 1; k <= last_of(row); k++)
        if (has(row, k))
            differ |= record_load(&record[k]) ^ first;
    return (differ[0] | (differ[1] & ~record_load(&lane_bits)[1])) == 0;
}

/* Moves the last readers, all alike, aside for this one; false where that is not so simple. */
static bool move_readers(const struct touch *touch, const struct row *row)
{
    struct shadow *shadow = touch->shadow;
    const struct record *last = shadow->record[READER] + row->word;
    const struct record *one = &last[first_of(row)];
    bool same_block = one->block == touch->now.block;

    if (one->run != touch->now.run || !all_alike(last, row) ||
        (same_block && one->thread / WARP_SIZE == touch->warp))
        return false;
    int aside = READER + (same_block ? OF_BLOCK : ELSEWHERE);
    for (unsigned k = first_of(row); k <= last_of(row); k++)
        if (has(row, k)) {
            shadow->record[aside][row->word + k] = last[k];
            if (one->several && !one->twice)
                shadow->more[aside][row->word + k] = shadow->more[READER][row->word + k];
        }
    return true;
}

static bool read_row(const struct words *words, const struct touch *touch, const struct row *row)
{
    bool touched = *touched_at(touch, row->word + first_of(row)) == touch->now.run ||
                   *touched_at(touch, row->word + last_of(row)) == touch->now.run;

    if (touched && !changes_are_ordered(words, touch, row))
        return false;
    bool others = !readers_are_replaced(words, touch, row);
    if (others && !move_readers(touch, row))
        return false;
    leave_records(touch, row, READER, record_of_row(touch, row->twice, others));
    return true;
}

bool row_touch(const struct words *words, const struct touch *touch, const struct row *row)
{
    return touch->operation == EVENT_LOAD ? read_row(words, touch, row)
                                          : store_row(words, touch, row);
}
