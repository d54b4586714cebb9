/* An access, word by word. */
#include "judge/words.h"
#include "judge/array.h"
#include "judge/map.h"

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
    if (words->handover)
        handover_block_begin(words->handover, block, threads);
}

void words_barrier(struct words *words)
{
    order_barrier(&words->order);
    forget_spilled(words);
    if (words->handover)
        handover_barrier(words->handover);
}

/* ---- what is kept where fences are used ---- */

/* What a record says, and what it is of. next: the next one of its word. */
struct kept {
    struct record record;
    struct more more;
    const struct shadow *shadow;
    size_t word;
    uint32_t next, count; /* count: of the word's, from here on */
    uint8_t operation;
    bool exchanges, ordered;
    uint64_t name; /* of first accesses to a word that nobody had written */
};

/* Of a launch; of a word. */
enum { MOST_KEPT = 1 << 22, MOST_OF_WORD = 1 << 12, MOST_FIRST = 1 << 8, FEW_OF_WORD = 16 };
static struct kept *kept;
static size_t kept_count, kept_room;
static uint32_t free_kept; /* the first of those that were dropped, + 1 */
static bool lost;          /* one that is not there was asked for */

static bool is_strong(uint8_t operation, const struct record *record)
{
    return operation == EVENT_ATOMIC || record->is_volatile;
}

static bool writes(uint8_t operation, const struct more *more)
{
    return operation == EVENT_STORE ||
           (operation == EVENT_ATOMIC && standing_of(more->behind).number);
}

static bool scopes_meet(const struct record *a, const struct record *b)
{
    return a->block == b->block || (!a->block_scope && !b->block_scope);
}

static unsigned lanes_of(const struct record *record, const struct more *more)
{
    return record->several ? more->lanes : 1u << record->thread % WARP_SIZE;
}

static struct kept *first_kept(const struct touch *touch)
{
    uint32_t at = touch->shadow->kept[touch->word];
    struct kept *k = at && at <= kept_count ? &kept[at - 1] : NULL;

    return k && k->record.run == touch->now.run && k->word == touch->word &&
                   k->shadow == touch->shadow
               ? k
               : NULL;
}

static bool has_many(const struct touch *touch)
{
    const struct kept *first = first_kept(touch);
    return first && first->count >= FEW_OF_WORD;
}

/* Has the thread learnt of others since that access of its own, or of another thread? Then some of
 * theirs may have come in between whose logs are still to be merged, and which are not ordered
 * behind the older one: it is kept, unless the word has many of these. */
static bool has_learnt(const struct touch *now, const struct more *more)
{
    return now->standing.known && now->standing.known != standing_of(more->standing).known &&
           !has_many(now);
}

/* Is the older access ordered before whatever the newer one is? The same threads did the like, or
 * their block behind a barrier; or an atomic changes what another one left. Of a volatile access,
 * which may be a flag, a plain one stays. */
static bool replaces(const struct words *words, const struct touch *now, const struct record *old,
                     const struct more *more, uint8_t operation)
{
    bool atomic = operation == EVENT_ATOMIC, wrote = writes(operation, more);

    if (old->bytes & ~now->now.bytes || (now->is_volatile && !old->is_volatile) ||
        operation != now->operation || wrote != writes(operation, &now->more) ||
        old->block_scope > now->now.block_scope)
        return false;
    if (has_learnt(now, more))
        return false;
    if (atomic && wrote)
        return scopes_meet(old, &now->now) && (!old->block_scope || has_many(now));
    return old->block == now->now.block &&
           (old->time < words->order.barrier ||
            (old->thread / WARP_SIZE == now->warp && !(lanes_of(old, more) & ~now->lanes)));
}

static struct kept *next_kept(const struct kept *k)
{
    return k->next ? &kept[k->next - 1] : NULL;
}

/* Its number, + 1; 0: there is no room. */
static uint32_t add_kept(const struct kept *k)
{
    uint32_t at = free_kept;

    if (at) {
        free_kept = kept[at - 1].next;
    } else if (array_room((void **)&kept, kept_count, &kept_room, MOST_KEPT, sizeof *kept)) {
        at = (uint32_t)++kept_count;
    } else {
        return 0;
    }
    kept[at - 1] = *k;
    return at;
}

