/* Finds races while warps' accesses come in; see race.h for the rules. */
#define _GNU_SOURCE
#include "judge/race.h"
#include "judge/finding.h"
#include "judge/handover.h"
#include "judge/order.h"
#include "run/atomic.h"
#include "run/end.h"
#include "run/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Who touched a word. run: the launch (global memory) or the block's serial number on its OS thread
 * (shared memory); a record of another run is as good as none. bytes: which of the word's four;
 * wide: 0 if the access was within the word, 1 if it had 8 bytes, 2 if 16. several: lanes beyond
 * the one of thread, see struct more. others: of readers and atomics, there are more records. */
struct record {
    uint32_t run : 24, several : 1, others : 1, block_scope : 1, is_volatile : 1, bytes : 4;
    uint32_t block;
    uint32_t time;
    uint32_t pc : 20, thread : 10, wide : 2;
};

/* What few records need: which lanes, and where in the launch's synchronisation (handover.h). */
struct more {
    uint64_t position;
    uint32_t lanes, epoch;
};

/* The records of a word: its last writer (of bytes 1 to 3 too, where parts of words are written),
 * and of its atomics and its readers the last warp's; of the same warp an earlier one with other
 * lanes; an earlier one of another warp of the same block; an earlier one of another block. That is
 * enough where only barriers order: a write that races with a reader which was forgotten races with
 * one of these. Where fences are used, those that are forgotten are written down (struct past). */
enum { WRITER, ATOMIC = 4, READER = 8, SLOTS = 12 };
enum { LAST, OF_WARP, OF_BLOCK, ELSEWHERE };

/* touched: the last run in which one of the 64 words of a chunk was written, or had an atomic: most
 * of what is read never is. contended: the last run in which a word was in a conflict. */
enum { CHUNK_SHIFT = 6 };
struct shadow {
    struct record *record[SLOTS];
    struct more *more[SLOTS];
    uint32_t *touched, *contended;
    bool atomics, scoped, pieces; /* have there been atomics, such of block scope, writes of parts
                                     of words? */
};

/* Two accesses of one launch that nothing orders, as a finding tells them. */
struct pair {
    bool shared, flag, same_request, equal;
    uint64_t word;
    struct actor end[2];
};

/* Pairs of the same two places. Beyond KEPT they are only counted. */
enum { KEPT = 256 };
struct pair_group {
    uint64_t count;
    size_t kept, room;
    struct pair *pair;
};

/* What the records of a word have no room for: reads, or atomics, of lanes of one warp that are
 * still to be compared with what its other lanes do, since a __syncwarp with a part of the mask
 * came between them. Forgotten at the next __syncthreads. */
enum { MOST_SPILLED = 1 << 12 };
struct spilled {
    uint32_t stamp, lanes; /* stamp: of another barrier or block, it is free */
    const struct shadow *shadow;
    size_t word;
    struct record record;
    uint8_t set;
};

/* A plain read whose thread's next access to the word was an atomicCAS: no race with atomics. */
struct excuse {
    uint64_t word;
    uint32_t block;
    uint32_t pc : 20, thread : 10;
};

/* Of a launch, on one OS thread. Beyond, not all is judged. */
enum { MOST_SYNCS = 1 << 22, MOST_PASTS = 1 << 22, MOST_EXCUSES = 1 << 20 };

struct race {
    const struct block *block;
    uint32_t run, number,
        launch; /* the block's serial number here, its index; the launch's number */
    struct order order;
    struct spilled *spilled; /* a hash table */
    uint32_t spill_stamp, spills;
    struct shadow shared;
    size_t shared_words;
    /* synchronisation, where fences are used */
    uint64_t level[MAX_LANES]; /* the last ordered operation that each thread knows of */
    uint64_t block_level;
    uint32_t serial, epoch;
    struct sync last[MAX_LANES]; /* what each thread's last atomic or volatile access was */
    struct polling {
        uint32_t last,
            count; /* where in sync[] its last look is, and how many there are, up to 2 */
    } polling[MAX_LANES];
    struct sync *sync;
    size_t syncs, sync_room, block_syncs; /* block_syncs: before this block */
    bool block_matters;                   /* shall the synchronisation of this block be kept? */
    struct past *past;
    size_t pasts, past_room;
    bool overflow;
    struct pair_group *group;
    size_t groups;
    struct excuse *excuse;
    size_t excuses, excuse_room;
};

/* Records of global memory: a mapping for each kind, committed where it is touched. Input that is
 * only read costs 16 bytes a word, 32 where fences are used. */
static struct shadow global;
static pthread_once_t global_once = PTHREAD_ONCE_INIT;
static bool fenced; /* does the program have fences? */

/* OS threads lock 64 Ki words at a time; neighbouring regions have different locks. */
enum { LOCKS = 1024, LOCK_SHIFT = 16 };
static char locks[LOCKS];

static void out_of_memory(void)
{
    end_fatal("no memory for race checks; SIMT_CHECKS=off runs without");
}

