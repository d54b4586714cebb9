/* Runs one block: starts its lanes, holds them at barriers, ends. And small calls of kernels. */
#include "run/block.h"
#include "run/runtime.h"

#include <printf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct block *block_list;
uint64_t block_threads_ended, lane_activity;

/* A struct block keeps stacks for the largest block that it has been. */
struct block *block_find(unsigned threads, bool few_guards)
{
    struct block **at = &block_list;

    while (*at && (*at)->resident)
        at = &(*at)->next;
    if (!*at && (*at = aligned_alloc(64, sizeof **at))) {
        memset(*at, 0, sizeof **at);
        (*at)->few_guards = few_guards;
    }
    bool fits = *at && fiber_stacks_fit(&(*at)->stacks, (int)threads, (*at)->few_guards);
    return fits ? *at : NULL;
}

/* All living threads of the block stand at the barrier: lets them go on. */
static void release_barrier(struct block *block)
{
    OBSERVE(barrier, block, block->first_at_barrier);
    block->barrier_votes = block->votes;
    block->at_barrier = block->votes = 0;
    schedule_progress(block, true);
    lane_activity++;
    for (unsigned w = 0; w < block->warps; w++)
        block->warp[w].ready = block->warp[w].alive;
}

/* The running lane has come last: all lanes go on. */
__attribute__((noinline)) static void leave_barrier(struct lane *self, const void *pc)
{
    schedule_stop(self, WAIT_BARRIER, pc);
    release_barrier(self->block);
    schedule_next(self);
}

/* The running lane comes to a barrier. Returns when all lanes have come. Its last call switches
 * lanes, so it has few registers to save. */
static inline void meet(int predicate, int number, const void *pc)
{
    if (STRAY_AT(simt_current_lane, .kind = DEED_BARRIER, .a = predicate != 0))
        return;
    OBSERVE(operation, simt_current_lane, EVENT_SYNCTHREADS, 0, 0, (unsigned)number, pc);

    struct lane *self = simt_current_lane;
    struct block *block = self->block;

    if (block->at_barrier++ == 0) {
        block->first_at_barrier = self;
        block->at_places = false;
    }
    block->at_places |= self->log.place != block->first_at_barrier->log.place;
    block->votes += predicate != 0;
    if (block->at_barrier < block->alive)
        schedule_wait(self, WAIT_BARRIER, pc);
    else
        leave_barrier(self, pc);
}

void simt_syncthreads(int number)
{
    meet(0, number, __builtin_return_address(0));
}

void simt_sync_block(void)
{
    meet(0, 0, __builtin_return_address(0));
}

int simt_syncthreads_vote(int predicate, int number)
{
    meet(predicate, number, __builtin_return_address(0));
    return (int)simt_current_lane->block->barrier_votes;
}

/* Every fiber starts here, and never returns, since there is nothing on its stack to return to. The
 * last call must stay a jump, with nothing behind it: the return address of a call would remain on
 * the processor's own stack of return addresses, and spoil its guesses for the other lanes. */
static void lane_run(void *arg)
{
    struct lane *self = arg;
    struct block *block = self->block;
    struct warp *warp = &block->warp[self->index / WARP_SIZE];
    unsigned bit = 1u << self->index % WARP_SIZE;

    self->begun = true;
    block->launch->entry(block->launch->args);
    (void)STRAY_AT(self, .kind = DEED_END); /* a shadow does not come back */

    warp->alive &= ~bit;
    block->alive--;
    schedule_progress(block, false);
    lane_activity++;
    block_threads_ended++;
    schedule_stop(self, WAIT_NOTHING, NULL);
    warp_lane_ended(block, warp);
    if (block->at_barrier > 0 && block->at_barrier == block->alive)
        release_barrier(block);
    schedule_next(self);
}

void block_begin(struct block *block, const struct launch *launch, uint32_t number)
{
    block->launch = launch;
    block->index = launch_place(number, launch->grid);
    block->number = number;
    block->alive = launch->threads;
    block->warps = (launch->threads + WARP_SIZE - 1) / WARP_SIZE;
    block->at_barrier = block->votes = 0;
    block->random = launch->order ? ((uint64_t)launch->order << 32 | number) + 1 : 0;
    block->overtakes = launch->order && launch->order % 2 == 0;
    block->rests = block->disturbed = block->endless = false;
    block->still = 0;
    block->pollers = 0;
    block->resident = true;
    block->copies.count = 0;
    block->rested = NULL;
    schedule_progress(block, false);

    for (unsigned w = 0; w < block->warps; w++) {
        unsigned lanes = lanes_of_warp(launch->threads, w);
        block->warp[w] = (struct warp){.alive = lanes, .ready = lanes};
    }
    for (unsigned i = 0; i < launch->threads; i++) {
        struct lane *lane = &block->lane[i];
        lane->block = block;
        lane->index = i;
        lane->thread_idx = launch_place(i, launch->block);
        lane->wait = WAIT_NOTHING;
        lane->begun = false;
        lane->strayed = false;
        lane->batches = 0;
        log_nothing(&lane->log);
        lane->fiber = fiber_new(&block->stacks, (int)i, lane_run, lane);
    }
    OBSERVE(block_begin, block);
}

bool block_continue(struct block *block, bool *disturbed)
{
    schedule_run(block);
    *disturbed = block->disturbed;
    block->disturbed = false;
    if (block->rests)
        return false;
    if (block->alive > 0)
        observer_fatal(&(struct fatal){.kind = FINDING_DEADLOCK, .block = block});
    OBSERVE(block_end, block);
    return true;
}

/* ---- does it get any further? ---- */

/* Steele and Vigna's mix of 64 bits ("Computationally easy, spectrally good multipliers"). */
static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xd1342543de82ef95;
    return hash ^ hash >> 32;
}