static void keep(const struct touch *touch, const struct record *record, const struct more *more,
                 uint8_t operation)
{
    const struct kept *first = first_kept(touch);
    uint32_t added = 0, count = first ? first->count + 1 : 1;

    if (count <= MOST_OF_WORD)
        added = add_kept(&(struct kept){.record = *record,
                                        .more = *more,
                                        .shadow = touch->shadow,
                                        .word = touch->word,
                                        .next = first ? touch->shadow->kept[touch->word] : 0,
                                        .count = count,
                                        .operation = operation});
    if (added)
        touch->shadow->kept[touch->word] = added;
    else
        touch->shadow->touched[touch->word >> CHUNK_SHIFT] = touch->now.run;
}

/* Of other blocks' atomics the last one stays: those of this block that have its scope race with
 * it. */
static void leave_elsewhere(const struct touch *touch, const struct record *old,
                            const struct more *more)
{
    if (old->block == touch->now.block || old->block_scope || !writes(EVENT_ATOMIC, more))
        return;
    touch->shadow->record[ATOMIC + ELSEWHERE][touch->word] = *old;
    touch->shadow->more[ATOMIC + ELSEWHERE][touch->word] = *more;
}

/* Drops those that the access replaces: of what threads may poll all, else among the last few. */
static void drop_replaced(const struct words *words, const struct touch *touch)
{
    struct kept *first = first_kept(touch), *k = first;
    uint32_t *at = &touch->shadow->kept[touch->word], count = first ? first->count : 0;
    int looks = is_strong(touch->operation, &touch->now) ? MOST_OF_WORD : 4;

    while (k && looks-- > 0) {
        struct kept *next = next_kept(k);
        if (replaces(words, touch, &k->record, &k->more, k->operation)) {
            uint32_t dropped = *at;
            if (k->operation == EVENT_ATOMIC)
                leave_elsewhere(touch, &k->record, &k->more);
            *at = k->next;
            k->record.run = 0;
            k->next = free_kept;
            free_kept = dropped;
            count--;
        } else {
            at = &k->next;
        }
        k = next;
    }
    if (count && (first = first_kept(touch)))
        first->count = count;
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

static bool is_in_order(uint8_t operation, const struct record *record)
{
    return operation == EVENT_ATOMIC || (operation == EVENT_LOAD && record->is_volatile);
}

static struct happened happened(const struct record *record, const struct more *more,
                                const struct standing *standing, unsigned lane)
{
    struct standing behind = standing_of(more->behind);

    return (struct happened){.block = record->block,
                             .time = standing->time,
                             .thread = record->thread / WARP_SIZE * WARP_SIZE + lane,
                             .chain = behind.chain,
                             .number = behind.number};
}

/* Does what fences and atomics handed over order the two lanes' accesses? Warps' logs are merged
 * one after the other, so the older record need not be that of the earlier access. */
static bool is_handed_over(const struct touch *touch, const struct record *old,
                           const struct more *more, uint8_t operation, const unsigned lane[2])
{
    struct standing before = standing_of(more->standing);
    struct happened first = happened(old, more, &before, lane[0]);
    struct happened second = happened(&touch->now, &touch->more, &touch->standing, lane[1]);

    if (standing_knows(&touch->standing, is_in_order(touch->operation, &touch->now), &first))
        return is_in_order(operation, old) ||
               !handover_lacks_fence(&before, &first, &touch->standing, second.block);
    if (standing_knows(&before, is_in_order(operation, old), &second))
        return is_in_order(touch->operation, &touch->now) ||
               !handover_lacks_fence(&touch->standing, &second, &before, first.block);
    return false;
}

/* The same as find_unordered, where fences are used. */
static bool find_not_handed_over(const struct words *words, const struct touch *touch,
                                 const struct record *old, const struct more *more,
                                 uint8_t operation, unsigned lane[2])
{
    bool same_warp = old->block == touch->now.block && old->thread / WARP_SIZE == touch->warp;

    for (unsigned i = lanes_of(old, more); i; i &= i - 1)
        for (unsigned j = touch->lanes; j; j &= j - 1) {
            lane[0] = (unsigned)__builtin_ctz(i);
            lane[1] = (unsigned)__builtin_ctz(j);
            if (same_warp &&
                !order_unordered(&words->order, touch->warp, i & -i, old->time, lane[1]))
                continue;
            if (!is_handed_over(touch, old, more, operation, lane))
                return true;
        }
    return false;
}

/* May it be a flag, of two accesses that nothing orders: both volatile or atomic, and the writer
 * passed a fence before? *reader: which of the two reads; it is one if that passes a fence, or a
 * barrier, later. Then what lies behind is ordered, the word itself is not. Who takes a lock that a
 * volatile store gave back counts as a reader. */
static bool may_be_flag(const struct touch *touch, const struct record *old,
                        const struct more *more, uint8_t operation, int *reader)
{
    bool first = writes(operation, more), second = writes(touch->operation, &touch->more);
    struct standing writer = first ? standing_of(more->behind) : touch->behind;

    *reader = first;
    return is_strong(operation, old) && is_strong(touch->operation, &touch->now) &&
           scopes_meet(old, &touch->now) && writer.fence &&
           (!first || !second || (operation == EVENT_STORE && touch->takes));
}

static void compare_record(struct words *words, const struct touch *touch, const struct record *old,
                           const struct more *more, uint8_t operation)
{
    unsigned lane[2];
    int reader = 0;

    if (!find_unordered(words, touch, old, lanes_of(old, more), lane))
        return;
    touch->shadow->contended[touch->word] = touch->now.run;
    if (words->handover && !find_not_handed_over(words, touch, old, more, operation, lane))
        return;
    bool flag = words->handover && may_be_flag(touch, old, more, operation, &reader);
    pairs_keep(
        &words->pairs,
        &(struct pair){
            .shared = touch->shared,
            .may_be_flag = flag,
            .reader = (uint8_t)reader,
            .time = !flag    ? 0
                    : reader ? touch->standing.time
                             : standing_of(more->standing).time,
            .word = words_name(touch),
            .end = {
                words_actor(old, old->thread / WARP_SIZE * WARP_SIZE + lane[0], operation),
                words_actor(&touch->now, touch->warp * WARP_SIZE + lane[1], touch->operation)}});
}

static inline void compare(struct words *words, const struct touch *touch, int slot)
{
    const struct record *old = &touch->shadow->record[slot][touch->word];

    if (old->run == touch->now.run && old->bytes & touch->now.bytes)
        compare_record(words, touch, old, &touch->shadow->more[slot][touch->word],
                       shadow_operation(slot));
}

/* ---- where fences are used ---- */

/* Was the whole word written between two operations, that is, has another chain begun since the one
 * of the first? Then each is compared with that instead. (Of atomics a chain may end for want of
 * scope.) */
static bool is_overwritten_between(const struct touch *touch, const struct record *old,
                                   const struct more *more, uint8_t operation)
{
    struct standing before = standing_of(more->behind);

    return is_strong(operation, old) && is_strong(touch->operation, &touch->now) &&
           (old->is_volatile || touch->is_volatile) && old->bytes == 0xf &&
           touch->now.bytes == 0xf &&
           (before.chain < touch->behind.before || touch->behind.chain < before.before);
}

static bool conflict(const struct touch *touch, const struct record *old, const struct more *more,
                     uint8_t operation)
{
    if (old->run != touch->now.run || !(old->bytes & touch->now.bytes) ||
        (!writes(operation, more) && !writes(touch->operation, &touch->more)) ||
        is_overwritten_between(touch, old, more, operation))
        return false;
    return operation != EVENT_ATOMIC || touch->operation != EVENT_ATOMIC ||
           !scopes_meet(old, &touch->now);
}

static void compare_slot(struct words *words, const struct touch *touch, int slot)
{
    const struct record *old = &touch->shadow->record[slot][touch->word];
    const struct more *more = &touch->shadow->more[slot][touch->word];

    if (conflict(touch, old, more, shadow_operation(slot)))
        compare_record(words, touch, old, more, shadow_operation(slot));
}

static void compare_all(struct words *words, const struct touch *touch)
{
    for (int slot = WRITER; slot < (touch->shadow->pieces ? ATOMIC : WRITER + 1); slot++)
        compare_slot(words, touch, slot);
    if (touch->shadow->atomics) {
        compare_slot(words, touch, ATOMIC);
        compare_slot(words, touch, ATOMIC + ELSEWHERE);
    }
    if (touch->operation != EVENT_LOAD)
        compare_slot(words, touch, READER);
    for (const struct kept *k = first_kept(touch); k; k = next_kept(k)) {
        if (conflict(touch, &k->record, &k->more, k->operation))
            compare_record(words, touch, &k->record, &k->more, k->operation);
    }
}

static void set_slot(const struct touch *touch, int slot)
{
    record_bits bits = record_load(&touch->now);
    bool several = (touch->lanes & (touch->lanes - 1)) != 0;

    record_store(&touch->shadow->record[slot][touch->word], bits | record_of(0, 0, several, false));
    touch->shadow->more[slot][touch->word] = touch->more;
}

/* The last reader, or atomic, is kept unless the new one replaces it. */
static void remember_read(struct words *words, const struct touch *touch, int set)
{
    struct shadow *shadow = touch->shadow;
    struct record *old = &shadow->record[set][touch->word];
    struct more *more = &shadow->more[set][touch->word];

    if (old->run != touch->now.run) {
        set_slot(touch, set);
        return;
    }
    if (old->block == touch->now.block && old->thread / WARP_SIZE == touch->warp &&
        old->time == touch->now.time && old->pc == touch->now.pc &&
        old->bytes == touch->now.bytes && old->is_volatile == touch->now.is_volatile &&
        standings_alike(more->standing, touch->more.standing) &&
        standings_looked_alike(more->behind, touch->more.behind)) {
        more->lanes = lanes_of(old, more) | touch->lanes;
        old->several = 1;
        return;
    }
    if (set == ATOMIC)
        leave_elsewhere(touch, old, more);
    if (!replaces(words, touch, old, more, shadow_operation(set)))
        keep(touch, old, more, shadow_operation(set));
    if (touch->shadow->kept[touch->word])
        drop_replaced(words, touch);
    set_slot(touch, set);
}

/* A store to the whole word: what came before it is behind it, or in a race with it, which was
 * told. But who sees a volatile one is not behind what its thread did before. */
static void overwrite(const struct touch *touch)
{
    static const int reads[] = {READER, ATOMIC, ATOMIC + ELSEWHERE};
    struct shadow *shadow = touch->shadow;
    struct more none = {.standing = 0};

    if (!touch->is_volatile && shadow->kept[touch->word] && !has_learnt(touch, &none))
        shadow->kept[touch->word] = 0;
    for (int i = 0; i < (shadow->atomics ? 3 : 1); i++) {
        struct record *old = &shadow->record[reads[i]][touch->word];
        struct more *more = &shadow->more[reads[i]][touch->word];
        if (old->run != touch->now.run)
            continue;
        if (reads[i] != ATOMIC + ELSEWHERE && (touch->is_volatile || has_learnt(touch, more)))
            keep(touch, old, more, shadow_operation(reads[i]));
        old->run = 0;
    }
}

static void remember_store(const struct touch *touch)
{
    struct shadow *shadow = touch->shadow;
    bool whole = touch->now.bytes == 0xf;
    struct kept before[4];
    unsigned count = 0;

    for (int k = 0; k < (shadow->pieces ? 4 : 1); k++) {
        struct record *old = &shadow->record[WRITER + k][touch->word];
        struct more *more = &shadow->more[WRITER + k][touch->word];
        if (old->run == touch->now.run && old->bytes & touch->now.bytes &&
            (touch->is_volatile ? !old->is_volatile : has_learnt(touch, more)))
            before[count++] = (struct kept){.record = *old, .more = *more};
    }
    if (whole)
        overwrite(touch);
    while (count-- > 0)
        keep(touch, &before[count].record, &before[count].more, EVENT_STORE);
    if (whole && !shadow->pieces) {
        set_slot(touch, WRITER);
        return;
    }
    shadow->pieces = true;
    const struct record old = shadow->record[WRITER][touch->word];
    for (int k = 0; k < 4; k++) {
        if (whole ? k == 0 : touch->now.bytes >> k & 1) {
            set_slot(touch, WRITER + k);
        } else if (whole) {
            shadow->record[WRITER + k][touch->word].run = 0;
        } else if (k > 0 && old.run == touch->now.run && old.bytes == 0xf) {
            shadow->record[WRITER + k][touch->word] = old;
            shadow->more[WRITER + k][touch->word] = shadow->more[WRITER][touch->word];
        }
    }
}

/* ---- words that nobody had written when an atomic or volatile access came first ---- */

static struct map unwritten; /* their names, */
static struct unwritten_word {
    unsigned bytes, count; /* their bytes; */
    uint32_t last;         /* the last of the accesses to them, as the number of a kept one + 1 */
} * unwritten_word;
static size_t unwritten_room;

void words_unwritten(const struct touch *touch, unsigned bytes)
{
    uint32_t count = unwritten.count, number = map_number(&unwritten, words_name(touch), 0);

    if (number == MAP_NONE || !array_room((void **)&unwritten_word, number, &unwritten_room,
                                          SIZE_MAX, sizeof *unwritten_word))
        array_no_memory();
    if (number == count)
        unwritten_word[number] = (struct unwritten_word){0};
    unwritten_word[number].bytes |= bytes;
}

/* Is the lane's access behind one by any of these lanes, by what their block does? */
static bool is_behind_any(const struct words *words, const struct touch *touch, unsigned lane,
                          const struct kept *k)
{
    unsigned lanes = lanes_of(&k->record, &k->more);

    if (k->record.block != touch->now.block)
        return false;
    return k->record.time < words->order.barrier ||
           (k->record.thread / WARP_SIZE == touch->warp &&
            order_unordered(&words->order, touch->warp, lanes, k->record.time, lane) != lanes);
}

static void remember_first(const struct words *words, const struct touch *touch)
{
    uint32_t number = map_find(&unwritten, words_name(touch), 0), added;
    struct unwritten_word *u = number == MAP_NONE ? NULL : &unwritten_word[number];

    if (!u || !(u->bytes & touch->now.bytes) ||
        (!is_in_order(touch->operation, &touch->now) && touch->operation != EVENT_STORE))
        return;
    for (unsigned left = touch->lanes; left && u->count < MOST_FIRST; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct kept first = {.record = touch->now,
                             .more = touch->more,
                             .next = u->last,
                             .operation = touch->operation,
                             .exchanges = touch->exchanges,
                             .name = words_name(touch)};
        first.record.thread = touch->warp * WARP_SIZE + lane;
        for (const struct kept *k = u->last ? &kept[u->last - 1] : NULL; k; k = next_kept(k))
            first.ordered |= is_behind_any(words, touch, lane, k);
        if ((added = add_kept(&first)) == 0) {
            lost = true;
            return;
        }
        u->last = added;
        u->count++;
    }
}

static bool reads_first(const struct kept *k)
{
    return is_in_order(k->operation, &k->record) && !k->exchanges;
}

/* Is one of the others ordered before it? */
static bool comes_behind(const struct kept *first, const struct kept *read)
{
    struct standing stands = standing_of(read->more.standing);

    for (const struct kept *k = first; k; k = next_kept(k)) {
        struct standing before = standing_of(k->more.standing);
        struct happened h = happened(&k->record, &k->more, &before, k->record.thread % WARP_SIZE);
        if (k != read && standing_knows(&stands, true, &h))
            return true;
    }
    return false;
}

static void judge_unwritten_word(struct pairs *pairs, const struct unwritten_word *u)
{
    const struct kept *all = u->last ? &kept[u->last - 1] : NULL, *first = all;

    while (first && first->next)
        first = next_kept(first);
    for (const struct kept *k = all; k; k = next_kept(k)) {
        const struct kept *other =
            writes(first->operation, &first->more) && !reads_first(first) ? first : k;
        if (k->ordered || !reads_first(k) || comes_behind(all, k))
            continue;
        pairs_keep(pairs,
                   &(struct pair){.shared = k->name >> 63,
                                  .unwritten = true,
                                  .word = k->name,
                                  .end = {words_actor(&k->record, k->record.thread, k->operation),
                                          words_actor(&other->record, other->record.thread,
                                                      other->operation)}});
    }
}

bool words_judge(struct pairs *pairs)
{
    bool all = !lost && !standings_are_full();

    for (uint32_t i = 0; i < unwritten.count; i++)
        judge_unwritten_word(pairs, &unwritten_word[i]);
    map_forget(&unwritten);
    kept_count = free_kept = 0;
    lost = false;
    return all;
}

/* All that is known of the word is compared with the access. */
static void touch_with_fences(struct words *words, const struct touch *touch)
{
    lost |= writes(touch->operation, &touch->more) &&
            touch->shadow->touched[touch->word >> CHUNK_SHIFT] == touch->now.run;
    compare_all(words, touch);
    if (unwritten.count)
        remember_first(words, touch);
    if (touch->operation == EVENT_STORE)
        remember_store(touch);
    else
        remember_read(words, touch, touch->operation == EVENT_ATOMIC ? ATOMIC : READER);
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
            compare_record(words, touch, &s->record, &(struct more){.lanes = s->lanes},
                           shadow_operation(set));
    }
}