static void *map_words(size_t words, size_t size)
{
    void *p = mmap(NULL, words * size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        end_fatal("no address space for race checks; SIMT_CHECKS=off runs without");
    /* A record is read before it is written, which is two page faults, the second of which stops
     * all OS threads: huge pages make them rare. It is only a hint. */
    if (words * size > 1 << 25)
        madvise(p, words * size, MADV_HUGEPAGE);
    return p;
}

static void map_shadow(struct shadow *shadow, size_t words)
{
    for (int i = 0; i < SLOTS; i++) {
        shadow->record[i] = map_words(words, sizeof *shadow->record[i]);
        shadow->more[i] = map_words(words, sizeof *shadow->more[i]);
    }
    shadow->touched = map_words((words >> CHUNK_SHIFT) + 1, sizeof *shadow->touched);
    shadow->contended = map_words(words, sizeof *shadow->contended);
}

/* Runs are numbered from 1 on, and again when their field is full: then old records must go. */
enum { MOST_RUNS = (1 << 24) - 1 };

static uint32_t run_of_launch(unsigned number)
{
    return (number - 1) % MOST_RUNS + 1;
}

static void forget_all(struct shadow *shadow, size_t words)
{
    for (int i = 0; i < SLOTS; i++)
        madvise(shadow->record[i], words * sizeof *shadow->record[i], MADV_DONTNEED);
    madvise(shadow->touched, ((words >> CHUNK_SHIFT) + 1) * sizeof *shadow->touched, MADV_DONTNEED);
    madvise(shadow->contended, words * sizeof *shadow->contended, MADV_DONTNEED);
}

static void map_global(void)
{
    fenced = atomic_program_has_fences();
    map_shadow(&global, memory_words());
}

struct race *race_new(size_t shared_words)
{
    struct race *race = calloc(1, sizeof *race);

    pthread_once(&global_once, map_global);
    if (!race)
        out_of_memory();
    race->shared_words = shared_words;
    map_shadow(&race->shared, shared_words);
    return race;
}

static void forget_spilled(struct race *race)
{
    race->spill_stamp++;
    race->spills = 0;
}

void race_block_begin(struct race *race, const struct block *block)
{
    race->block = block;
    race->run = race->run % MOST_RUNS + 1;
    if (race->run == 1)
        forget_all(&race->shared, race->shared_words);
    race->launch = run_of_launch(block->launch->number);
    race->number = block_number(block);
    order_block_begin(&race->order);
    forget_spilled(race);
    if (!fenced)
        return;
    memset(race->level, 0, block->launch->threads * sizeof *race->level);
    memset(race->polling, 0, block->launch->threads * sizeof *race->polling);
    race->block_level = 0;
    race->serial = 1; /* 0 is no position */
    race->epoch = 0;
    race->block_syncs = race->syncs;
    race->block_matters = false;
}

void race_block_end(struct race *race)
{
    if (fenced && !race->block_matters)
        race->syncs = race->block_syncs;
}

/* Makes room for one more in an array; false when it has `most`. */
static bool make_room(void **array, size_t count, size_t *room, size_t most, size_t size)
{
    if (count < *room)
        return true;
    if (count >= most)
        return false;
    *room = *room ? 2 * *room : 64;
    if (!(*array = realloc(*array, *room * size)))
        out_of_memory();
    return true;
}

/* ---- synchronisation ---- */

static uint64_t level_of(const struct race *race, unsigned thread)
{
    return race->level[thread] > race->block_level ? race->level[thread] : race->block_level;
}

static uint64_t position_now(const struct race *race, unsigned thread)
{
    return position_of(level_of(race, thread), race->serial);
}

/* Of these lanes of a warp, those that stand where the first does. */
static unsigned at_one_position(const struct race *race, unsigned warp, unsigned lanes)
{
    unsigned together = 0, thread = warp * WARP_SIZE;
    uint64_t level = level_of(race, thread + (unsigned)__builtin_ctz(lanes));

    for (unsigned left = lanes; left; left &= left - 1)
        if (level_of(race, thread + (unsigned)__builtin_ctz(left)) == level)
            together |= left & -left;
    return together;
}

static struct sync *add_sync(struct race *race, const struct sync *sync)
{
    if (race->serial + 1 == 1u << POSITION_SERIAL_BITS ||
        !make_room((void **)&race->sync, race->syncs, &race->sync_room, MOST_SYNCS,
                   sizeof *race->sync)) {
        race->overflow = true;
        return NULL;
    }
    race->serial++;
    race->sync[race->syncs] = *sync;
    race->sync[race->syncs].block = race->number;
    race->sync[race->syncs].epoch = race->epoch;
    return &race->sync[race->syncs++];
}

static void syncwarp_group(struct race *race, unsigned warp, unsigned lanes, unsigned mask)
{
    uint64_t level = 0;

    if (!order_syncwarp(&race->order, warp, lanes, mask) || !fenced)
        return;
    for (unsigned left = mask; left; left &= left - 1) {
        uint64_t own = level_of(race, warp * WARP_SIZE + (unsigned)__builtin_ctz(left));
        level = own > level ? own : level;
    }
    for (unsigned left = mask; left; left &= left - 1) {
        unsigned thread = warp * WARP_SIZE + (unsigned)__builtin_ctz(left);
        race->level[thread] = level;
        race->polling[thread].count = 0;
    }
    add_sync(race, &(struct sync){.position = position_of(level, race->serial),
                                  .kind = SYNC_WARP,
                                  .warp = (uint8_t)warp,
                                  .lanes = mask});
}

/* Lanes that come to one __syncwarp with different masks are as many groups. */
void race_syncwarp(struct race *race, const struct warp_event *event, unsigned warp)
{
    for (unsigned left = event->lanes; left;) {
        unsigned mask = (unsigned)event->address[__builtin_ctz(left)], group = 0;
        for (unsigned i = left; i; i &= i - 1)
            if ((unsigned)event->address[__builtin_ctz(i)] == mask)
                group |= i & -i;
        syncwarp_group(race, warp, group, mask);
        left &= ~group;
    }
}

void race_fence(struct race *race, const struct warp_event *event, unsigned warp)
{
    race->block_matters = true;
    for (unsigned left = event->lanes; left;) {
        unsigned lanes = at_one_position(race, warp, left), first = (unsigned)__builtin_ctz(left);
        add_sync(race, &(struct sync){.position = position_now(race, warp * WARP_SIZE + first),
                                      .kind = SYNC_FENCE,
                                      .warp = (uint8_t)warp,
                                      .lanes = lanes,
                                      .scope = (uint8_t)event->address[first]});
        for (unsigned i = lanes; i; i &= i - 1)
            race->polling[warp * WARP_SIZE + (unsigned)__builtin_ctz(i)].count = 0;
        left &= ~lanes;
    }
}

/* A thread that polls goes to one word again and again, and changes nothing: its first operation
 * and its last one stand for all. */
static bool polls_on(struct race *race, unsigned thread, const struct sync *now)
{
    struct polling *p = &race->polling[thread];
    const struct sync *before = p->count ? &race->sync[p->last] : NULL;

    if (!before || before->word != now->word || before->pc != now->pc ||
        before->epoch != race->epoch || before->effect != now->effect)
        return false;
    if (p->count < 2)
        return false;
    race->sync[p->last].position = now->position;
    return true;
}

static void note_polling(struct race *race, unsigned thread, const struct sync *added)
{
    struct polling *p = &race->polling[thread];
    bool looks = added && (added->effect == EFFECT_READ || added->effect == EFFECT_SAME);
    bool again = looks && p->count && race->sync[p->last].pc == added->pc &&
                 race->sync[p->last].word == added->word &&
                 race->sync[p->last].effect == added->effect;

    *p = (struct polling){looks ? (uint32_t)(added - race->sync) : 0, !looks ? 0 : again ? 2 : 1};
}

void race_order(struct race *race, const struct warp_event *event, unsigned warp)
{
    race->block_matters = true;
    for (unsigned left = event->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), thread = warp * WARP_SIZE + lane;
        uint64_t number = event->address[lane] >> 2;
        struct sync sync = race->last[thread];

        race->level[thread] = number;
        sync.position = position_of(number, race->serial);
        sync.effect = (uint8_t)(event->address[lane] & 3);
        if (!polls_on(race, thread, &sync))
            note_polling(race, thread, add_sync(race, &sync));
    }
}

