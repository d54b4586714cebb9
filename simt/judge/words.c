/* An access, word by word. */
#include "judge/words.h"
#include "judge/array.h"

#include <stdlib.h>

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

static void forget_spilled(struct words *words)
{
    words->spill_stamp++;
    words->spills = 0;
}

void words_block_begin(struct words *words, uint32_t block, unsigned threads)
{
    order_block_begin(&words->order);
    forget_spilled(words);
    if (words->fenced)
        journal_block_begin(&words->journal, block, threads);
}

void words_barrier(struct words *words)
{
    order_barrier(&words->order);
    forget_spilled(words);
    if (words->fenced)
        journal_barrier(&words->journal);
}

/* ---- what is written down ---- */

/* Writes down what a record knows of a plain access; what is atomic or volatile stands among the
 * synchronisation. */
static void write_down_record(struct words *words, const struct touch *touch, int slot,
                              bool contended)
{
    const struct record *r = &touch->shadow->record[slot][touch->word];
    const struct more *more = &touch->shadow->more[slot][touch->word];

    if (r->run != touch->now.run || shadow_operation(slot) == EVENT_ATOMIC || r->is_volatile)
        return;
    journal_access(&words->journal,
                   &(struct past){.word = words_name(touch),
                                  .position = more->position,
                                  .block = r->block,
                                  .lanes = shadow_lanes(touch->shadow, slot, touch->word),
                                  .pc = r->pc,
                                  .epoch = more->epoch,
                                  .warp = (uint8_t)(r->thread / WARP_SIZE),
                                  .kind = slot < ATOMIC ? PAST_STORE : PAST_LOAD,
                                  .bytes = r->bytes,
                                  .wide = r->wide,
                                  .contended = contended});
}

static void write_down_touch(struct words *words, const struct touch *touch)
{
    if (touch->operation == EVENT_ATOMIC || touch->is_volatile)
        return;
    journal_access(&words->journal,
                   &(struct past){.word = words_name(touch),
                                  .position = touch->position,
                                  .block = touch->now.block,
                                  .lanes = touch->lanes,
                                  .pc = touch->now.pc,
                                  .epoch = touch->epoch,
                                  .warp = (uint8_t)touch->warp,
                                  .kind = touch->operation == EVENT_STORE ? PAST_STORE : PAST_LOAD,
                                  .bytes = touch->now.bytes,
                                  .wide = touch->now.wide,
                                  .contended = true});
}

/* From here on all accesses to the word are written down, those that are known first. */
static void contend(struct words *words, const struct touch *touch)
{
    if (touch->shadow->contended[touch->word] == touch->now.run)
        return;
    touch->shadow->contended[touch->word] = touch->now.run;
    if (!words->fenced)
        return;
    /* if all are atomic or volatile, this alone says that the word is to be judged */
    journal_access(&words->journal, &(struct past){.word = words_name(touch), .contended = true});
    for (int slot = 0; slot < SLOTS; slot++)
        write_down_record(words, touch, slot, true);
}

struct actor words_actor(const struct record *record, unsigned thread, uint8_t operation)
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
static bool find_unordered(const struct words *words, const struct touch *touch,
                           const struct record *old, unsigned lanes, unsigned lane[2])
{
    lane[0] = (unsigned)__builtin_ctz(lanes);
    lane[1] = (unsigned)__builtin_ctz(touch->lanes);
    if (old->block != touch->now.block)
        return true;
    if (old->time < words->order.barrier)
        return false;
    if (old->thread / WARP_SIZE != touch->warp)
        return true;
    for (unsigned left = touch->lanes; left; left &= left - 1) {
        lane[1] = (unsigned)__builtin_ctz(left);
        unsigned unordered = order_unordered(&words->order, touch->warp, lanes, old->time, lane[1]);
        if (unordered) {
            lane[0] = (unsigned)__builtin_ctz(unordered);
            return true;
        }
    }
    return false;
}

static void compare_record(struct words *words, const struct touch *touch, const struct record *old,
                           unsigned lanes, uint8_t operation)
{
    unsigned lane[2];

    if (!find_unordered(words, touch, old, lanes, lane))
        return;
    contend(words, touch);
    if (words->fenced)
        return;
    pairs_keep(
        &words->pairs,
        &(struct pair){
            .shared = touch->shared,
            .word = words_name(touch),
            .end = {
                words_actor(old, old->thread / WARP_SIZE * WARP_SIZE + lane[0], operation),
                words_actor(&touch->now, touch->warp * WARP_SIZE + lane[1], touch->operation)}});
}

