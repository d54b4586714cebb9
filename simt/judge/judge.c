/* Hands each event to the checks that it concerns. To add a check see judge.h. */
#include "judge/judge.h"
#include "run/block.h"

#include <stdlib.h>
#include <string.h>

/* The array that an access goes to. */
struct target {
    uintptr_t begin, end; /* its first byte, and the first behind it */
    size_t ahead;         /* a word's number minus its address / 4 */
    bool shared;          /* it lies in shared memory, not in global memory */
};

enum { PLACES = 64 };

/* The state of each check, of the block that runs in one place. */
struct judge {
    struct target last[PLACES]; /* by place in the code: mostly it is the same array again */
    struct garbage garbage;
    struct race race;
    struct barrier barrier;
    struct pointers pointers;
    struct inflight inflight;
    bool touched; /* the block has touched memory */
    bool refused; /* the last access was not allowed */
};

static struct judge *judge_new(void)
{
    struct judge *judge = calloc(1, sizeof *judge);
    size_t words = (space_shared.end - space_shared.begin) / 4 + 2;

    if (!judge || !(judge->garbage.shared = calloc(words / 16 + 1, sizeof(uint64_t))))
        array_no_memory();
    race_begin(&judge->race, words);
    return judge;
}

void judge_block_begin(struct block *block)
{
    struct judge *judge = block->judge;

    if (!judge)
        judge = block->judge = judge_new();
    memset(judge->last, 0, sizeof judge->last);
    /* dynamic shared memory lies behind all else, and the launch has a part of it */
    memset(judge->garbage.shared, 0,
           ((uintptr_t)simt_dynamic_shared - space_shared.begin + block->launch->shared) / 8 + 1);
    memset(judge->garbage.piece_written, 0, sizeof judge->garbage.piece_written);
    memset(&judge->barrier, 0, offsetof(struct barrier, jump));
    race_block_begin(&judge->race, block);
    memset(&judge->inflight, 0, sizeof judge->inflight);
    memset(&judge->pointers, 0, pointer_taken > 0 ? sizeof judge->pointers : 0);
    judge->touched = false;
}

void judge_block_end(struct block *block)
{
    struct judge *judge = block->judge;

    complaint_block_end(judge->touched);
    sync_block_end(&judge->race.sync);
}

/* ---- accesses, in the order in which they are made ---- */

static inline struct target *target_at(struct judge *judge, uint32_t pc)
{
    return &judge->last[pc / 4 % PLACES];
}

static inline bool target_holds(const struct target *target, struct lane_access access)
{
    return access.address >= target->begin && access.address + access.size <= target->end;
}

/* The array that the access goes to, as the place's target. NULL: the access is not allowed, or no
 * check wants to know of it. */
static const struct target *find_target(struct judge *judge, const struct lane *lane,
                                        struct lane_access access)
{
    struct target *target = target_at(judge, access.pc);
    uintptr_t address = access.address, end = address + access.size;

    judge->refused = false;
    if (target_holds(target, access))
        return target;
    enum count_space space = space_of(address, access.size, access.kind);
    judge->refused = !bounds_allow(lane, access, space);
    struct range range = space_range(lane->block, address, space);
    if (judge->refused || space > SPACE_SHARED || address < range.begin || end > range.end)
        return NULL;
    size_t word = space == SPACE_SHARED ? (address - space_shared.begin) / 4
                                        : memory_word((const void *)address);
    *target = (struct target){range.begin, range.end, word - address / 4, space == SPACE_SHARED};
    return target;
}

/* Hands an access to the checks. effect: see race_access. True: call pairs_settle when the access
 * has been made. */
static bool take(struct judge *judge, const struct lane *lane, struct lane_access access,
                 const struct target *target, int effect, uint32_t taken_from)
{
    struct touch touch = {.address = access.address,
                          .word = access.address / 4 + target->ahead,
                          .shared = target->shared,
                          .thread = lane->index,
                          .kind = access.kind,
                          .size = access.size,
                          .extra = access.extra,
                          .pc = access.pc,
                          .taken_from = taken_from};

    judge->touched = true;
    if (lane->block->launch->beside)
        inflight_beside(&judge->inflight, lane, &touch);
    touch.first = garbage_access(&judge->garbage, lane, &touch);
    return race_access(&judge->race, &touch, effect);
}

/* The place of the lane's last access to these bytes, if that was a load; 0: it was not, or is no
 * longer in the lane's log. */
static uint32_t plain_read_before(const struct log *log, uintptr_t address, unsigned size)
{
    for (const struct event *e = log->next; e-- > log->begin;)
        if (event_is_access(e->kind) && e->address < address + size &&
            address < e->address + e->size)
            return e->kind == EVENT_LOAD ? key_pc(e->key, e->depth) : 0;
    return 0;
}