void race_barrier(struct race *race)
{
    order_barrier(&race->order);
    forget_spilled(race);
    if (!fenced)
        return;
    for (unsigned i = 0; i < race->block->launch->threads; i++)
        if (race->level[i] > race->block_level)
            race->block_level = race->level[i];
    add_sync(race, &(struct sync){.position = position_of(race->block_level, race->serial),
                                  .kind = SYNC_BARRIER});
    race->epoch++;
}

/* ---- pairs that nothing orders ---- */

static struct pair_group *find_group(struct race *race, const struct pair *pair)
{
    for (size_t i = race->groups; i-- > 0;) {
        const struct pair *first = race->group[i].pair;
        if (first->end[0].pc == pair->end[0].pc && first->end[1].pc == pair->end[1].pc &&
            first->shared == pair->shared && first->flag == pair->flag &&
            first->same_request == pair->same_request && first->equal == pair->equal)
            return &race->group[i];
    }
    race->group = realloc(race->group, (race->groups + 1) * sizeof *race->group);
    if (!race->group)
        out_of_memory();
    race->group[race->groups] = (struct pair_group){0};
    return &race->group[race->groups++];
}

static void keep(struct race *race, const struct pair *pair)
{
    struct pair_group *group = find_group(race, pair);

    group->count++;
    if (!make_room((void **)&group->pair, group->kept, &group->room, KEPT, sizeof *group->pair))
        return;
    group->pair[group->kept++] = *pair;
}

/* ---- an access, word by word ---- */

/* What the lanes of a request that touch one word have in common. */
struct touch {
    struct shadow *shadow;
    bool shared, is_volatile;
    uint8_t operation; /* EVENT_LOAD, EVENT_STORE, EVENT_ATOMIC */
    unsigned warp, lanes;
    size_t word;
    uint64_t position;
    uint32_t epoch;
    struct record now;
};

static uint8_t operation_of(int slot)
{
    return slot < ATOMIC ? EVENT_STORE : slot < READER ? EVENT_ATOMIC : EVENT_LOAD;
}

static unsigned lanes_of(const struct shadow *shadow, int slot, size_t word)
{
    const struct record *record = &shadow->record[slot][word];
    return record->several ? shadow->more[slot][word].lanes : 1u << record->thread % WARP_SIZE;
}

/* Tells the words of different blocks' shared memories apart, too. */
static uint64_t name_of(const struct race *race, const struct touch *touch)
{
    return touch->shared ? (uint64_t)1 << 63 | (uint64_t)race->number << 20 | touch->word
                         : touch->word;
}

static void write_down(struct race *race, const struct past *past)
{
    race->block_matters |= past->contended;
    if (make_room((void **)&race->past, race->pasts, &race->past_room, MOST_PASTS,
                  sizeof *race->past))
        race->past[race->pasts++] = *past;
    else
        race->overflow = true;
}

/* Writes down what a record knows of a plain access; what is atomic or volatile stands among the
 * synchronisation. */
static void write_down_record(struct race *race, const struct touch *touch, int slot,
                              bool contended)
{
    const struct record *r = &touch->shadow->record[slot][touch->word];
    const struct more *more = &touch->shadow->more[slot][touch->word];

    if (r->run != touch->now.run || operation_of(slot) == EVENT_ATOMIC || r->is_volatile)
        return;
    write_down(race, &(struct past){.word = name_of(race, touch),
                                    .position = more->position,
                                    .block = r->block,
                                    .lanes = lanes_of(touch->shadow, slot, touch->word),
                                    .pc = r->pc,
                                    .epoch = more->epoch,
                                    .warp = (uint8_t)(r->thread / WARP_SIZE),
                                    .kind = slot < ATOMIC ? PAST_STORE : PAST_LOAD,
                                    .bytes = r->bytes,
                                    .wide = r->wide,
                                    .contended = contended});
}

static void write_down_touch(struct race *race, const struct touch *touch)
{
    if (touch->operation == EVENT_ATOMIC || touch->is_volatile)
        return;
    write_down(race,
               &(struct past){.word = name_of(race, touch),
                              .position = touch->position,
                              .block = race->number,
                              .lanes = touch->lanes,
                              .pc = touch->now.pc,
                              .epoch = race->epoch,
                              .warp = (uint8_t)touch->warp,
                              .kind = touch->operation == EVENT_STORE ? PAST_STORE : PAST_LOAD,
                              .bytes = touch->now.bytes,
                              .wide = touch->now.wide,
                              .contended = true});
}

