/* Stacks for fibers, and the first frame on them (the switch itself is in fiber.S); and switches
 * between the lanes of a block, and between blocks. */
#include "run/block.h"
#include "run/end.h"
#include "run/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- fibers ---- */

/* A stack and its guard page: 137 pages. With an even number the same variable of all fibers would
 * compete for a few sets of the data cache (measured: 10 to 40 % slower). */
enum { PAGE = 4096, STRIDE = FIBER_STACK_BYTES + PAGE };

bool fiber_stacks_fit(struct fiber_stacks *stacks, int count, bool few_guards)
{
    if (stacks->count >= count)
        return true;
    if (stacks->count > 0)
        munmap(stacks->base, (size_t)stacks->count * STRIDE);
    stacks->count = 0;
    stacks->base = mmap(NULL, (size_t)count * STRIDE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks->base == MAP_FAILED)
        return false;
    stacks->count = count;
    for (int i = 0; i < count; i += few_guards ? 32 : 1)
        if (mprotect(stacks->base + (size_t)i * STRIDE, PAGE, PROT_NONE) != 0)
            return false;
    return true;
}

char *fiber_stack_end(const struct fiber_stacks *stacks, int index)
{
    return stacks->base + (size_t)(index + 1) * STRIDE;
}

/* In assembly: calls the function in the first saved register with the second as its argument. */
void fiber_start(void);

#if defined __x86_64__
/* As fiber_switch pops them: r15 r14 r13 r12 rbx rbp, then the address to return to. */
enum { SAVED = 7, RUN = 3, ARG = 2, RETURN = 6 };
#elif defined __aarch64__
/* As fiber_switch loads them: x19 … x28, x29 (frame), x30 (return address), d8 … d15. */
enum { SAVED = 20, RUN = 0, ARG = 1, RETURN = 11 };
#else
#error "the CPU backend switches fibers on x86-64 and aarch64 only"
#endif

fiber_t fiber_new(const struct fiber_stacks *stacks, int index, void (*run)(void *), void *arg)
{
    /* Each stack starts at another cache line, so that the hot frames of a block's fibers spread
     * over the cache. Both architectures need the pointer on 16 bytes in front of a call. */
    uintptr_t top = (uintptr_t)fiber_stack_end(stacks, index) - (uintptr_t)(index % 16) * 64 - 64;
    uintptr_t *frame = (uintptr_t *)top - (SAVED + SAVED % 2);

    for (int i = 0; i < SAVED; i++)
        frame[i] = 0;
    frame[RUN] = (uintptr_t)run;
    frame[ARG] = (uintptr_t)arg;
    frame[RETURN] = (uintptr_t)fiber_start;
    return frame;
}

/* ---- the running lane ---- */

__thread struct lane *simt_current_lane;
static fiber_t scheduler; /* the caller of schedule_run, while lanes run */

/* ---- shared memory ---- */

/* A block that runs finds its __shared__ variables in the thread-local memory between these guards
 * (simt.mk), and its dynamic shared memory in an array of ours. */
enum { GUARD = 64 * 1024 };
__thread char simt_guard_before[GUARD]
    __attribute__((weak)); /* for programs that simtcc did not link */
__thread char simt_guard_after[GUARD] __attribute__((weak));
__thread char simt_dynamic_shared[GPU_MOST_SHARED] __attribute__((aligned(128)));

bool schedule_is_shared(const void *p)
{
    const char *at = p;

    return (at >= simt_guard_before && at < simt_guard_after) ||
           (at >= simt_dynamic_shared && at < simt_dynamic_shared + sizeof simt_dynamic_shared);
}

/* Copies both parts to the block's memory for them, or back from there. */
static void move_shared(struct block *block, size_t fixed, bool back)
{
    struct {
        char *at;
        size_t size;
    } parts[] = {{simt_guard_before + GUARD, fixed}, {simt_dynamic_shared, block->launch->shared}};
    char *copy = block->shared;

    for (int i = 0; i < 2; copy += parts[i++].size)
        memcpy(back ? parts[i].at : copy, back ? copy : parts[i].at, parts[i].size);
}

void schedule_load(struct block *block)
{
    static struct block *loaded;
    const char *begin = simt_guard_before + GUARD;
    size_t fixed = simt_guard_after > begin ? (size_t)(simt_guard_after - begin) : 0;
    size_t bytes = fixed + GPU_MOST_SHARED;
    struct block *before = loaded;

    if (before == block)
        return;
    if (before && before->resident) {
        if (!before->shared && !(before->shared = malloc(bytes)))
            end_fatal("no memory for %zu bytes of a block's shared memory", bytes);
        move_shared(before, fixed, false);
    }
    if (block->shared) /* of a block that begins it is garbage anyway */
        move_shared(block, fixed, true);
    loaded = block;
}