/* May lanes of the older record be told as if they were at the newer one's place? */
static bool may_share(const struct touch *touch, int older, int newer)
{
    const struct record *old = &touch->shadow->record[older][touch->word];
    const struct record *now = &touch->shadow->record[newer][touch->word];

    return old->time == now->time && old->bytes == now->bytes && !keeps_old(old, now) &&
           !keeps_old(now, old);
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
    if (may_share(touch, slot, set + LAST))
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

static void set_record(const struct touch *touch, int slot, unsigned lanes, bool others)
{
    bool several = (lanes & (lanes - 1)) != 0;

    record_store(&touch->shadow->record[slot][touch->word],
                 record_load(&touch->now) | record_of(0, 0, several, others));
    if (several)
        touch->shadow->more[slot][touch->word] = (struct more){.lanes = lanes};
}

static void move_record(const struct touch *touch, int from, int to, unsigned lanes)
{
    struct shadow *shadow = touch->shadow;
    struct record *record = &shadow->record[to][touch->word];

    *record = shadow->record[from][touch->word];
    record->thread = record->thread / WARP_SIZE * WARP_SIZE + (unsigned)__builtin_ctz(lanes);
    record->several = (lanes & (lanes - 1)) != 0;
    if (record->several)
        shadow->more[to][touch->word] = (struct more){.lanes = lanes};
}

/* The last reader, or atomic, moves aside for a new one. */
static void remember(struct words *words, const struct touch *touch, int set)
{
    const struct record *old = &touch->shadow->record[set + LAST][touch->word], *now = &touch->now;

    if (old->run != now->run) {
        set_record(touch, set + LAST, touch->lanes, false);
        return;
    }
    unsigned lanes = shadow_lanes(touch->shadow, set + LAST, touch->word), left;
    bool others = old->others;
    if (old->block != now->block) {
        move_record(touch, set + LAST, set + ELSEWHERE, lanes);
        others = true;
    } else if (old->thread / WARP_SIZE != touch->warp) {
        move_record(touch, set + LAST, set + OF_BLOCK, lanes);
        others = true;
    } else if (old->time == now->time && old->bytes == now->bytes && old->pc == now->pc &&
               old->block_scope == now->block_scope && old->is_volatile == now->is_volatile) {
        set_record(touch, set + LAST, lanes | touch->lanes, others);
        return;
    } else {
        left = keeps_old(old, now) ? lanes : lanes & ~touch->lanes;
        if (left) {
            left |= spill_record(words, touch, set);
            move_record(touch, set + LAST, set + OF_WARP, left);
            others = true;
        }
    }
    set_record(touch, set + LAST, touch->lanes, others);
}

static void remember_atomic(struct words *words, const struct touch *touch)
{
    remember(words, touch, ATOMIC);
    if (touch->now.block_scope)
        set_record(touch, SCOPED, touch->lanes, false);
}

/* A word that was written as a whole, or not at all, is now written in part. */
static void set_writer(const struct touch *touch)
{
    const struct record *whole = &touch->shadow->record[WRITER][touch->word];

    if (touch->now.bytes == 0xf) {
        set_record(touch, WRITER, touch->lanes, false);
        return;
    }
    touch->shadow->pieces = true;
    if (whole->run == touch->now.run && whole->bytes == 0xf)
        for (int k = 1; k < 4; k++)
            move_record(touch, WRITER, WRITER + k,
                        shadow_lanes(touch->shadow, WRITER, touch->word));
    for (int k = 0; k < 4; k++)
        if (touch->now.bytes >> k & 1)
            set_record(touch, WRITER + k, touch->lanes, false);
}

void words_touch(struct words *words, const struct touch *touch)
{
    struct shadow *shadow = touch->shadow;

    if (words->handover) {
        touch_with_fences(words, touch);
        return;
    }
    uint32_t *touched = &shadow->touched[touch->word >> CHUNK_SHIFT];
    if (touch->operation == EVENT_LOAD && *touched != touch->now.run) {
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

    if (touch->operation == EVENT_LOAD)
        remember(words, touch, READER);
    else if (touch->operation == EVENT_ATOMIC)
        remember_atomic(words, touch);
    else
        set_writer(touch);
}