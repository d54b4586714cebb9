/* An access, word by word. */
#include "judge/words.h"
#include "judge/array.h"
#include "judge/first.h"
#include "judge/pairs.h"

#include <string.h>

void words_block_begin(struct words *words, uint32_t block, unsigned threads)
{
    order_block_begin(&words->order);
    if (words->handover)
        handover_block_begin(words->handover, block, threads);
}

void words_barrier(struct words *words)
{
    order_barrier(&words->order);
    if (words->handover)
        handover_barrier(words->handover);
}

static bool scopes_meet(const struct record *a, const struct record *b)
{
    return a->block == b->block || (!a->block_scope && !b->block_scope);
}

static unsigned lanes_of(const struct record *record, const struct more *more)
{
    return record->several ? more->lanes : 1u << record->thread % WARP_SIZE;
}

/* ---- what orders two accesses ---- */

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

static bool is_strong(uint8_t operation, const struct record *record)
{
    return operation == EVENT_ATOMIC || record->is_volatile;
}

static bool is_in_order(uint8_t operation, const struct record *record)
{
    return operation == EVENT_ATOMIC || (operation == EVENT_LOAD && record->is_volatile);
}

/* Does what fences and atomics handed over order the two lanes' accesses? Warps' logs are merged
 * one after the other, so the older record need not be that of the earlier access. */