/* ---- which lane is next ---- */

/* Marsaglia's xorshift (2003). */
unsigned schedule_random(struct block *block)
{
    block->random ^= block->random << 13;
    block->random ^= block->random >> 7;
    block->random ^= block->random << 17;
    return (unsigned)(block->random >> 32);
}

static struct lane *ready_lane(struct block *block, unsigned warp, unsigned allowed)
{
    unsigned ready = block->warp[warp].ready & allowed;

    if (!ready)
        return NULL;
    if (block->random)
        for (unsigned skip = schedule_random(block) % (unsigned)__builtin_popcount(ready); skip;
             skip--)
            ready &= ready - 1;
    return &block->lane[warp * WARP_SIZE + (unsigned)__builtin_ctz(ready)];
}

/* The lanes that stand at one __activemask when no other lane of the warp can move have reached it
 * together. If lanes stand at several, those at the first one in the program go on, as on hardware
 * that brings diverged lanes together as early as it can. */
bool schedule_converge(struct block *block, unsigned w)
{
    struct warp *warp = &block->warp[w];
    struct lane *lanes = &block->lane[w * WARP_SIZE];
    const void *first = NULL;
    unsigned together = 0;

    EACH_LANE(i, warp->alive & ~warp->ready) {
        if (lanes[i].wait != WAIT_CONVERGE)
            continue;
        if (!first || lanes[i].pc < first) {
            first = lanes[i].pc;
            together = 0;
        }
        if (lanes[i].pc == first)
            together |= 1u << i;
    }
    EACH_LANE(i, together) {
        lanes[i].result = together;
        lanes[i].wait = WAIT_NOTHING;
    }
    warp->ready |= together;
    return together != 0;
}

struct lane *schedule_showing;

/* A polling lane has looked. Returns the lane, maybe of another block, that has waited for that. */
static struct lane *end_show(void)
{
    struct lane *lane = schedule_showing;

    schedule_showing = lane->shows;
    schedule_load(lane->block);
    return lane;
}

/* The next lane that is ready behind `last`, which comes last itself; NULL: none is ready. */
static struct lane *lane_behind(struct block *block, const struct lane *last)
{
    unsigned warp = last->index / WARP_SIZE;
    unsigned later = last->index % WARP_SIZE == 31 ? 0 : ~0u << (last->index % WARP_SIZE + 1);
    struct lane *next = schedule_showing ? end_show() : ready_lane(block, warp, later);

    for (unsigned k = 1; !next && k <= block->warps; k++)
        next = ready_lane(block, (warp + k) % block->warps, ~0u);
    return next;
}

/* The lane that runs when lane `from` waits: one of the same warp if any is ready, else of the next
 * warp that has one. If a lane loops without end, or polls, all lanes have turns. NULL: all lanes
 * wait or have ended. */
__attribute__((noinline)) static struct lane *any_next_lane(struct block *block, unsigned from)
{
    unsigned warp = from / WARP_SIZE;
    struct lane *lane = NULL;

    if (schedule_showing)
        return end_show();
    if ((block->endless || (block->pollers && !block->random)) &&
        (lane = lane_behind(block, &block->lane[from])) != NULL)
        return lane;
    if (block->random)
        warp = schedule_random(block) % block->warps;
    for (unsigned k = 0; k < block->warps; k++) {
        if ((lane = ready_lane(block, warp, ~0u)) != NULL)
            return lane;
        warp = warp + 1 < block->warps ? warp + 1 : 0;
    }
    for (warp = 0; warp < block->warps; warp++)
        if (schedule_converge(block, warp))
            return ready_lane(block, warp, ~0u);
    return NULL;
}

/* The same. Mostly it is the neighbour: told so, the processor can guess the next lane and need not
 * wait for the decision. */
static inline struct lane *next_lane(struct lane *from)
{
    const struct block *block = from->block;
    unsigned lane = from->index % WARP_SIZE, ready = block->warp[from->index / WARP_SIZE].ready;
    bool in_order = ready != 0 && !block->endless && !block->random && !schedule_showing;

    if (__builtin_expect(in_order && (unsigned)__builtin_ctz(ready) == lane + 1, 1))
        return from + 1;
    return any_next_lane(from->block, from->index);
}