/* From here on all accesses to the word are written down, those that are known first. */
static void contend(struct race *race, const struct touch *touch)
{
    if (touch->shadow->contended[touch->word] == touch->now.run)
        return;
    touch->shadow->contended[touch->word] = touch->now.run;
    if (!fenced)
        return;
    /* if all are atomic or volatile, this alone says that the word is to be judged */
    write_down(race, &(struct past){.word = name_of(race, touch), .contended = true});
    for (int slot = 0; slot < SLOTS; slot++)
        write_down_record(race, touch, slot, true);
}

static struct actor actor_of(const struct record *record, unsigned thread, uint8_t operation)
{
    int size = record->wide ? 4 << record->wide : __builtin_popcount(record->bytes);

    return (struct actor){.pc = record->pc,
                          .block = record->block,
                          .thread = (uint16_t)thread,
                          .operation = operation,
                          .size = (uint8_t)size};
}

/* Two lanes, one of `lanes`, the record's, and one of the access's, that nothing in their block
 * orders. */
static bool find_unordered(const struct race *race, const struct touch *touch,
                           const struct record *old, unsigned lanes, unsigned lane[2])
{
    lane[0] = (unsigned)__builtin_ctz(lanes);
    lane[1] = (unsigned)__builtin_ctz(touch->lanes);
    if (old->block != race->number)
        return true;
    if (old->time < race->order.barrier)
        return false;
    if (old->thread / WARP_SIZE != touch->warp)
        return true;
    for (unsigned left = touch->lanes; left; left &= left - 1) {
        lane[1] = (unsigned)__builtin_ctz(left);
        unsigned unordered = order_unordered(&race->order, touch->warp, lanes, old->time, lane[1]);
        if (unordered) {
            lane[0] = (unsigned)__builtin_ctz(unordered);
            return true;
        }
    }
    return false;
}

static void compare_record(struct race *race, const struct touch *touch, const struct record *old,
                           unsigned lanes, uint8_t operation)
{
    unsigned lane[2];

    if (!find_unordered(race, touch, old, lanes, lane))
        return;
    contend(race, touch);
    if (fenced)
        return;
    keep(race,
         &(struct pair){
             .shared = touch->shared,
             .word = name_of(race, touch),
             .end = {actor_of(old, old->thread / WARP_SIZE * WARP_SIZE + lane[0], operation),
                     actor_of(&touch->now, touch->warp * WARP_SIZE + lane[1], touch->operation)}});
}

static inline void compare(struct race *race, const struct touch *touch, int slot)
{
    const struct record *old = &touch->shadow->record[slot][touch->word];

    if (old->run == touch->now.run && old->bytes & touch->now.bytes)
        compare_record(race, touch, old, lanes_of(touch->shadow, slot, touch->word),
                       operation_of(slot));
}

/* ---- what the records have no room for ---- */

/* Can the older access of a thread be in a race that its newer one is not in? */
static bool keeps_old(const struct record *old, const struct record *now)
{
    return old->bytes & ~now->bytes || (old->block_scope && !now->block_scope);
}

/* The next entry for the word in the hash table, from *at on; false when there are no more: *at is
 * then a free one. */
static bool next_spilled(const struct race *race, const struct touch *touch, int set, size_t *at)
{
    for (size_t i = *at;; i++) {
        struct spilled *s = &race->spilled[i % MOST_SPILLED];
        *at = i;
        if (s->stamp != race->spill_stamp)
            return false;
        if (s->word == touch->word && s->shadow == touch->shadow && s->set == set)
            return true;
    }
}

static size_t spill_begin(const struct touch *touch, int set)
{
    return (touch->word * 0x9E3779B1u + (size_t)set + touch->shared) % MOST_SPILLED;
}

static void spill(struct race *race, const struct touch *touch, int set,
                  const struct record *record, unsigned lanes)
{
    size_t at = spill_begin(touch, set), empty = SIZE_MAX;

    if (!race->spilled && !(race->spilled = calloc(MOST_SPILLED, sizeof *race->spilled)))
        out_of_memory();
    for (; next_spilled(race, touch, set, &at); at++) {
        struct spilled *s = &race->spilled[at % MOST_SPILLED];
        if (!keeps_old(&s->record, record))
            s->lanes &= ~lanes;
        if (s->lanes == 0)
            empty = at;
    }
    if (empty == SIZE_MAX && race->spills >= MOST_SPILLED * 3 / 4) {
        race->overflow = true;
        return;
    }
    race->spills += empty == SIZE_MAX;
    race->spilled[(empty == SIZE_MAX ? at : empty) % MOST_SPILLED] = (struct spilled){
        race->spill_stamp, lanes, touch->shadow, touch->word, *record, (uint8_t)set};
}

static void compare_spilled(struct race *race, const struct touch *touch, int set)
{
    for (size_t at = spill_begin(touch, set); next_spilled(race, touch, set, &at); at++) {
        const struct spilled *s = &race->spilled[at % MOST_SPILLED];
        if (s->lanes && s->record.bytes & touch->now.bytes)
            compare_record(race, touch, &s->record, s->lanes, operation_of(set));
    }
}

/* Before a record is replaced: if it is one of this warp's and not ordered before all that follows,
 * it is kept elsewhere. */
static void spill_record(struct race *race, const struct touch *touch, int set, int slot)
{
    const struct record *old = &touch->shadow->record[slot][touch->word];

    if (old->run == touch->now.run && old->block == race->number &&
        old->time >= race->order.barrier && old->thread / WARP_SIZE == touch->warp)
        spill(race, touch, set, old, lanes_of(touch->shadow, slot, touch->word));
}

/* With all readers, or all atomics, of the word. */
static void compare_set(struct race *race, const struct touch *touch, int set)
{
    compare(race, touch, set);
    if (!touch->shadow->record[set][touch->word].others)
        return;
    for (int slot = set + OF_WARP; slot <= set + ELSEWHERE; slot++)
        compare(race, touch, slot);
    if (race->spills)
        compare_spilled(race, touch, set);
}

