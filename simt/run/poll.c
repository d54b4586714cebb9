/* Lanes that poll, which means that they wait for others in a loop. Their block rests when all
 * lanes that can run have looked and nothing has changed. In programs with fences they see every
 * value of the word that they poll. */
#include "run/block.h"

#include <string.h>

/* The number of lanes that poll a word, by a hash of its address. Words may share a number. */
enum { PLACES = 1024 };
static unsigned pollers[PLACES];

static unsigned *pollers_of(const void *word)
{
    return &pollers[((uintptr_t)word >> 2) * 0x9e3779b9u >> 8 & (PLACES - 1)];
}

void schedule_looks_at(struct lane *lane, const void *word)
{
    if (lane->looks_at == word)
        return;
    if (lane->looks_at)
        schedule_polls_no_more(lane);
    lane->looks_at = word;
    lane->block->pollers++;
    ++*pollers_of(word);
}

void schedule_polls_no_more(struct lane *lane)
{
    --*pollers_of(lane->looks_at);
    lane->looks_at = NULL;
    lane->block->pollers--;
}

/* Lanes at __activemask go on when the rest of their warp waits, also while other warps poll. */
static bool any_converges(struct block *block)
{
    bool any = false;

    for (unsigned w = 0; w < block->warps; w++)
        any |= block->warp[w].ready == 0 && schedule_converge(block, w);
    return any;
}

/* A lane whose log is full waits until the other lanes of its warp have come as far. If those poll,
 * they may wait for this very lane, which may hold a lock, so it must not wait for them. */
static bool any_gets_room(struct block *block)
{
    bool any = false;

    for (unsigned i = 0; i < block->launch->threads; i++) {
        if (!lane_is_alive(block, i) || block->lane[i].wait != WAIT_LOG)
            continue;
        OBSERVE(warp_stops, block, i / WARP_SIZE);
        any |= block->lane[i].wait == WAIT_NOTHING;
    }
    return any;
}

static unsigned ready_lanes(const struct block *block)
{
    unsigned count = 0;

    for (unsigned w = 0; w < block->warps; w++)
        count += (unsigned)__builtin_popcount(block->warp[w].ready);
    return count;
}

__attribute__((noinline)) void schedule_wipe_stack(void)
{
    char below[4096];

    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

/* Has every lane that can run looked since anything changed? The number of looks alone does not say
 * so, since in a shuffled order one lane may look several times. */
static bool all_have_looked(struct lane *self)
{
    struct block *block = self->block;

    if (block->since != lane_activity)
        block->still = 0;
    block->since = lane_activity;
    if (block->still == 0) {
        block->row++;
        block->looked = 0;
    }
    block->still++;
    block->looked += self->row != block->row;
    self->row = block->row;
    unsigned ready = ready_lanes(block);
    return block->looked >= ready && block->still > 2 * ready;
}

void schedule_poll(struct lane *self)
{
    struct block *block = self->block;

    if (schedule_has_looked(self))
        return;
    bool all_poll = all_have_looked(self) && !any_converges(block) && !any_gets_room(block);
    if (block->disturbed || all_poll)
        schedule_rest(self);
    else
        schedule_yield(self);
}

bool schedule_has_looked(struct lane *self)
{
    bool shown = schedule_showing != NULL;

    if (shown)
        schedule_yield(self);
    return shown;
}

/* A launch has so many left: turns of polling lanes, and breaks in which other blocks overtake. */
enum { MOST_TURNS = 1 << 12, MOST_BREAKS = 1 << 8 };
static int turns_left, breaks_left;

void schedule_launch_begins(void)
{
    turns_left = MOST_TURNS;
    breaks_left = MOST_BREAKS;
}

static bool take_one(int *left)
{
    return *left > 0 && (*left)-- > 0;
}

/* Each lane of the block that polls the word has a turn. */
static void show_to(struct lane *self, struct block *block, const void *word)
{
    for (unsigned i = 0; i < block->launch->threads && block->pollers; i++) {
        struct lane *lane = &block->lane[i];
        if (lane->looks_at != word || !lane_is_alive(block, i) ||
            !(block->warp[i / WARP_SIZE].ready >> i % WARP_SIZE & 1))
            continue;
        if (!take_one(&turns_left))
            return;
        self->shows = schedule_showing;
        schedule_showing = self;
        schedule_switch(self, lane);
    }
}

void schedule_show(struct lane *self, const void *word)
{
    if (*pollers_of(word) == 0)
        return;
    if (self->looks_at)
        schedule_polls_no_more(self);
    show_to(self, self->block, word);
    for (struct block *block = block_list; block && turns_left > 0; block = block->next)
        if (block != self->block && block->pollers)
            show_to(self, block, word);
}

void schedule_overtake(struct lane *self)
{
    struct block *block = self->block;
    unsigned chance = schedule_random(block) % 8;

    if (schedule_showing)
        return;
    if (chance == 0 && take_one(&breaks_left)) {
        block->disturbed = true; /* not all of its threads have had their turn */
        schedule_rest(self);
    } else if (chance < 3) {
        schedule_yield(self);
    }
}