static bool is_handed_over(const struct touch *touch, const struct record *old,
                           const struct more *more, uint8_t operation, const unsigned lane[2])
{
    struct standing before = standing_of(more->standing);
    struct happened first = touch_happened(old, more, lane[0]);
    struct happened second = touch_happened(&touch->now, &touch->more, lane[1]);

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

/* ---- pairs ---- */

/* Was the whole word written between two operations, that is, has another chain begun since the one
 * of the first? Then each is compared with that instead. (Of atomics a chain may end for want of
 * scope.) */
static bool is_overwritten_between(const struct touch *touch, const struct record *old,
                                   const struct more *more, uint8_t operation)
{
    if (!is_strong(operation, old) || !is_strong(touch->operation, &touch->now) ||
        (!old->is_volatile && !touch->is_volatile) || (old->bytes & touch->now.bytes) != 0xf)
        return false;
    struct standing before = standing_of(more->behind), now = standing_of(touch->more.behind);
    return before.chain < now.before || now.chain < before.before;
}

static bool conflict(const struct touch *touch, const struct record *old, const struct more *more,
                     uint8_t operation)
{
    if (old->run != touch->now.run || !(old->bytes & touch->now.bytes) ||
        (!old->writes && !touch->now.writes) || is_overwritten_between(touch, old, more, operation))
        return false;
    return operation != EVENT_ATOMIC || touch->operation != EVENT_ATOMIC ||
           !scopes_meet(old, &touch->now);
}

/* Is one of them a volatile look at what the other one changes by an atomic? */
static bool looks_at_atomic(const struct touch *touch, const struct record *old, uint8_t operation)
{
    return (touch->operation == EVENT_LOAD && touch->is_volatile && operation == EVENT_ATOMIC) ||
           (operation == EVENT_LOAD && old->is_volatile && touch->operation == EVENT_ATOMIC);
}

/* May it be a flag, of two accesses that nothing orders: both volatile or atomic, and the writer
 * passed a fence before? It is one if the other passes a fence, or a barrier, later, and saw what
 * was written. Then what lies behind is ordered, the word itself is not. Who takes a lock that a
 * volatile store gave back counts as a reader. */
static bool may_be_flag(const struct touch *touch, const struct record *old,
                        const struct more *more, uint8_t operation)
{
    return is_strong(operation, old) && is_strong(touch->operation, &touch->now) &&
           standing_of(old->writes ? more->behind : touch->more.behind).fence &&
           (!old->writes || !touch->now.writes || (operation == EVENT_STORE && touch->takes));
}

/* True: there is a pair. */
static bool compare(struct words *words, const struct touch *touch, const struct record *old,
                    const struct more *more, uint8_t operation)
{
    unsigned lane[2], thread = old->thread / WARP_SIZE * WARP_SIZE;

    if (!conflict(touch, old, more, operation) ||
        !find_unordered(words, touch, old, lanes_of(old, more), lane))
        return false;
    touch->shadow->contended[touch->word] = touch->now.run;
    if (words->handover && !find_not_handed_over(words, touch, old, more, operation, lane))
        return false;
    struct pair pair = {
        .shared = touch->shared,
        .word = touch_name(touch),
        .end = {touch_actor(old, thread + lane[0], operation),
                touch_actor(&touch->now, touch->warp * WARP_SIZE + lane[1], touch->operation)}};
    if (scopes_meet(old, &touch->now)) {
        pair.flag = looks_at_atomic(touch, old, operation);
        pair.may_be_flag =
            !pair.flag && words->handover && may_be_flag(touch, old, more, operation);
    }
    if (pair.may_be_flag) { /* the writer first */
        const struct more *writer = old->writes ? more : &touch->more;
        const struct more *reader = old->writes ? &touch->more : more;
        struct actor end[] = {pair.end[!old->writes], pair.end[old->writes]};
        memcpy(pair.end, end, sizeof end);
        pair.time = standing_of(reader->standing).time;
        pair.saw = standing_of(reader->behind).before == standing_of(writer->behind).chain;
    }
    pairs_keep(&pair);
    return true;
}

static inline bool compare_slot(struct words *words, const struct touch *touch, int slot)
{
    const struct record *old = &touch->shadow->record[slot][touch->word];

    return old->run == touch->now.run &&
           compare(words, touch, old, &touch->shadow->more[slot][touch->word],
                   shadow_operation(slot));
}

static struct kept *first_kept(const struct touch *touch)
{
    return kept_first(touch->shadow, touch->word, touch->now.run);
}

static bool compare_all(struct words *words, const struct touch *touch)
{
    const struct shadow *shadow = touch->shadow;

    bool found = compare_slot(words, touch, WRITER);
    for (int slot = WRITER + 1; shadow->pieces && slot < ATOMIC; slot++)
        found |= compare_slot(words, touch, slot);
    if (shadow->atomics && (touch->operation != EVENT_ATOMIC || shadow->scoped)) {
        found |= compare_slot(words, touch, ATOMIC);
        found |= compare_slot(words, touch, ATOMIC_ELSEWHERE);
    }
    if (touch->operation != EVENT_LOAD)
        found |= compare_slot(words, touch, READER);
    for (const struct kept *k = first_kept(touch); k; k = kept_next(k))
        found |= compare(words, touch, &k->record, &k->more, k->operation);
    return found;
}

/* ---- what is remembered ---- */

enum { FEW = 16 };

static bool has_many(const struct touch *touch)
{
    const struct kept *first = first_kept(touch);
    return first && first->count >= FEW;
}

/* Has the thread learnt of others since that access of its own, or of another thread? Then some of
 * theirs may have come in between whose logs are still to be merged, and which are not ordered
 * behind the older one: it is kept, unless the word has many of these. */
static bool has_learnt(const struct touch *now, const struct more *more)
{
    return now->standing.known && now->standing.known != standing_of(more->standing).known &&
           !has_many(now);
}

/* The lanes of the older access that are not ordered before whatever the newer one is. Those are
 * that did the like, or whose block passed a barrier since; and where fences are used, if an atomic
 * changes what another one left. Of a volatile access, which may be a flag, a plain one stays. */
static unsigned left_of(const struct words *words, const struct touch *now,
                        const struct record *old, const struct more *more, uint8_t operation)
{
    unsigned lanes = lanes_of(old, more);

    if (old->bytes & ~now->now.bytes || (now->is_volatile && !old->is_volatile) ||
        operation != now->operation || old->writes != now->now.writes ||
        old->block_scope > now->now.block_scope || has_learnt(now, more))
        return lanes;
    if (words->handover && operation == EVENT_ATOMIC && old->writes)
        return scopes_meet(old, &now->now) && (!old->block_scope || has_many(now)) ? 0 : lanes;
    if (old->block != now->now.block)
        return lanes;
    if (old->time < words->order.barrier)
        return 0;
    return old->thread / WARP_SIZE == now->warp ? lanes & ~now->lanes : lanes;
}

/* Where only barriers order, a write that races with one of these races with all: of accesses of
 * one kind those of the warp of the last one, of its block, and elsewhere. */
static bool are_alike(const struct touch *now, const struct kept *a, const struct kept *b)
{
    if (a->operation != b->operation || a->record.block_scope != b->record.block_scope ||
        a->record.bytes & ~b->record.bytes)
        return false;
    if (a->record.block != now->now.block || b->record.block != now->now.block)
        return a->record.block != now->now.block && b->record.block != now->now.block;
    return a->record.thread / WARP_SIZE != now->warp && b->record.thread / WARP_SIZE != now->warp;
}

/* Of other blocks' atomics the last one stays: those of this block that have its scope race with
 * it. */
static void leave_elsewhere(const struct touch *touch, const struct record *old,
                            const struct more *more)
{
    if (old->block == touch->now.block || old->block_scope || !old->writes)
        return;
    touch->shadow->record[ATOMIC_ELSEWHERE][touch->word] = *old;
    touch->shadow->more[ATOMIC_ELSEWHERE][touch->word] = *more;
}

static void keep(const struct touch *touch, const struct kept *k)
{
    if (!kept_add(k))
        touch->shadow->crowded[touch->word >> CHUNK_SHIFT] = touch->now.run;
}

/* Drops what is no longer needed behind this access, and beside `added`, which is about to be kept:
 * of what threads may poll all, else among the last few. */
static void drop_needless(const struct words *words, const struct touch *touch,
                          const struct kept *added)
{
    int looks = is_strong(touch->operation, &touch->now) ? INT32_MAX : 4;
    struct kept *before = NULL, *next;

    for (struct kept *k = first_kept(touch); k && looks-- > 0; k = next) {
        unsigned lanes = lanes_of(&k->record, &k->more);
        unsigned left = left_of(words, touch, &k->record, &k->more, k->operation);
        next = kept_next(k);
        if (left == 0 || (!words->handover && added && are_alike(touch, k, added))) {
            if (words->handover && k->operation == EVENT_ATOMIC)
                leave_elsewhere(touch, &k->record, &k->more);
            kept_drop(before, k);
            continue;
        }
        if (left != lanes) {
            k->record.several = 1;
            k->more.lanes = left;
        }
        before = k;
    }
}

static void set_slot(const struct words *words, const struct touch *touch, int slot)
{
    bool several = (touch->lanes & (touch->lanes - 1)) != 0;

    record_store(&touch->shadow->record[slot][touch->word],
                 record_load(&touch->now) | record_of(0, 0, several, false));
    if (several || words->handover)
        touch->shadow->more[slot][touch->word] = touch->more;
}

/* The last reader, or atomic, is kept unless it is needless now. */
static void remember_read(const struct words *words, const struct touch *touch, int set)
{
    struct record *old = &touch->shadow->record[set][touch->word],
                  *now = (struct record *)&touch->now;
    struct more *more = &touch->shadow->more[set][touch->word];
    struct kept k = {.shadow = touch->shadow, .word = touch->word, .operation = touch->operation};
    unsigned left;

    if (old->run != now->run) {
        set_slot(words, touch, set);
        return;
    }
    if (old->block == now->block && old->thread / WARP_SIZE == touch->warp &&
        old->time == now->time && old->pc == now->pc && old->bytes == now->bytes &&
        old->is_volatile == now->is_volatile && old->block_scope == now->block_scope &&
        (!words->handover || (standings_alike(more->standing, touch->more.standing) &&
                              standings_looked_alike(more->behind, touch->more.behind)))) {
        more->lanes = lanes_of(old, more) | touch->lanes;
        old->several = 1;
        return;
    }
    if (words->handover && set == ATOMIC)
        leave_elsewhere(touch, old, more);
    left = left_of(words, touch, old, more, touch->operation);
    k.record = *old;
    k.more = *more;
    k.more.lanes = left;
    k.record.several = 1;
    if (touch->shadow->kept[touch->word])
        drop_needless(words, touch, left ? &k : NULL);
    if (left)
        keep(touch, &k);
    set_slot(words, touch, set);
}

/* Where fences are used, a store to the whole word: what came before it is ordered before whatever
 * it is. But who sees a volatile one is not behind what its thread did before. */
static void overwrite(const struct touch *touch)
{
    static const int reads[] = {READER, ATOMIC, ATOMIC_ELSEWHERE};
    struct shadow *shadow = touch->shadow;
    struct more none = {.standing = 0};

    if (!touch->is_volatile && shadow->kept[touch->word] && !has_learnt(touch, &none))
        shadow->kept[touch->word] = 0;
    for (int i = 0; i < (shadow->atomics ? 3 : 1); i++) {
        struct record *old = &shadow->record[reads[i]][touch->word];
        struct more *more = &shadow->more[reads[i]][touch->word];
        if (old->run != touch->now.run)
            continue;
        if (reads[i] != ATOMIC_ELSEWHERE && (touch->is_volatile || has_learnt(touch, more)))
            keep(touch, &(struct kept){.record = *old,
                                       .more = *more,
                                       .shadow = shadow,
                                       .word = touch->word,
                                       .operation = shadow_operation(reads[i])});
        old->run = 0;
    }
}

/* The same, and older stores that a volatile one does not replace, or of which the thread has
 * learnt since. */
static void replace_stores(const struct touch *touch)
{
    struct shadow *shadow = touch->shadow;
    struct kept before[4];
    unsigned count = 0;

    for (int k = 0; k < (shadow->pieces ? 4 : 1); k++) {
        struct record *old = &shadow->record[WRITER + k][touch->word];
        struct more *more = &shadow->more[WRITER + k][touch->word];
        if (old->run == touch->now.run && old->bytes & touch->now.bytes &&
            (touch->is_volatile ? !old->is_volatile : has_learnt(touch, more)))
            before[count++] = (struct kept){.record = *old,
                                            .more = *more,
                                            .shadow = shadow,
                                            .word = touch->word,
                                            .operation = EVENT_STORE};
    }
    if (touch->now.bytes == 0xf)
        overwrite(touch);
    while (count-- > 0)
        keep(touch, &before[count]);
}

/* A word that was written as a whole, or not at all, may now be written in part. */
static void remember_store(const struct words *words, const struct touch *touch, bool raced)
{
    struct shadow *shadow = touch->shadow;
    bool whole = touch->now.bytes == 0xf;

    if (words->handover && !raced)
        replace_stores(touch);
    if (whole && !shadow->pieces) {
        set_slot(words, touch, WRITER);
        return;
    }
    shadow->pieces = true;
    const struct record old = shadow->record[WRITER][touch->word];
    for (int k = 0; k < 4; k++) {
        if (whole ? k == 0 : touch->now.bytes >> k & 1) {
            set_slot(words, touch, WRITER + k);
        } else if (whole) {
            if (shadow->record[WRITER + k][touch->word].run)
                shadow->record[WRITER + k][touch->word].run = 0;
        } else if (k > 0 && old.run == touch->now.run && old.bytes == 0xf) {
            shadow->record[WRITER + k][touch->word] = old;
            shadow->more[WRITER + k][touch->word] = shadow->more[WRITER][touch->word];
        }
    }
}

static bool lost; /* an access was not compared with all that it should be */

void words_unwritten(const struct touch *touch, unsigned bytes)
{
    touch->shadow->touched[touch->word >> CHUNK_SHIFT] = touch->now.run;
    first_begin(touch, bytes);
}

void words_touch(struct words *words, const struct touch *touch)
{
    uint32_t *touched = &touch->shadow->touched[touch->word >> CHUNK_SHIFT];

    if (touch->operation == EVENT_LOAD && *touched != touch->now.run) {
        remember_read(words, touch, READER);
        return;
    }
    if (touch->operation != EVENT_LOAD)
        *touched = touch->now.run;
    lost |=
        touch->now.writes && touch->shadow->crowded[touch->word >> CHUNK_SHIFT] == touch->now.run;
    bool raced = compare_all(words, touch);
    lost |= !first_touch(&words->order, touch);
    if (touch->operation == EVENT_STORE)
        remember_store(words, touch, raced);
    else
        remember_read(words, touch, touch->operation == EVENT_ATOMIC ? ATOMIC : READER);
}

bool words_judge(void)
{
    bool all = !lost && !standings_are_full();

    first_judge();
    kept_forget();
    lost = false;
    return all;
}