/* Atomics of different blocks race where one of them has block scope. */
static void compare_scopes(struct race *race, const struct touch *touch)
{
    for (int slot = ATOMIC; slot <= ATOMIC + ELSEWHERE; slot++) {
        const struct record *old = &touch->shadow->record[slot][touch->word];
        if (old->block != race->number && (old->block_scope || touch->now.block_scope))
            compare(race, touch, slot);
    }
}

static void set_record(const struct touch *touch, int slot, unsigned lanes, bool others)
{
    struct record *record = &touch->shadow->record[slot][touch->word];

    *record = touch->now;
    record->several = (lanes & (lanes - 1)) != 0;
    record->others = others;
    if (record->several || fenced)
        touch->shadow->more[slot][touch->word] =
            (struct more){touch->position, lanes, touch->epoch};
}

static void move_record(struct race *race, const struct touch *touch, int from, int to,
                        unsigned lanes)
{
    struct shadow *shadow = touch->shadow;
    struct record *record = &shadow->record[to][touch->word];
    const struct more *more = &shadow->more[from][touch->word];

    if (fenced)
        write_down_record(race, touch, to, false);
    *record = shadow->record[from][touch->word];
    record->thread = record->thread / WARP_SIZE * WARP_SIZE + (unsigned)__builtin_ctz(lanes);
    record->several = (lanes & (lanes - 1)) != 0;
    if (record->several || fenced)
        shadow->more[to][touch->word] = (struct more){more->position, lanes, more->epoch};
}

/* May the access share the record, of the same warp and clock? What is atomic or volatile is found
 * among the synchronisation, where fences are used: of these the record need not say more. */
static bool same_place(const struct touch *touch, int slot)
{
    const struct record *old = &touch->shadow->record[slot][touch->word], *now = &touch->now;

    if (old->block_scope != now->block_scope || old->is_volatile != now->is_volatile)
        return false;
    if (fenced && (touch->operation == EVENT_ATOMIC || now->is_volatile))
        return true;
    return old->pc == now->pc &&
           (!fenced || touch->shadow->more[slot][touch->word].position == touch->position);
}

/* The last reader, or atomic, moves aside for a new one. */
static void remember(struct race *race, const struct touch *touch, int set)
{
    const struct record *old = &touch->shadow->record[set + LAST][touch->word], *now = &touch->now;

    if (old->run != now->run) {
        set_record(touch, set + LAST, touch->lanes, false);
        return;
    }
    unsigned lanes = lanes_of(touch->shadow, set + LAST, touch->word), left;
    bool others = old->others;
    if (old->block != now->block) {
        move_record(race, touch, set + LAST, set + ELSEWHERE, lanes);
        others = true;
    } else if (old->thread / WARP_SIZE != touch->warp) {
        move_record(race, touch, set + LAST, set + OF_BLOCK, lanes);
        others = true;
    } else if (old->time == now->time && old->bytes == now->bytes &&
               same_place(touch, set + LAST)) {
        set_record(touch, set + LAST, lanes | touch->lanes, others);
        return;
    } else if ((left = keeps_old(old, now) ? lanes : lanes & ~touch->lanes) != 0) {
        spill_record(race, touch, set, set + OF_WARP);
        move_record(race, touch, set + LAST, set + OF_WARP, left);
        others = true;
    }
    set_record(touch, set + LAST, touch->lanes, others);
}

/* A word that was written as a whole, or not at all, is now written in part. */
static void set_writer(struct race *race, const struct touch *touch)
{
    const struct record *whole = &touch->shadow->record[WRITER][touch->word];

    if (touch->now.bytes == 0xf) {
        set_record(touch, WRITER, touch->lanes, false);
        return;
    }
    touch->shadow->pieces = true;
    if (whole->run == touch->now.run && whole->bytes == 0xf)
        for (int k = 1; k < 4; k++)
            move_record(race, touch, WRITER, WRITER + k,
                        lanes_of(touch->shadow, WRITER, touch->word));
    for (int k = 0; k < 4; k++)
        if (touch->now.bytes >> k & 1)
            set_record(touch, WRITER + k, touch->lanes, false);
}

static void touch_word(struct race *race, const struct touch *touch)
{
    struct shadow *shadow = touch->shadow;

    if (fenced && shadow->contended[touch->word] == touch->now.run) {
        write_down_touch(race, touch);
        return;
    }
    uint32_t *touched = &shadow->touched[touch->word >> CHUNK_SHIFT];
    if (touch->operation == EVENT_LOAD && *touched != touch->now.run && !fenced) {
        remember(race, touch, READER);
        return;
    }
    if (touch->operation != EVENT_LOAD)
        *touched = touch->now.run;
    compare(race, touch, WRITER);
    if (shadow->pieces)
        for (int k = 1; k < 4; k++)
            compare(race, touch, WRITER + k);
    if (touch->operation != EVENT_ATOMIC && shadow->atomics)
        compare_set(race, touch, ATOMIC);
    if (touch->operation == EVENT_ATOMIC && shadow->scoped)
        compare_scopes(race, touch);
    if (touch->operation != EVENT_LOAD)
        compare_set(race, touch, READER);

    if (fenced && shadow->contended[touch->word] == touch->now.run)
        write_down_touch(race, touch);
    else if (touch->operation == EVENT_LOAD)
        remember(race, touch, READER);
    else if (touch->operation == EVENT_ATOMIC)
        remember(race, touch, ATOMIC);
    else
        set_writer(race, touch);
}

/* ---- a request ---- */

static struct touch touch_of(const struct race *race, const struct warp_event *event, unsigned warp,
                             bool shared)
{
    struct touch touch = {.shadow = shared ? (struct shadow *)&race->shared : &global,
                          .shared = shared,
                          .is_volatile = event->kind != EVENT_ATOMIC &&
                                         event->extra & EXTRA_VOLATILE && fenced,
                          .operation = (uint8_t)event->kind,
                          .warp = warp,
                          .epoch = race->epoch};

    touch.now.run = shared ? race->run : race->launch;
    touch.now.block = race->number;
    touch.now.time = order_now(&race->order, warp);
    touch.now.pc = key_pc(event->key, event->depth);
    touch.now.wide = event->size > 8 ? 2 : event->size > 4;
    touch.now.is_volatile = touch.is_volatile;
    touch.now.block_scope = event->kind == EVENT_ATOMIC && event->extra & EXTRA_BLOCK_SCOPE;
    return touch;
}