static inline void compare(struct words *words, const struct touch *touch, int slot)
{
    const struct record *old = &touch->shadow->record[slot][touch->word];

    if (old->run == touch->now.run && old->bytes & touch->now.bytes)
        compare_record(words, touch, old, shadow_lanes(touch->shadow, slot, touch->word),
                       shadow_operation(slot));
}

/* ---- what the records have no room for ---- */

/* Can the older access of a thread be in a race that its newer one is not in? What is volatile may
 * be a flag. */
static bool keeps_old(const struct record *old, const struct record *now)
{
    return old->bytes & ~now->bytes || (old->block_scope && !now->block_scope) ||
           (!old->is_volatile && now->is_volatile);
}

/* The next entry for the word in the hash table, from *at on; false when there are no more: *at is
 * then a free one. */
static bool next_spilled(const struct words *words, const struct touch *touch, int set, size_t *at)
{
    for (size_t i = *at;; i++) {
        struct spilled *s = &words->spilled[i % MOST_SPILLED];
        *at = i;
        if (s->stamp != words->spill_stamp)
            return false;
        if (s->word == touch->word && s->shadow == touch->shadow && s->set == set)
            return true;
    }
}

static size_t spill_begin(const struct touch *touch, int set)
{
    return (touch->word * 0x9E3779B1u + (size_t)set + touch->shared) % MOST_SPILLED;
}

/* False: there is no room. */
static bool spill(struct words *words, const struct touch *touch, int set,
                  const struct record *record, unsigned lanes)
{
    size_t at = spill_begin(touch, set), empty = SIZE_MAX;

    if (!words->spilled && !(words->spilled = calloc(MOST_SPILLED, sizeof *words->spilled)))
        array_no_memory();
    for (; next_spilled(words, touch, set, &at); at++) {
        struct spilled *s = &words->spilled[at % MOST_SPILLED];
        if (!keeps_old(&s->record, record))
            s->lanes &= ~lanes;
        if (s->lanes == 0)
            empty = at;
    }
    if (empty == SIZE_MAX && words->spills >= MOST_SPILLED * 3 / 4)
        return false;
    words->spills += empty == SIZE_MAX;
    words->spilled[(empty == SIZE_MAX ? at : empty) % MOST_SPILLED] = (struct spilled){
        words->spill_stamp, lanes, touch->shadow, touch->word, *record, (uint8_t)set};
    return true;
}

static void compare_spilled(struct words *words, const struct touch *touch, int set)
{
    for (size_t at = spill_begin(touch, set); next_spilled(words, touch, set, &at); at++) {
        const struct spilled *s = &words->spilled[at % MOST_SPILLED];
        if (s->lanes && s->record.bytes & touch->now.bytes)
            compare_record(words, touch, &s->record, s->lanes, shadow_operation(set));
    }
}

/* May lanes of the older record be told as if they were at the newer one's place? */
static bool may_share(const struct words *words, const struct touch *touch, int older, int newer)
{
    const struct shadow *shadow = touch->shadow;
    const struct record *old = &shadow->record[older][touch->word];
    const struct record *now = &shadow->record[newer][touch->word];

    return old->time == now->time && old->bytes == now->bytes && !keeps_old(old, now) &&
           !keeps_old(now, old) &&
           (!words->fenced ||
            shadow->more[older][touch->word].position == shadow->more[newer][touch->word].position);
}

/* The last record of the set is about to replace an earlier one: if that is one of this warp's and
 * not ordered before all that follows, it is kept elsewhere. Returns the lanes for which there is
 * no room: they shall share the new record. */
static unsigned spill_record(struct words *words, const struct touch *touch, int set)
{
    int slot = set + OF_WARP;
    const struct record *old = &touch->shadow->record[slot][touch->word];
    unsigned lanes;

    if (old->run != touch->now.run || old->block != touch->now.block ||
        old->time < words->order.barrier || old->thread / WARP_SIZE != touch->warp)
        return 0;
    lanes = shadow_lanes(touch->shadow, slot, touch->word);
    if (spill(words, touch, set, old, lanes))
        return 0;
    if (may_share(words, touch, slot, set + LAST))
        return lanes;
    words->overflow = true;
    return 0;
}

