/* Reads records. */
#include "judge/touch.h"

struct happened touch_happened(const struct record *record, const struct more *more, unsigned lane)
{
    struct standing behind = standing_of(more->behind);

    return (struct happened){.block = record->block,
                             .time = standing_of(more->standing).time,
                             .thread = record->thread / WARP_SIZE * WARP_SIZE + lane,
                             .chain = behind.chain,
                             .number = behind.number};
}

struct actor touch_actor(const struct record *record, unsigned thread, uint8_t operation)
{
    int size = record->wide ? 4 << record->wide : __builtin_popcount(record->bytes);

    return (struct actor){.pc = record->pc,
                          .block = record->block,
                          .thread = (uint16_t)thread,
                          .operation = operation,
                          .size = (uint8_t)size};
}