static void lock_region(size_t region)
{
    while (__atomic_test_and_set(&locks[region % LOCKS], __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&locks[region % LOCKS], __ATOMIC_RELAXED))
            ;
}

static void unlock_region(size_t region)
{
    __atomic_clear(&locks[region % LOCKS], __ATOMIC_RELEASE);
}

/* How the addresses of a request lie, lane by lane. */
enum pattern {
    DISTINCT, /* each is higher than the one before, and they do not overlap */
    RUNS,     /* none is lower than the one before: equal ones are neighbours */
    PERIODIC, /* the second half warp's are the first's */
    ANY
};

static enum pattern pattern_of(const struct warp_event *event, unsigned lanes)
{
    const uint64_t *address = event->address;
    uint64_t before = 0, above = 0, differ = 0;
    bool distinct = true, sorted = true;

    for (unsigned left = lanes; left; left &= left - 1) {
        uint64_t now = address[__builtin_ctz(left)];
        distinct &= now >= above;
        sorted &= now >= before && (now == before || now >= above);
        before = now;
        above = now + event->size;
    }
    if (distinct || sorted)
        return distinct ? DISTINCT : RUNS;
    if (lanes != ~0u)
        return ANY;
    for (int i = 0; i < WARP_SIZE / 2; i++)
        differ |= address[i] ^ address[i + WARP_SIZE / 2];
    return differ ? ANY : PERIODIC;
}

/* Of the lanes of a request, those that touch what the first of `left` touches. */
static unsigned at_one_address(const struct warp_event *event, enum pattern pattern, unsigned left)
{
    uint64_t address = event->address[__builtin_ctz(left)];
    unsigned together = left & -left;

    if (pattern == DISTINCT)
        return together;
    for (unsigned i = left & (left - 1); i; i &= i - 1) {
        if (event->address[__builtin_ctz(i)] == address)
            together |= i & -i;
        else if (pattern == RUNS)
            break;
    }
    return together;
}

/* Several lanes of one request store to one word. If all before the last found there what the last
 * one left, they stored the same. Lanes run one after the other, in any order: one of them found
 * what had been there before. */
static bool stored_the_same(const struct warp_event *event, unsigned lanes)
{
    unsigned first = (unsigned)__builtin_ctz(lanes), others = 0;
    uint64_t value[2] = {0, 0};

    memcpy(value, (const void *)(uintptr_t)event->address[first], event->size);
    unsigned left_there = event_value(value);

    for (unsigned left = lanes; left; left &= left - 1)
        others += event->own[__builtin_ctz(left)] != left_there;
    return others <= 1;
}

static void tell_common_store(struct race *race, const struct touch *touch,
                              const struct warp_event *event, unsigned lanes)
{
    unsigned thread = touch->warp * WARP_SIZE, rest = lanes & (lanes - 1);

    keep(race,
         &(struct pair){
             .shared = touch->shared,
             .same_request = true,
             .equal = stored_the_same(event, lanes),
             .word = name_of(race, touch),
             .end = {actor_of(&touch->now, thread + (unsigned)__builtin_ctz(lanes), EVENT_STORE),
                     actor_of(&touch->now, thread + (unsigned)__builtin_ctz(rest), EVENT_STORE)}});
}

/* One address, which one or several lanes touch. */
static void touch_address(struct race *race, struct touch *touch, const struct warp_event *event,
                          unsigned lanes, size_t word)
{
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint64_t address = event->address[first];
    unsigned words = event_words(address, event->size);

    touch->lanes = lanes;
    touch->now.thread = touch->warp * WARP_SIZE + first;
    if (fenced)
        touch->position = position_now(race, touch->now.thread);
    for (unsigned k = 0; k < words; k++) {
        touch->word = word + k;
        touch->now.bytes = event_bytes(address, event->size, k);
        if (k == 0 && (lanes & (lanes - 1)) && touch->operation == EVENT_STORE)
            tell_common_store(race, touch, event, lanes);
        touch_word(race, touch);
    }
}

/* Notes what a thread's last operation was that others can see. */
static void note_operation(struct race *race, const struct touch *touch,
                           const struct warp_event *event, unsigned lanes, size_t word)
{
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint64_t address = event->address[first];
    struct touch at = *touch;

    at.word = word;
    for (unsigned left = lanes; left; left &= left - 1)
        race->last[touch->warp * WARP_SIZE + (unsigned)__builtin_ctz(left)] =
            (struct sync){.word = name_of(race, &at),
                          .lanes = left & -left,
                          .pc = touch->now.pc,
                          .warp = (uint8_t)touch->warp,
                          .kind = SYNC_OPERATION,
                          .scope = touch->now.block_scope ? SCOPE_BLOCK : SCOPE_DEVICE,
                          .bytes = (uint8_t)event_bytes(address, event->size, 0),
                          .words = (uint8_t)event_words(address, event->size),
                          .wide = touch->now.wide,
                          .is_volatile = touch->is_volatile,
                          .is_cas = event->kind == EVENT_ATOMIC && event->extra & EXTRA_CAS};
}

/* ---- many words at once ---- */

/* What is read the most is a row of words, the k-th of them by lane first + k, or by it and the
 * lane half a warp higher. Their records are then all alike but for the lanes. */
struct row {
    size_t word;
    unsigned count, lanes; /* lanes: of the first word */
};