/* With all readers, or all atomics, of the word. */
static void compare_set(struct words *words, const struct touch *touch, int set)
{
    compare(words, touch, set);
    if (!touch->shadow->record[set][touch->word].others)
        return;
    for (int slot = set + OF_WARP; slot <= set + ELSEWHERE; slot++)
        compare(words, touch, slot);
    if (words->spills)
        compare_spilled(words, touch, set);
}

/* Atomics of different blocks race where one of them has block scope. */
static void compare_scopes(struct words *words, const struct touch *touch)
{
    for (int slot = ATOMIC; slot <= SCOPED; slot++) {
        const struct record *old = &touch->shadow->record[slot][touch->word];
        if (old->block != touch->now.block && (old->block_scope || touch->now.block_scope))
            compare(words, touch, slot);
    }
}

/* Could this atomic have come before the word's first write, an atomicExch? Another store that
 * nothing orders behind that comes before what its own thread does: then nothing is told. */
static void compare_first(struct words *words, const struct touch *touch)
{
    struct record *first = &touch->shadow->record[FIRST][touch->word];
    unsigned lane[2], thread = touch->warp * WARP_SIZE;

    if (first->run != touch->now.run || !(first->bytes & touch->now.bytes) ||
        !find_unordered(words, touch, first, 1u << first->thread % WARP_SIZE, lane))
        return;
    if (touch->exchanges || touch->operation == EVENT_STORE)
        first->bytes = 0;
    else
        pairs_keep(&words->pairs,
                   &(struct pair){.shared = touch->shared,
                                  .unwritten = true,
                                  .word = words_name(touch),
                                  .end = {words_actor(&touch->now, thread + lane[1], EVENT_ATOMIC),
                                          words_actor(first, first->thread, EVENT_ATOMIC)}});
}

static void set_record(const struct words *words, const struct touch *touch, int slot,
                       unsigned lanes, bool others)
{
    bool several = (lanes & (lanes - 1)) != 0;

    record_store(&touch->shadow->record[slot][touch->word],
                 record_load(&touch->now) | record_of(0, 0, several, others));
    if (several || words->fenced)
        touch->shadow->more[slot][touch->word] =
            (struct more){touch->position, lanes, touch->epoch};
}

static void move_record(struct words *words, const struct touch *touch, int from, int to,
                        unsigned lanes)
{
    struct shadow *shadow = touch->shadow;
    struct record *record = &shadow->record[to][touch->word];
    const struct more *more = &shadow->more[from][touch->word];

    if (words->fenced)
        write_down_record(words, touch, to, false);
    *record = shadow->record[from][touch->word];
    record->thread = record->thread / WARP_SIZE * WARP_SIZE + (unsigned)__builtin_ctz(lanes);
    record->several = (lanes & (lanes - 1)) != 0;
    if (record->several || words->fenced)
        shadow->more[to][touch->word] = (struct more){more->position, lanes, more->epoch};
}

/* Where fences are used, what is judged later may have come in between: another warp's access,
 * which is ordered before the newer one and not behind the older one. Then the older one must be
 * known. Not if whoever made the newer one learnt nothing from others since: by any operation at
 * all, or, the same thread, by one behind the older access. Nor is anything left to come in between
 * in shared memory behind a barrier. Of a volatile access, which may be a flag, a plain one is
 * kept. */
static void forget_record(struct words *words, const struct touch *touch, int slot)
{
    const struct record *old = &touch->shadow->record[slot][touch->word];
    uint64_t before = touch->shadow->more[slot][touch->word].position >> POSITION_SERIAL_BITS;
    uint64_t now = touch->position >> POSITION_SERIAL_BITS;
    bool same_threads = old->block == touch->now.block && old->thread / WARP_SIZE == touch->warp &&
                        !(shadow_lanes(touch->shadow, slot, touch->word) & ~touch->lanes);

    if (old->run != touch->now.run || (touch->shared && old->time < words->order.barrier))
        return;
    if (touch->is_volatile || (now != 0 && !(same_threads && now == before)))
        write_down_record(words, touch, slot, false);
}

static void forget_writes(struct words *words, const struct touch *touch)
{
    for (int k = 0; words->fenced && k < 4; k++)
        if (touch->shadow->record[WRITER + k][touch->word].bytes & touch->now.bytes)
            forget_record(words, touch, WRITER + k);
}

/* May the access share the record, of the same warp and clock? What is atomic or volatile is found
 * among the synchronisation, where fences are used: of these the record need not say more. */