/* Lanes mostly run in order, and since a lane's last turn its data has left the first-level cache:
 * fetches the next lane's data meanwhile. */
static inline void prefetch_behind(const struct lane *lane)
{
    const struct lane *next = lane + 1;

    __builtin_prefetch(lane + 2);
    __builtin_prefetch(next->fiber, 1);
    __builtin_prefetch(next->log.next, 1);
}

/* next NULL: to the caller of schedule_run. */
static inline void switch_to(fiber_t *from, struct lane *next)
{
    if (next && from == &next->fiber)
        return;
    simt_current_lane = next;
    if (next)
        prefetch_behind(next);
    if (next && !next->begun)
        fiber_enter(from, next->fiber);
    else
        fiber_switch(from, next ? next->fiber : scheduler);
}

/* ---- patience ---- */

/* The work that a block may do while it gets no further. It takes about 0.5 s before a first block
 * of the launch is disturbed, then 30 ms, and 4 ms for a block that has rested before; OF_THREAD
 * for each thread is more than they need to find out that they only poll. A block whose threads go
 * from barrier to barrier, which may be a loop that waits, too, has 4 s; 100 ms if it has rested
 * before, or another block was disturbed. */
enum { OF_FIRST = 1 << 22, OF_OTHERS = 1 << 18, OF_RESTED = 1 << 15, OF_THREAD = 4 * WORK_OF_LOG };
enum { OF_BARRIERS = 1 << 25, OF_BARRIERS_RESTED = 1 << 20 };
static unsigned disturbed; /* the number of the last launch that had a block disturbed */

static void disturb(struct block *block)
{
    disturbed = block->launch->number;
    block->disturbed = true;
    simt_current_lane->log.end = LOG_STOP;
}

void schedule_progress(struct block *block, bool by_barrier)
{
    const struct launch *launch = block->launch;

    if (block->overtakes) /* and so others soon have turns also when its breaks are used up */
        disturbed = launch->number;
    block->progress++;
    block->worked = by_barrier ? block->worked + block->work : 0;
    block->work = 0;
    bool first = !block->rested && disturbed != launch->number;
    if (block->worked >= (first ? OF_BARRIERS : OF_BARRIERS_RESTED)) {
        block->worked = 0;
        disturb(block);
    }
    block->patience = (disturbed != launch->number ? OF_FIRST
                       : block->rested             ? OF_RESTED
                                                   : OF_OTHERS) +
                      OF_THREAD * launch->threads;
}

/* ---- switching ---- */

/* When no other lane of the warp can run, the observer looks at the warp's logs, while they are
 * still in the cache. */
inline void schedule_stop(struct lane *self, enum wait why, const void *pc)
{
    struct block *block = self->block;
    struct warp *warp = &block->warp[self->index / WARP_SIZE];

    self->wait = (uint8_t)why;
    self->pc = pc;
    if (why != WAIT_LOG) {
        block->still = 0;
        if (__builtin_expect(self->looks_at != NULL, 0))
            schedule_polls_no_more(self);
    }
    if (__builtin_expect(++block->work >= block->patience, 0)) {
        schedule_progress(block, true);
        disturb(block);
    }
    warp->ready &= ~(1u << self->index % WARP_SIZE);
    if (warp->ready == 0)
        OBSERVE(warp_stops, block, self->index / WARP_SIZE);
}

inline void schedule_next(struct lane *self)
{
    switch_to(&self->fiber, next_lane(self));
}

void schedule_switch(struct lane *self, struct lane *next)
{
    schedule_load(next->block);
    switch_to(&self->fiber, next);
}

/* Within another function it would have that one save more registers at each switch. */
__attribute__((noinline)) void schedule_wait(struct lane *self, enum wait why, const void *pc)
{
    schedule_stop(self, why, pc);
    schedule_next(self);
}

void schedule_yield(struct lane *self)
{
    switch_to(&self->fiber, lane_behind(self->block, self));
}

void schedule_rest(struct lane *self)
{
    struct block *block = self->block;

    if (schedule_showing) { /* it has its turn only to look at a word */
        schedule_yield(self);
        return;
    }
    block->rests = true;
    block->rested = self;
    switch_to(&self->fiber, NULL);
}

void schedule_run(struct block *block)
{
    struct lane *first = block->rests ? lane_behind(block, block->rested) : NULL;

    block->rests = false;
    block->still = 0;
    if (!first)
        first = any_next_lane(block, 0);
    if (first)
        switch_to(&scheduler, first);
    simt_current_lane = NULL;
}