/* A hash of a lane at rest, which consists of its stack, with its registers on top. */
static uint64_t state_of(const struct block *block, const struct lane *lane)
{
    const uint64_t *end = (const uint64_t *)fiber_stack_end(&block->stacks, (int)lane->index);
    uint64_t state = 1;

    for (const uint64_t *word = lane->fiber; word < end; word++)
        state = mix(state, *word);
    return state;
}

/* Was the lane in this state before? If not, remembers the state. */
static bool repeats(struct lane *lane, uint64_t state)
{
    for (unsigned i = 0; i < lane->states && i < LANE_STATES; i++)
        if (lane->state[i] == state)
            return true;
    lane->state[lane->states++ % LANE_STATES] = state;
    return false;
}

/* Can the lane run on without the others? */
static bool runs(const struct block *block, const struct lane *lane)
{
    return lane->wait == WAIT_LOG ||
           block->warp[lane->index / WARP_SIZE].ready >> lane->index % WARP_SIZE & 1;
}

void block_forget_states(struct block *block)
{
    for (unsigned i = 0; i < block->launch->threads; i++)
        block->lane[i].states = 0;
    block->rests_compared = 0;
}

/* Threads that pass over many words have more states than a lane remembers. So the block's state at
 * the last rest whose number is a power of two is kept: sooner or later it is the cycle's, and
 * comes again, however long the cycle is. Source: Brent, An improved Monte Carlo factorization
 * algorithm (1980). */
bool block_repeats(struct block *block)
{
    unsigned rest = ++block->rests_compared;
    bool known = !block->endless && block->lane[0].log.begin, all = known,
         again = known && rest > 1;

    for (unsigned i = 0; i < block->launch->threads; i++) {
        struct lane *lane = &block->lane[i];
        bool can_run = lane_is_alive(block, i) && runs(block, lane);
        uint64_t state = can_run ? state_of(block, lane) : 0;
        if (can_run)
            all &= repeats(lane, state);
        again &= state == lane->kept;
        if ((rest & (rest - 1)) == 0)
            lane->kept = state;
    }
    return all || again;
}

/* ---- small calls: where the thread is, time, printf ---- */

#define AXIS_OF(name, vector)                                                                      \
    unsigned simt_##name##_at(unsigned axis)                                                       \
    {                                                                                              \
        return ((const unsigned *)&simt_current_lane->vector)[axis];                               \
    }
AXIS_OF(thread_idx, thread_idx)
AXIS_OF(block_idx, block->index)
AXIS_OF(block_dim, block->launch->block)
AXIS_OF(grid_dim, block->launch->grid)

unsigned simt_thread_rank(void)
{
    return simt_current_lane->index;
}

void simt_pause(void)
{
    if (STRAY_AT(simt_current_lane, .kind = DEED_OTHER))
        return;
    schedule_poll(simt_current_lane);
}

/* The C library's function, which kernels call, too. Time passes even if nothing else happens, so
 * it counts as an activity. */
clock_t clock(void)
{
    struct lane *lane = simt_current_lane;
    struct timespec now;

    if (lane && STRAY_AT(lane, .kind = DEED_OTHER))
        return (clock_t)lane->result;
    lane_activity++;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        return -1;
    clock_t ticks = now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
    if (lane)
        lane->result = (uint64_t)ticks; /* for its shadows */
    return ticks;
}

void simt_trap(void)
{
    if (stray_is_shadow())
        stray_fails(NULL);
    observer_fatal(FATAL_OF(TRAP, simt_current_lane, __builtin_return_address(0)));
}

/* The first conversion that a GPU does not know, of *length characters; NULL: it knows all. Source:
 * Guide, "Formatted Output"; but on an H200 a precision that is an argument goes wrong. */
static const char *unknown_in(const char *format, size_t *length)
{
    for (const char *at; (at = strchr(format, '%')) != NULL; format = at + *length) {
        size_t i = 1 + strspn(at + 1, "-+ #0123456789*"), size;
        bool known = true;
        if (at[i] == '.') {
            size_t precision = strspn(at + ++i, "0123456789*");
            known = !memchr(at + i, '*', precision);
            i += precision;
        }
        size = strspn(at + i, "hlLqjzt");
        known &= size < 2 ? size == 0 || strchr("hl", at[i]) : strncmp(at + i, "ll", size) == 0;
        i += size;
        *length = i + (at[i] != '\0');
        if (!known || !at[i] || !strchr("%cdiouxXpeEfFgGaAs", at[i]))
            return at;
    }
    return NULL;
}

/* From an unknown conversion on, the format is printed as it stands: a GPU prints garbage. */
int simt_printf(const char *format, ...)
{
    struct lane *lane = simt_current_lane;
    size_t length = 0;
    const char *unknown = lane ? unknown_in(format, &length) : NULL;
    char *known = unknown ? strndup(format, (size_t)(unknown - format)) : NULL, *text;
    uint64_t hash = 0;
    va_list arguments;

    va_start(arguments, format);
    int size = vasprintf(&text, known ? known : format, arguments);
    va_end(arguments);
    for (int i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    if (size >= 0 &&
        !(lane && STRAY_AT(lane, .kind = DEED_OTHER, .a = hash, .b = (uint64_t)size))) {
        fwrite(text, 1, (size_t)size, stdout);
        if (lane)
            async_printed = lane->block->launch->site;
        if (unknown) {
            fputs(unknown, stdout);
            observer_complain(COMPLAINT(FORMAT, lane, __builtin_return_address(0)), "It is %.*s.",
                              (int)length, unknown);
        }
    }
    if (size >= 0)
        free(text);
    free(known);
    return lane ? (int)parse_printf_format(format, 0, NULL) : size;
}