static bool same_place(const struct words *words, const struct touch *touch, int slot)
{
    const struct record *old = &touch->shadow->record[slot][touch->word], *now = &touch->now;

    if (old->block_scope != now->block_scope || old->is_volatile != now->is_volatile)
        return false;
    if (words->fenced && (touch->operation == EVENT_ATOMIC || now->is_volatile))
        return true;
    return old->pc == now->pc &&
           (!words->fenced || touch->shadow->more[slot][touch->word].position == touch->position);
}

/* The last reader, or atomic, moves aside for a new one. */
static void remember(struct words *words, const struct touch *touch, int set)
{
    const struct record *old = &touch->shadow->record[set + LAST][touch->word], *now = &touch->now;

    if (old->run != now->run) {
        set_record(words, touch, set + LAST, touch->lanes, false);
        return;
    }
    unsigned lanes = shadow_lanes(touch->shadow, set + LAST, touch->word), left;
    bool others = old->others;
    if (old->block != now->block) {
        move_record(words, touch, set + LAST, set + ELSEWHERE, lanes);
        others = true;
    } else if (old->thread / WARP_SIZE != touch->warp) {
        move_record(words, touch, set + LAST, set + OF_BLOCK, lanes);
        others = true;
    } else if (old->time == now->time && old->bytes == now->bytes &&
               same_place(words, touch, set + LAST)) {
        set_record(words, touch, set + LAST, lanes | touch->lanes, others);
        return;
    } else {
        left = keeps_old(old, now) ? lanes : lanes & ~touch->lanes;
        if (words->fenced && left != lanes)
            forget_record(words, touch, set + LAST);
        if (left) {
            left |= spill_record(words, touch, set);
            move_record(words, touch, set + LAST, set + OF_WARP, left);
            others = true;
        }
    }
    set_record(words, touch, set + LAST, touch->lanes, others);
}

static void remember_atomic(struct words *words, const struct touch *touch)
{
    remember(words, touch, ATOMIC);
    if (touch->now.block_scope)
        set_record(words, touch, SCOPED, touch->lanes, false);
}

/* A word that was written as a whole, or not at all, is now written in part. */
static void set_writer(struct words *words, const struct touch *touch)
{
    const struct record *whole = &touch->shadow->record[WRITER][touch->word];

    forget_writes(words, touch);

    if (touch->now.bytes == 0xf) {
        set_record(words, touch, WRITER, touch->lanes, false);
        return;
    }
    touch->shadow->pieces = true;
    if (whole->run == touch->now.run && whole->bytes == 0xf)
        for (int k = 1; k < 4; k++)
            move_record(words, touch, WRITER, WRITER + k,
                        shadow_lanes(touch->shadow, WRITER, touch->word));
    for (int k = 0; k < 4; k++)
        if (touch->now.bytes >> k & 1)
            set_record(words, touch, WRITER + k, touch->lanes, false);
}

void words_touch(struct words *words, const struct touch *touch)
{
    struct shadow *shadow = touch->shadow;

    if (words->fenced && shadow->contended[touch->word] == touch->now.run) {
        write_down_touch(words, touch);
        return;
    }
    uint32_t *touched = &shadow->touched[touch->word >> CHUNK_SHIFT];
    if (touch->operation == EVENT_LOAD && *touched != touch->now.run && !words->fenced) {
        remember(words, touch, READER);
        return;
    }
    if (touch->operation != EVENT_LOAD)
        *touched = touch->now.run;
    compare(words, touch, WRITER);
    if (shadow->pieces)
        for (int k = 1; k < 4; k++)
            compare(words, touch, WRITER + k);
    if (touch->operation != EVENT_ATOMIC && shadow->atomics)
        compare_set(words, touch, ATOMIC);
    if (touch->operation == EVENT_ATOMIC && shadow->scoped)
        compare_scopes(words, touch);
    if (touch->operation != EVENT_LOAD && shadow->first)
        compare_first(words, touch);
    if (touch->operation != EVENT_LOAD)
        compare_set(words, touch, READER);

    if (words->fenced && shadow->contended[touch->word] == touch->now.run)
        write_down_touch(words, touch);
    else if (touch->operation == EVENT_LOAD)
        remember(words, touch, READER);
    else if (touch->operation == EVENT_ATOMIC)
        remember_atomic(words, touch);
    else
        set_writer(words, touch);
}