static bool find_row(const struct warp_event *event, unsigned lanes, const size_t word[32],
                     struct row *row)
{
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

/* Reads a row in which nothing was written in this run, if all its words have the same history;
 * false if each must be looked at. */
static bool read_row(struct touch *touch, const struct row *row)
{
    struct shadow *shadow = touch->shadow;
    struct record *last = &shadow->record[READER][row->word];
    struct more *more = &shadow->more[READER][row->word];
    unsigned lane = (unsigned)__builtin_ctz(row->lanes);

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
        touch->now.others = true;
    }
    touch->now.bytes = 0xf;
    touch->now.several = (row->lanes & (row->lanes - 1)) != 0;
    for (unsigned k = 0; k < row->count; k++) {
        touch->now.thread = touch->warp * WARP_SIZE + lane + k;
        last[k] = touch->now;
    }
    for (unsigned k = 0; touch->now.several && k < row->count; k++)
        more[k] = (struct more){0, row->lanes << k, 0};
    return true;
}

/* ---- a request, address by address ---- */

static void touch_lanes(struct race *race, struct touch *touch, const struct warp_event *event,
                        const size_t word[32])
{
    enum pattern pattern = pattern_of(event, event->lanes);
    size_t locked = SIZE_MAX;

    for (unsigned left = event->lanes; left;) {
        unsigned first = (unsigned)__builtin_ctz(left);
        unsigned lanes = at_one_address(event, pattern, left);
        if (fenced)
            lanes = at_one_position(race, touch->warp, lanes);
        size_t region = word[first] >> LOCK_SHIFT;
        if (!touch->shared && region != locked) {
            if (locked != SIZE_MAX)
                unlock_region(locked);
            lock_region(locked = region);
        }
        touch_address(race, touch, event, lanes, word[first]);
        if (fenced && (touch->operation == EVENT_ATOMIC || touch->is_volatile))
            note_operation(race, touch, event, lanes, word[first]);
        left &= ~lanes;
    }
    if (locked != SIZE_MAX)
        unlock_region(locked);
}

static bool touch_row(struct touch *touch, const struct warp_event *event, const size_t word[32])
{
    struct row row;

    if (event->kind != EVENT_LOAD || fenced || !find_row(event, event->lanes, word, &row) ||
        row.word >> LOCK_SHIFT != (row.word + row.count - 1) >> LOCK_SHIFT)
        return false;
    if (touch->shared)
        return read_row(touch, &row);
    lock_region(row.word >> LOCK_SHIFT);
    bool done = read_row(touch, &row);
    unlock_region(row.word >> LOCK_SHIFT);
    return done;
}

void race_access(struct race *race, const struct warp_event *event, unsigned warp,
                 const size_t word[32], bool shared)
{
    struct touch touch = touch_of(race, event, warp, shared);

    if (event->kind == EVENT_ATOMIC) {
        touch.shadow->atomics = true;
        touch.shadow->scoped |= touch.now.block_scope;
    }
    if (!touch_row(&touch, event, word))
        touch_lanes(race, &touch, event, word);
}

void race_excuse(struct race *race, const struct warp_event *event, unsigned warp,
                 const uint32_t read_pc[32], const size_t word[32], bool shared)
{
    struct touch touch = {.shared = shared};

    for (unsigned left = event->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (read_pc[lane] == 0 ||
            !make_room((void **)&race->excuse, race->excuses, &race->excuse_room, MOST_EXCUSES,
                       sizeof *race->excuse))
            continue;
        touch.word = word[lane];
        race->excuse[race->excuses++] = (struct excuse){.word = name_of(race, &touch),
                                                        .block = race->number,
                                                        .pc = read_pc[lane],
                                                        .thread = warp * WARP_SIZE + lane};
    }
}

bool race_has_conflict(const struct race *race, size_t word)
{
    return race->shared.contended[word] == race->run;
}

bool race_has_global_conflict(size_t word, const struct launch *launch)
{
    return global.contended[word] == run_of_launch(launch->number);
}

/* ---- judgement at the launch's end ---- */

static int by_excuse(const void *x, const void *y)
{
    const struct excuse *a = x, *b = y;

    if (a->pc != b->pc)
        return (int)a->pc - (int)b->pc;
    if (a->word != b->word)
        return a->word < b->word ? -1 : 1;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (int)a->thread - (int)b->thread;
}

struct excuses {
    struct excuse *excuse;
    size_t count;
    bool full; /* not all are here: one of the same place will do */
};

static bool is_excused(const struct excuses *excuses, const struct pair *pair, int end)
{
    const struct actor *read = &pair->end[end], *other = &pair->end[!end];
    struct excuse key = {
        .word = pair->word, .block = read->block, .pc = read->pc, .thread = read->thread};

    if (read->operation != EVENT_LOAD || other->operation != EVENT_ATOMIC)
        return false;
    for (size_t i = 0; excuses->full && i < excuses->count; i++)
        if (excuses->excuse[i].pc == read->pc)
            return true;
    return bsearch(&key, excuses->excuse, excuses->count, sizeof key, by_excuse) != NULL;
}

static bool earlier(const struct pair *a, const struct pair *b)
{
    for (int i = 0; i < 2; i++) {
        if (a->end[i].block != b->end[i].block)
            return a->end[i].block < b->end[i].block;
        if (a->end[i].thread != b->end[i].thread)
            return a->end[i].thread < b->end[i].thread;
    }
    return false;
}

static bool is_note(const struct pair *pair)
{
    return pair->flag || (pair->same_request && pair->equal);
}

static enum finding_kind kind_of(const struct pair *pair)
{
    if (pair->flag)
        return FINDING_VOLATILE_FLAG;
    if (pair->same_request && pair->equal)
        return FINDING_COMMON_STORE;
    return pair->shared ? FINDING_SHARED_RACE : FINDING_GLOBAL_RACE;
}

/* Places at which a race was told: a note on the same place would only distract. */
struct places {
    uint32_t pc[64];
    unsigned count;
};

static bool is_among(const struct places *places, uint32_t pc)
{
    for (unsigned i = 0; i < places->count; i++)
        if (places->pc[i] == pc)
            return true;
    return false;
}

static void remember_places(struct places *places, const struct pair *pair)
{
    for (int i = 0; i < 2; i++)
        if (places->count < 64 && !is_among(places, pair->end[i].pc))
            places->pc[places->count++] = pair->end[i].pc;
}

