/* Copies to shared memory that a thread has begun: they are made when it waits for them. */
#include "run/array.h"
#include "run/observer.h"
#include "run/schedule.h"
#include "run/stray.h"

#include <string.h>

bool simt_copies_late(const void *to, const void *from)
{
    return schedule_is_shared(to) && !schedule_is_shared(from);
}

void simt_copy_later(void *to, const void *from, unsigned size)
{
    struct lane *self = simt_current_lane;
    struct copies *copies = &self->block->copies;

    if (stray_is_shadow())
        return;
    array_room((void **)&copies->copy, copies->count, &copies->room, SIZE_MAX,
               sizeof *copies->copy);
    copies->copy[copies->count++] = (struct copy){
        to, from, __builtin_return_address(0), self->index, self->batches, (uint8_t)size};
}

void simt_copies_begun(void)
{
    if (!stray_is_shadow())
        simt_current_lane->batches++;
}

/* Some of them may be neighbours of others that are still on their way. */
void simt_copies_wait(unsigned but)
{
    struct lane *self = simt_current_lane;
    struct copies *copies = &self->block->copies, there = *copies;

    if (STRAY_AT(self, .kind = DEED_OTHER))
        return;
    copies->count = 0;
    for (size_t i = 0; i < there.count; i++) {
        struct copy copy = there.copy[i];
        if (copy.thread != self->index || copy.batch + but >= self->batches) {
            copies->copy[copies->count++] = copy;
            continue;
        }
        memcpy(copy.to, copy.from, copy.size);
        lane_activity++;
        OBSERVE(copy_made, self, &copy);
    }
}