/* A plain read by the lane that now makes an atomicCAS is no race (pairs.c). */
static void excuse_read(const struct judge *judge, const struct lane *lane,
                        struct lane_access access, const struct target *target)
{
    uint32_t block = judge->race.sync.number;
    uint32_t read_pc = plain_read_before(&lane->log, access.address, access.size);
    size_t word = access.address / 4 + target->ahead;

    for (unsigned k = 0; read_pc && k < event_words(access.address, access.size); k++)
        pairs_excuse(words_name(block, word + k, target->shared), block, lane->index, read_pc);
}

/* In a program with fences operations go to the checks when they have been made
 * (judge_synchronises). */
__attribute__((noinline)) static enum access_verdict take_access(struct judge *judge,
                                                                 const struct lane *lane,
                                                                 struct lane_access access,
                                                                 const struct target *target)
{
    bool atomic = access.kind == EVENT_ATOMIC;

    if (access.address & (access.size - 1))
        bounds_misaligned(lane, access);
    if (access.kind != EVENT_STORE && !target->shared && (access.size >= 8 || access.extra))
        pointer_load(&judge->pointers, lane, access,
                     race_global + (access.address / 4 + target->ahead));
    if (atomic && access.extra & EXTRA_CAS)
        excuse_read(judge, lane, access, target);
    if (atomic && access.extra & EXTRA_CAS)
        pairs_lock();
    if (judge->race.fences && (atomic || access.extra & EXTRA_VOLATILE))
        return ACCESS_FINE;
    return take(judge, lane, access, target, RACE_PLAIN, 0) ? ACCESS_SETTLES : ACCESS_FINE;
}

/* The copy's accesses count as made now, too. Earlier accesses were compared when it was begun. */
void judge_copy_made(const struct lane *lane, const struct copy *copy)
{
    uint32_t pc = code_offset(copy->pc);

    judge_access(lane, lane_access((uintptr_t)copy->from, EVENT_LOAD, copy->size, 0, pc));
    if (judge_access(lane, lane_access((uintptr_t)copy->to, EVENT_STORE, copy->size, 0, pc)) ==
        ACCESS_SETTLES)
        pairs_settle();
}

/* Do earlier loads cover the plain load, of one word or several? */
static bool is_covered(struct judge *judge, const struct lane *lane, struct lane_access access,
                       const struct target *target, struct entry *word, uint32_t run, uint32_t part)
{
    struct race *race = &judge->race;

    for (struct entry *e = word; e == word || e < word + access.size / 4; e++)
        if (!words_first(e, run) || !(race_is_covered(race, e, run, lane->index, access.pc, part) ||
                                      race_search_list(race, e, lane->index, access.pc, part)))
            return false;
    if (access.size > 4 && !target->shared)
        pointer_load(&judge->pointers, lane, access, word);
    return true;
}

/* A plain access to the target that the word's first entry does not cover. */
__attribute__((noinline)) static enum access_verdict take_plain(struct judge *judge,
                                                                const struct lane *lane,
                                                                struct lane_access access,
                                                                const struct target *target)
{
    struct race *race = &judge->race;
    size_t number = access.address / 4 + target->ahead;
    struct entry *word = (target->shared ? race->shared : race_global) + number;
    uint32_t run = target->shared ? race->sync.phase : race->launch->number;
    unsigned bytes = (unsigned)access.bytes << access.address % 4;
    struct entry *before = words_first(word, run);
    uint32_t recent = *words_recent_at(access.pc, bytes);

    if (before && access.kind == EVENT_LOAD) {
        if (is_covered(judge, lane, access, target, word, run, words_part(bytes, access.size)))
            return ACCESS_FINE;
    } else if (access.size <= 4 &&
               race_is_same(race, &words_accesses[recent], run, lane->index,
                            lane->index / WARP_SIZE, access.pc, bytes, access.kind) &&
               garbage_is_written(target->shared ? judge->garbage.shared : memory_bits, number,
                                  bytes, access.kind) &&
               race_is_first(word, before, recent, 1u << lane->index % WARP_SIZE)) {
        return ACCESS_FINE;
    }
    return take_access(judge, lane, access, target);
}

/* Is it a plain access, in one instruction? */
static inline bool is_plain(const struct judge *judge, struct lane_access access)
{
    return access.bytes && !(access.address & (access.size - 1u)) && !judge->race.launch->beside;
}

/* An access that is not plain, that goes to another array than the last one from its place in the
 * code, or that rarer checks concern. */