static void tell_pair(const struct pair *pair, uint64_t count, const struct launch *launch)
{
    struct finding finding = {.kind = kind_of(pair),
                              .launch = launch,
                              .actor = {pair->end[0], pair->end[1]},
                              .actors = 2,
                              .count = count};

    if (pair->same_request)
        snprintf(finding.detail, sizeof finding.detail,
                 "Lanes %u and %u of one warp store %s to one word by the same instruction.",
                 pair->end[0].thread % WARP_SIZE, pair->end[1].thread % WARP_SIZE,
                 pair->equal ? "the same value" : "different values");
    finding_add(&finding);
}

static void judge_group(const struct pair_group *group, const struct excuses *excuses,
                        struct places *places, const struct launch *launch)
{
    const struct pair *first = NULL;
    uint64_t races = 0;

    for (size_t i = 0; i < group->kept; i++) {
        const struct pair *p = &group->pair[i];
        if (is_excused(excuses, p, 0) || is_excused(excuses, p, 1))
            continue;
        races++;
        if (!first || earlier(p, first))
            first = p;
    }
    if (!first)
        return;
    if (!is_note(first))
        remember_places(places, first);
    else if (is_among(places, first->end[0].pc))
        return;
    /* those beyond KEPT, too */
    tell_pair(first, races == group->kept ? group->count : races, launch);
}

static uint8_t operation_of_past(const struct past *past)
{
    return past->kind == PAST_LOAD    ? EVENT_LOAD
           : past->kind == PAST_STORE ? EVENT_STORE
                                      : EVENT_ATOMIC;
}

static struct actor actor_of_past(const struct past *past, unsigned lane)
{
    struct record record = {
        .block = past->block, .pc = past->pc, .wide = past->wide & 3, .bytes = past->bytes & 0xf};
    return actor_of(&record, past->warp * WARP_SIZE + lane, operation_of_past(past));
}

static void keep_unordered(void *race, const struct unordered *u)
{
    keep(race,
         &(struct pair){.shared = u->a->word >> 63,
                        .flag = u->flag,
                        .word = u->a->word,
                        .end = {actor_of_past(u->a, u->lane[0]), actor_of_past(u->b, u->lane[1])}});
}

/* Brings what all OS threads wrote down together; the arrays are the caller's. */
static struct handover gather(struct race *const all[], int count, const struct launch *launch,
                              bool *overflow)
{
    struct handover h = {.threads = (launch->threads + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE};
    size_t syncs = 0, pasts = 0;

    for (int i = 0; i < count; i++) {
        h.syncs += all[i]->syncs;
        h.pasts += all[i]->pasts;
        *overflow |= all[i]->overflow;
    }
    h.room = h.pasts + 1;
    h.sync = malloc((h.syncs + 1) * sizeof *h.sync);
    h.past = malloc(h.room * sizeof *h.past);
    if (!h.sync || !h.past)
        out_of_memory();
    for (int i = 0; i < count; i++) {
        if (all[i]->syncs)
            memcpy(h.sync + syncs, all[i]->sync, all[i]->syncs * sizeof *h.sync);
        if (all[i]->pasts)
            memcpy(h.past + pasts, all[i]->past, all[i]->pasts * sizeof *h.past);
        syncs += all[i]->syncs;
        pasts += all[i]->pasts;
        all[i]->syncs = all[i]->pasts = 0;
        all[i]->overflow = false;
    }
    return h;
}

static bool any_contended(const struct handover *h)
{
    for (size_t i = 0; i < h->pasts; i++)
        if (h->past[i].contended)
            return true;
    return false;
}

/* Where fences are used, it is now that pairs are found. Without any nothing was written down. */
static void judge_handovers(struct race *const all[], int count, const struct launch *launch)
{
    bool overflow = false;
    struct handover h = gather(all, count, launch, &overflow);

    bool judged = !any_contended(&h) || handover_judge(&h, keep_unordered, all[0]);
    if (overflow || !judged)
        end_not_judged("kernel %s synchronises or shares words too often for the race checks",
                       launch->site.kernel);
    free(h.sync);
    free(h.past);
}

static struct excuses gather_excuses(struct race *const all[], int count)
{
    struct excuses excuses = {0};

    for (int i = 0; i < count; i++)
        excuses.count += all[i]->excuses;
    if (!(excuses.excuse = malloc((excuses.count + 1) * sizeof *excuses.excuse)))
        out_of_memory();
    excuses.count = 0;
    for (int i = 0; i < count; i++) {
        if (all[i]->excuses)
            memcpy(excuses.excuse + excuses.count, all[i]->excuse,
                   all[i]->excuses * sizeof *excuses.excuse);
        excuses.count += all[i]->excuses;
        excuses.full |= all[i]->excuses == MOST_EXCUSES;
        all[i]->excuses = 0;
    }
    qsort(excuses.excuse, excuses.count, sizeof *excuses.excuse, by_excuse);
    return excuses;
}

static void judge_groups(struct race *race, const struct excuses *excuses, struct places *places,
                         bool notes, const struct launch *launch)
{
    for (size_t g = 0; g < race->groups; g++)
        if (is_note(&race->group[g].pair[0]) == notes)
            judge_group(&race->group[g], excuses, places, launch);
}

static void forget_groups(struct race *race)
{
    for (size_t g = 0; g < race->groups; g++)
        free(race->group[g].pair);
    race->groups = 0;
}

void race_judge(struct race *const all[], int count, const struct launch *launch)
{
    struct places places = {.count = 0};

    if (count == 0)
        return;
    judge_handovers(all, count, launch);
    struct excuses excuses = gather_excuses(all, count);
    for (int notes = 0; notes < 2; notes++)
        for (int i = 0; i < count; i++)
            judge_groups(all[i], &excuses, &places, notes, launch);
    for (int i = 0; i < count; i++)
        forget_groups(all[i]);
    free(excuses.excuse);
    if (run_of_launch(launch->number + 1) == 1)
        forget_all(&global, memory_words());
}
