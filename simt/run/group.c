/* Cooperative groups: the barrier of a grid, memcpy_async, and the lanes that are missing from a
 * group. warp.c has the operations of groups of lanes. */
#include "run/array.h"
#include "run/block.h"
#include "run/end.h"
#include "run/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- lanes that are missing ---- */

/* Prints "3 and 5", or "1, 8 to 15 and 20". */
static void list_lanes(unsigned lanes, FILE *to)
{
    for (unsigned before = 0; lanes;) {
        unsigned first = (unsigned)__builtin_ctz(lanes), behind = first;
        while (behind < WARP_SIZE && lanes >> behind & 1)
            behind++;
        if (behind == first + 2)
            behind--;
        lanes &= behind < WARP_SIZE ? ~0u << behind : 0;
        fputs(before == 0 ? "" : lanes ? ", " : " and ", to);
        fprintf(to, behind > first + 1 ? "%u to %u" : "%u", first, behind - 1);
        before = behind;
    }
}

const char *group_missing(const struct lane *lane)
{
    static char text[200];
    const struct warp *warp = &lane->block->warp[lane->index / WARP_SIZE];
    unsigned threads = lane->block->launch->threads, missing = lane->mask;
    unsigned there = lanes_of_warp(threads, lane->index / WARP_SIZE);

    for (int g = 0; g < warp->groups; g++)
        if (warp->group[g].op == lane->op && warp->group[g].mask == lane->mask)
            missing &= ~warp->group[g].arrived;
    bool one = (missing & (missing - 1)) == 0;
    FILE *to = fmemopen(text, sizeof text, "w");
    if (!to)
        array_no_memory();
    fprintf(to, "%s of %d lanes: lane%s ", lane->group == SIMT_TILE ? "tile" : "coalesced group",
            __builtin_popcount(lane->mask), one ? "" : "s");
    list_lanes(missing, to);
    fputs(one ? " has not come" : " have not come", to);
    if (!(missing & there))
        fprintf(to, ", since a block of %u threads has none there", threads);
    else if (!(missing & warp->alive))
        fputs(": the kernel has ended there", to);
    fclose(to);
    return text;
}

/* ---- the barrier of a grid ----
 *
 * When the block has met, its thread 0 comes to the barrier and polls until the other blocks have
 * come; then the block meets again. */

static struct {
    uint32_t come;   /* blocks that have come to the barrier in progress */
    uint32_t round;  /* barriers that all blocks have come to */
    unsigned *words; /* two words that take turns: with one, a block that passes a barrier would be
                        ordered behind blocks that have already come to the next */
} grid;

void grid_begin(const struct launch *launch)
{
    void *words = grid.words;

    if (launch->cooperative && !words &&
        memory_allocate(&words, 2 * sizeof *grid.words, MEMORY_MANAGED, NULL) != cudaSuccess)
        end_fatal("no memory for a grid's barrier");
    grid.words = words;
    grid.come = grid.round = 0;
}

bool simt_grid_is_cooperative(void)
{
    return simt_current_lane->block->launch->cooperative;
}

unsigned *simt_grid_word(void)
{
    const struct lane *lane = simt_current_lane;

    if (!lane->block->launch->cooperative)
        observer_fatal(FATAL_OF(GRID_SYNC, lane, __builtin_return_address(0)));
    return grid.words + grid.round % 2;
}

/* Counts the shuffle by which nvcc's code hands the result of the atomic to other lanes. */
unsigned simt_grid_arrive(void)
{
    struct lane *self = simt_current_lane;

    if (STRAY_AT(self, .kind = DEED_OTHER))
        return (unsigned)self->result;
    self->result = grid.round;
    OBSERVE(operation, self, EVENT_SHUFFLE, 1, 0, 0, __builtin_return_address(0));
    if (++grid.come == self->block->launch->blocks) {
        lane_activity++;
        grid.come = 0;
        grid.round++;
    }
    return (unsigned)self->result;
}

void simt_grid_wait(unsigned round, const unsigned *word)
{
    struct lane *self = simt_current_lane;

    if (STRAY_AT(self, .kind = DEED_OTHER))
        return;
    self->pc = __builtin_return_address(0);
    self->wait = WAIT_GRID;
    while (round == grid.round)
        schedule_poll(self);
    self->wait = WAIT_NOTHING;
    OBSERVE(grid_passed, self, word);
}

/* ---- memcpy_async: copies to shared memory are made when the thread that began them waits ---- */

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
    *ARRAY_ADD(copies->copy, copies->count, copies->room) = (struct copy){
        to, from, __builtin_return_address(0), self->index, self->batches, (uint8_t)size};
}

void simt_copies_begun(void)
{
    if (!stray_is_shadow())
        simt_current_lane->batches++;
}

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