__attribute__((noinline)) static enum access_verdict
judge_rarely(struct judge *judge, const struct lane *lane, struct lane_access access)
{
    if (lane->block->copies.count > 0)
        inflight_async(lane, access);
    if (pointer_taken > 0)
        pointer_use(&judge->pointers, lane, access);
    const struct target *target = find_target(judge, lane, access);

    if (!target)
        return judge->refused ? ACCESS_REFUSED : ACCESS_FINE;
    judge->touched = true;
    return is_plain(judge, access) ? take_plain(judge, lane, access, target)
                                   : take_access(judge, lane, access, target);
}

/* Most accesses are plain loads about which no check has anything to say, because the word's first
 * entry covers them. */
enum access_verdict judge_access(const struct lane *lane, struct lane_access access)
{
    struct judge *judge = lane->block->judge;
    const struct target *target = target_at(judge, access.pc);
    struct race *race = &judge->race;

    if (!is_plain(judge, access) || !target_holds(target, access) ||
        lane->block->copies.count > 0 || pointer_taken > 0)
        return judge_rarely(judge, lane, access);
    struct entry *words = target->shared ? race->shared : race_global;
    uint32_t run = target->shared ? race->sync.phase : race->launch->number;

    judge->touched = true;
    if (access.kind == EVENT_LOAD && access.size <= 4 &&
        race_is_covered(race, words + (access.address / 4 + target->ahead), run, lane->index,
                        access.pc, (unsigned)access.bytes << access.address % 4))
        return ACCESS_FINE;
    return take_plain(judge, lane, access, target);
}

/* An operation that has been made, or a volatile store that is about to be: the lane's last event.
 */
static bool take_operation(struct judge *judge, const struct lane *lane, enum effect effect,
                           uint32_t taken_from)
{
    struct event last = log_last(&lane->log);
    struct lane_access access =
        lane_access(last.address, last.kind, last.size, last.extra, key_pc(last.key, last.depth));
    const struct target *target = judge->refused ? NULL : find_target(judge, lane, access);

    return target && take(judge, lane, access, target, (int)effect, taken_from);
}

bool judge_synchronises(const struct lane *lane, enum event_kind kind, uint64_t what,
                        enum effect effect)
{
    struct judge *judge = lane->block->judge;
    bool settles = kind == EVENT_ORDER && take_operation(judge, lane, effect, (uint32_t)what);

    if (kind == EVENT_FENCE && what == FENCE_ARRIVE)
        sync_arrive(&judge->race.sync, lane->index);
    else if (kind == EVENT_FENCE)
        inflight_pass(&judge->inflight, lane, what == FENCE_WAIT ? PASSED_WAIT : PASSED_FENCE);
    if (kind == EVENT_FENCE && what < FENCE_WAIT)
        sync_fence(&judge->race.sync, lane->index, what ? SCOPE_DEVICE : SCOPE_BLOCK);
    if (kind != EVENT_ORDER || effect != EFFECT_CHANGE ||
        what != 0) /* a lane that changes a word does not only poll */
        schedule_wipe_stack();
    return settles;
}

void judge_warp_meets(struct block *block, unsigned warp, enum simt_warp_op op, unsigned lanes,
                      unsigned mask)
{
    struct judge *judge = block->judge;

    inflight_meet(&judge->inflight, warp, 1, lanes);
    if (op == SIMT_SYNCWARP)
        sync_warp(&judge->race.sync, warp, mask);
}

void judge_barrier(struct block *block, const struct lane *first)
{
    struct judge *judge = block->judge;

    barrier_check(&judge->barrier, block, first);
    sync_barrier(&judge->race.sync);
    inflight_meet(&judge->inflight, 0, block->warps, ~0u);
}

/* The lane has seen the operations of all that came to the barrier; a fence follows. */
void judge_grid_passed(const struct lane *lane, const void *word)
{
    struct sync *sync = &((struct judge *)lane->block->judge)->race.sync;
    struct access access = {0};

    sync_operation(sync, lane->index, words_name(sync->number, memory_word(word), false),
                   EFFECT_READ, 0, &access);
}

void judge_jumps(const struct lane *lane, uint64_t from, uint64_t to)
{
    struct judge *judge = lane->block->judge;

    barrier_jump(&judge->barrier, lane->index, from, to);
}

void judge_freed(const void *begin, size_t size)
{
    for (struct block *block = block_list; block; block = block->next)
        for (unsigned i = 0; block->judge && i < PLACES; i++)
            ((struct judge *)block->judge)->last[i].end = 0;
    if (race_global && launch_hold()) { /* else it stays until it is used again */
        words_forget(race_global + memory_word(begin), size / 4);
        launch_release();
    }
}

void judge_launch_end(const struct launch *launch)
{
    complaint_launch_end(launch);
    for (struct block *block = block_list; block && pointer_taken > 0; block = block->next)
        if (block->judge)
            memset(&((struct judge *)block->judge)->pointers, 0, sizeof(struct pointers));
    pointer_taken = 0;
    race_judge(launch);
    inflight_launch(launch);
}
